/** Makes a worktree of the name it is given, when it is told to go. */
import { openGitSession } from "#git/adapters/git-repository.ts";
import { createGitWorktrees } from "#git/adapters/git-worktrees.ts";
import { ready, say } from "./worker.ts";

const [root = "", name = ""] = process.argv.slice(2);
await ready();
await say(
  await createGitWorktrees(openGitSession(root, process.env))
    .add(name)
    .then(
      ({ branch }) => branch,
      (error: unknown) => String(error),
    ),
);
process.disconnect();
