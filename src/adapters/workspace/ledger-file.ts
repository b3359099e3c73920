import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Fault } from "#domain/fault.ts";

/**
 * The name of this checkout in the ledger. Not its path, so that a repository can move; and not only its name, so that
 * a new worktree with an old name does not inherit old state.
 */
export function checkoutName(root: string): string {
  const target = /^gitdir: (.+?)\s*$/.exec(read(join(root, ".git")) ?? "")?.[1];
  const folder = target === undefined ? undefined : resolve(root, target);
  if (folder === undefined || basename(dirname(folder)) !== "worktrees") return "main";
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  return `${basename(folder)}@${stat?.ino ?? 0}-${Math.floor(stat?.birthtimeMs ?? 0)}`;
}

export function checkoutIn(folder: string, ledger: string): string | undefined {
  try {
    return fs.existsSync(folder) && isSame(ledgerFile(folder), ledger) ? checkoutName(folder) : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The ledger of a workspace: in the git common folder, shared by all worktrees; in `.sdd` outside git. */
export function ledgerFile(root: string): string {
  const git = join(root, ".git");
  // `statSync` throws on a link to itself; a broken link is not a repository.
  const stat = fs.existsSync(git) ? fs.statSync(git) : undefined;
  if (stat?.isDirectory()) return join(git, "tenon", "ledger.db");
  if (stat?.isFile()) return join(commonFolder(git), "tenon", "ledger.db");
  const folder = join(root, ".sdd");
  const link = ["", "ledger.db", "ledger.db-wal", "ledger.db-shm", "turns"].find((name) => isLink(join(folder, name)));
  if (link !== undefined) {
    throw new Fault("files.escape", {
      what: `${join(".sdd", link)} cannot be used.`,
      why: "A symbolic link stands there, and it may lead anywhere.",
      fix: "Replace the link with a file or folder of the workspace.",
    });
  }
  return join(folder, "ledger.db");
}

function isLink(place: string): boolean {
  try {
    return fs.lstatSync(place).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Follows the `.git` file of a linked worktree or a submodule. Its target must point back to it, so that a crafted file
 * cannot use another repository.
 */
function commonFolder(file: string): string {
  const target = /^gitdir: (.+?)\s*$/.exec(read(file) ?? "")?.[1];
  const named = target === undefined ? undefined : resolve(dirname(file), target);
  if (named === undefined || !fs.existsSync(join(named, "HEAD"))) throw unreadable(file, "It names no git folder.");
  const folder = fs.realpathSync(named);
  const common = read(join(folder, "commondir"))?.trim();
  if (common === undefined) {
    if (isOf(dirname(file), folder)) return folder;
    throw unreadable(
      file,
      "The repository it names is that of another folder.",
      `git config core.worktree ${dirname(file)}`,
    );
  }
  const back = read(join(folder, "gitdir"))?.trim();
  const isOurs =
    back !== undefined &&
    // Compares folders, because a link at the file's position would resolve to the same file.
    basename(back) === basename(file) &&
    isSame(dirname(resolve(folder, back)), dirname(file)) &&
    basename(dirname(folder)) === "worktrees" &&
    isSame(resolve(folder, common), dirname(dirname(folder)));
  if (!isOurs) throw unreadable(file, "The worktree it names does not lead back to it.");
  return resolve(folder, common);
}

/**
 * A submodule's folder names its checkout. A folder from `git init --separate-git-dir` does not, but is not called
 * `.git`.
 */
function isOf(checkout: string, folder: string): boolean {
  const config = read(join(folder, "config")) ?? "";
  const named = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(config)?.[1];
  if (named !== undefined) return isSame(resolve(folder, named), checkout);
  return basename(folder) !== ".git" && !/^\s*bare\s*=\s*true\s*$/m.test(config);
}

const isSame = (one: string, other: string): boolean =>
  fs.existsSync(one) && fs.existsSync(other) && fs.realpathSync(one) === fs.realpathSync(other);

function read(file: string): string | undefined {
  const stat = fs.existsSync(file) ? fs.statSync(file) : undefined;
  return stat?.isFile() && stat.size < 65_536 ? fs.readFileSync(file, "utf8") : undefined;
}

function unreadable(file: string, why: string, repair = "git worktree repair"): Fault {
  return new Fault("workspace.unreadable-git", {
    what: `${file} cannot be followed.`,
    why,
    fix: `Repair it: ${repair}`,
  });
}
