import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "#domain/fault.ts";
import type { TemporaryCheckoutRequest, TemporaryCheckout } from "#operations/ports/snapshots.ts";
import { type GitSession, runGitOrFault, openGitRepository, type GitRepository } from "./repository.ts";

/**
 * A temporary checkout of a commit. Git does not register it as a worktree, so nothing in the repository needs cleanup
 * when the process is killed.
 */
export async function createTemporaryCheckout(
  session: GitSession,
  lending: TemporaryCheckoutRequest,
): Promise<TemporaryCheckout> {
  const { root } = session;
  const repository = await openGitRepository(session);
  // The runner finds leftovers of a killed process by this name.
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), `tenon-lent-${process.pid}-`));
  try {
    const tree = join(folder, "tree");
    fs.mkdirSync(tree);
    await checkOutCommit(repository, lending.commit, join(folder, "index"), tree);
    const place = join(tree, repository.prefix).replace(/\/$/, "");
    fs.mkdirSync(place, { recursive: true });
    for (const path of lending.over) copyWorkingFile(root, place, path);
    for (const path of lending.linked) linkWorkspacePath(root, place, path);
    let puts = 0;
    const put = async (path: string, text: string): Promise<void> =>
      writeCheckoutText(resolveCheckoutPath(place, path), text, ++puts);
    return { root: place, put, [Symbol.asyncDispose]: async () => removeTemporaryCheckout(folder) };
  } catch (error) {
    removeTemporaryCheckout(folder);
    throw error;
  }
}

const removeTemporaryCheckout = (folder: string): void =>
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

async function checkOutCommit({ git, top }: GitRepository, commit: string, index: string, tree: string): Promise<void> {
  const what = "The files of the commit cannot be put into a folder.";
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`${commit} is no commit.`);
  const variables = { GIT_INDEX_FILE: index, GIT_WORK_TREE: top };
  await runGitOrFault(git, what, ["read-tree", commit], { variables });
  await runGitOrFault(git, what, ["checkout-index", "--all", "--force", `--prefix=${tree}/`], { variables });
}

function copyWorkingFile(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
  fs.rmSync(to, { recursive: true, force: true });
  const stat = fs.lstatSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
  else if (stat.isFile()) fs.copyFileSync(from, to);
}

/** Each write gets a later second: Python treats a file with the same second and size as unchanged. */
function writeCheckoutText(to: string, text: string, later: number): void {
  // Writing through a link would change a file outside.
  if (fs.lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true) fs.rmSync(to, { recursive: true, force: true });
  fs.writeFileSync(to, text);
  const at = Math.floor(fs.statSync(to).mtimeMs / 1000) + later;
  fs.utimesSync(to, at, at);
}

function linkWorkspacePath(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
  if (!fs.existsSync(from) || fs.existsSync(to)) return;
  fs.symlinkSync(fs.realpathSync(from), to);
}

function resolveCheckoutPath(place: string, path: string): string {
  const to = join(place, path);
  if (!to.startsWith(`${place}/`)) throw createOutsideFault(path);
  for (let up = dirname(to); up !== place; up = dirname(up)) {
    if (fs.lstatSync(up, { throwIfNoEntry: false })?.isSymbolicLink()) throw createOutsideFault(path);
  }
  fs.mkdirSync(dirname(to), { recursive: true });
  return to;
}

function createOutsideFault(path: string): Fault {
  return new Fault("files.escape", {
    what: "No folder was made to try the tests in.",
    why: `${path} leads out of it.`,
    fix: "Name files of the workspace.",
  });
}
