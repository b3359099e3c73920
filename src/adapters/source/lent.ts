import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "#domain/fault.ts";
import type { TemporaryCheckoutRequest, TemporaryCheckout } from "#operations/ports/snapshots.ts";
import { type GitSession, insist, openRepository, type Repository } from "./repository.ts";

/**
 * A temporary checkout of a commit. Git does not register it as a worktree, so nothing in the repository needs cleanup
 * when the process is killed.
 */
export async function lendTree(session: GitSession, lending: TemporaryCheckoutRequest): Promise<TemporaryCheckout> {
  const { root } = session;
  const repository = await openRepository(session);
  // The runner finds leftovers of a killed process by this name.
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), `tenon-lent-${process.pid}-`));
  try {
    const tree = join(folder, "tree");
    fs.mkdirSync(tree);
    await checkOut(repository, lending.commit, join(folder, "index"), tree);
    const place = join(tree, repository.prefix).replace(/\/$/, "");
    fs.mkdirSync(place, { recursive: true });
    for (const path of lending.over) putOver(root, place, path);
    for (const path of lending.linked) link(root, place, path);
    let puts = 0;
    const put = async (path: string, text: string): Promise<void> => putText(placeFor(place, path), text, ++puts);
    return { root: place, put, [Symbol.asyncDispose]: async () => remove(folder) };
  } catch (error) {
    remove(folder);
    throw error;
  }
}

const remove = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

async function checkOut({ git, top }: Repository, commit: string, index: string, tree: string): Promise<void> {
  const what = "The files of the commit cannot be put into a folder.";
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new RangeError(`${commit} is no commit.`);
  const variables = { GIT_INDEX_FILE: index, GIT_WORK_TREE: top };
  await insist(git, what, ["read-tree", commit], { variables });
  await insist(git, what, ["checkout-index", "--all", "--force", `--prefix=${tree}/`], { variables });
}

function putOver(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), placeFor(place, path)];
  fs.rmSync(to, { recursive: true, force: true });
  const stat = fs.lstatSync(from, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
  else if (stat.isFile()) fs.copyFileSync(from, to);
}

/** Each write gets a later second: Python treats a file with the same second and size as unchanged. */
function putText(to: string, text: string, later: number): void {
  // Writing through a link would change a file outside.
  if (fs.lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true) fs.rmSync(to, { recursive: true, force: true });
  fs.writeFileSync(to, text);
  const at = Math.floor(fs.statSync(to).mtimeMs / 1000) + later;
  fs.utimesSync(to, at, at);
}

function link(root: string, place: string, path: string): void {
  const [from, to] = [join(root, path), placeFor(place, path)];
  if (!fs.existsSync(from) || fs.existsSync(to)) return;
  fs.symlinkSync(fs.realpathSync(from), to);
}

function placeFor(place: string, path: string): string {
  const to = join(place, path);
  if (!to.startsWith(`${place}/`)) throw outside(path);
  for (let up = dirname(to); up !== place; up = dirname(up)) {
    if (fs.lstatSync(up, { throwIfNoEntry: false })?.isSymbolicLink()) throw outside(path);
  }
  fs.mkdirSync(dirname(to), { recursive: true });
  return to;
}

function outside(path: string): Fault {
  return new Fault("files.escape", {
    what: "No folder was made to try the tests in.",
    why: `${path} leads out of it.`,
    fix: "Name files of the workspace.",
  });
}
