/** Restores paths between two snapshots, to be struck while it does. */
import { openGitSession } from "#git/adapters/git-repository.ts";
import { createGitSnapshots } from "#git/adapters/git-snapshots.ts";

const [root = "", from = "", to = "", ...paths] = process.argv.slice(2);
await createGitSnapshots(openGitSession(root, process.env)).restore({ from, to, paths });
