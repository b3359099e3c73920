import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Fault } from "#domain/fault.ts";

/** The ledger of a workspace: in the git common folder, so that all worktrees share it; in `.sdd` outside git. */
export function ledgerFile(root: string): string {
  const git = join(root, ".git");
  const stat = fs.statSync(git, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return join(git, "tenon", "ledger.db");
  if (stat?.isFile()) return join(commonFolder(git), "tenon", "ledger.db");
  return join(root, ".sdd", "ledger.db");
}

/**
 * Follows the `.git` file of a linked worktree or a submodule. A worktree's folder must lead back to the file that led
 * there, so that a crafted file cannot borrow another repository.
 */
function commonFolder(file: string): string {
  const target = /^gitdir: (.+?)\s*$/.exec(read(file) ?? "")?.[1];
  const folder = target === undefined ? undefined : resolve(dirname(file), target);
  if (folder === undefined || !fs.existsSync(join(folder, "HEAD"))) throw unreadable(file, "It names no git folder.");
  const common = read(join(folder, "commondir"))?.trim();
  if (common === undefined) return folder;
  const back = read(join(folder, "gitdir"))?.trim();
  const isOurs =
    back !== undefined &&
    fs.existsSync(back) &&
    fs.realpathSync(back) === fs.realpathSync(file) &&
    basename(dirname(folder)) === "worktrees";
  if (!isOurs) throw unreadable(file, "The worktree it names does not lead back to it.");
  return resolve(folder, common);
}

function read(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size < 65_536 ? fs.readFileSync(file, "utf8") : undefined;
}

function unreadable(file: string, why: string): Fault {
  return new Fault("workspace.unreadable-git", {
    what: `${file} cannot be followed.`,
    why,
    fix: "Repair it: git worktree repair",
  });
}
