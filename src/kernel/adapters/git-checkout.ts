import fs from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Fault } from "../model/fault.ts";
import { readErrorCode, toFileFault, withFileFault } from "../model/system-error.ts";

/** Not its path, so that a repository can move, and not only its name, so that a new worktree inherits no state. */
export function readCheckoutName(root: string): string {
  const folder = readGitTarget(join(root, ".git"));
  if (folder === undefined || basename(dirname(folder)) !== "worktrees")
    return `main${readCloneSuffix(join(root, ".git", "tenon"))}`;
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  const name = `${basename(folder)}@${stat?.ino ?? 0}-${Math.floor(stat?.birthtimeMs ?? 0)}`;
  return `${name}${readCloneSuffix(join(folder, "..", "..", "tenon"))}`;
}

/** Tells the clones of a team apart. Without a team there is none. */
function readCloneSuffix(folder: string): string {
  const { name = PLAIN_NAME } = readCloneFile(folder);
  return name === PLAIN_NAME ? "" : `~${name}`;
}

/** The name, and the folder that got it. */
function readCloneFile(folder: string): { readonly name?: string; readonly place?: string } {
  const [, name, place] =
    /^([0-9a-f]{8}|main)(?:\n(.+))?\s*$/.exec(readSmallFile(join(folder, CLONE_FILE)) ?? "") ?? [];
  return { ...(name === undefined ? {} : { name }), ...(place === undefined ? {} : { place }) };
}

const CLONE_FILE = "clone";
/** Of a clone that joined with work of its own. */
const PLAIN_NAME = "main";

/** A clone that joins a team with work of its own keeps its plain names, so that its work stays its own. */
export function nameTeamClone(ledger: string, name: string): void {
  const folder = dirname(ledger);
  const file = join(folder, CLONE_FILE);
  const known = readCloneFile(folder);
  // A copy brings the name of its original along, which still has it. A clone that moved keeps its own.
  const isCopy = known.place !== undefined && known.name !== undefined && isOriginal(known.place, folder, known.name);
  if (!isCopy && known.place !== undefined) return;
  withFileFault(file, "write", () => {
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
    const own = isCopy ? name : (known.name ?? (fs.existsSync(ledger) ? PLAIN_NAME : name));
    fs.writeFileSync(file, `${own}\n${fs.realpathSync(folder)}\n`, { mode: 0o600 });
  });
}

const isOriginal = (place: string, folder: string, name: string): boolean =>
  fs.existsSync(place) && !isSameRealPath(place, folder) && readCloneFile(place).name === name;

export function findCheckoutName(folder: string, ledger: string): string | undefined {
  try {
    const isOurs = fs.existsSync(folder) && isSameRealPath(locateLedgerFile(folder), ledger);
    return isOurs ? readCheckoutName(folder) : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** In the git common folder, shared by worktrees, or in `.sdd`. A crafted repository must not lead it elsewhere. */
export function locateLedgerFile(root: string): string {
  const folder = locateLedgerFolder(root);
  const link = isSymlinkPath(folder) ? "" : findLink(folder);
  if (link === undefined) return join(folder, "ledger.db");
  throw new Fault("files.escape", {
    what: `${relative(root, join(folder, link))} cannot be used.`,
    why: "It is a symbolic link.",
    fix: "Replace the link with a file or folder of the workspace.",
  });
}

function locateLedgerFolder(root: string): string {
  const git = join(root, ".git");
  const stat = findFileStat(git);
  if (stat?.isDirectory()) return join(git, "tenon");
  return stat?.isFile() ? join(findCommonFolder(git), "tenon") : join(root, ".sdd");
}

const ABSENCE_CODES = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Undefined if there is no such file, or only a broken link. Any other error leaves the answer open. */
function findFileStat(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch (error) {
    if (ABSENCE_CODES.has(readErrorCode(error) ?? "")) return undefined;
    throw toFileFault(error, file, "read");
  }
}

const excludedIn = new Set<string>();

/** Lets git ignore temporary files: `git add -A` beside a running command would fail, or commit one of them. */
export function excludeTemporaryFiles(ledger: string): void {
  const git = dirname(dirname(ledger));
  if (excludedIn.has(git)) return;
  excludedIn.add(git);
  try {
    if (!fs.existsSync(join(git, "HEAD"))) return;
    const file = join(git, "info", "exclude");
    // A crafted repository must not lead the line into another file.
    if (isSymlinkPath(dirname(file)) || isSymlinkPath(file)) return;
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    if (/^\.tenon-\*$/m.test(text)) return;
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.appendFileSync(file, `${/[^\n]$/.test(text) ? "\n" : ""}# Temporary files of Tenon\n.tenon-*\n`);
  } catch {
    // A command that can do its work does it, though git will see its temporary files.
  }
}

/** The ledger, its copies, queues and claims: Tenon makes no links there. */
function findLink(folder: string): string | undefined {
  try {
    return fs.readdirSync(folder, { withFileTypes: true }).find((entry) => entry.isSymbolicLink())?.name;
  } catch {
    return undefined;
  }
}

function isSymlinkPath(place: string): boolean {
  try {
    return fs.lstatSync(place).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Follows a `.git` file. Its target must point back to it, so that a crafted file cannot use another repository. */
function findCommonFolder(file: string): string {
  const named = readGitTarget(file);
  if (named === undefined || !fs.existsSync(join(named, "HEAD")))
    throw createUnreadableGitFault(file, "It does not name a git folder.");
  const folder = fs.realpathSync(named);
  const common = readSmallFile(join(folder, "commondir"))?.trim();
  if (common === undefined) {
    if (isCheckoutFolder(dirname(file), folder)) return folder;
    const why = "The repository that it names belongs to another folder.";
    throw createUnreadableGitFault(file, why, `git config core.worktree ${dirname(file)}`);
  }
  const back = readSmallFile(join(folder, "gitdir"))?.trim();
  const isOurs =
    back !== undefined &&
    // Compares folders, because a link at the file's position would resolve to the same file.
    basename(back) === basename(file) &&
    isSameRealPath(dirname(resolve(folder, back)), dirname(file)) &&
    basename(dirname(folder)) === "worktrees" &&
    isSameRealPath(resolve(folder, common), dirname(dirname(folder)));
  if (!isOurs) throw createUnreadableGitFault(file, "The worktree it names does not lead back to it.");
  return resolve(folder, common);
}

/** A submodule's folder names its checkout. That of `git init --separate-git-dir` is not called `.git`. */
function isCheckoutFolder(checkout: string, folder: string): boolean {
  const config = readSmallFile(join(folder, "config")) ?? "";
  const named = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(config)?.[1];
  if (named !== undefined) return isSameRealPath(resolve(folder, named), checkout);
  return basename(folder) !== ".git" && !/^\s*bare\s*=\s*true\s*$/m.test(config);
}

const isSameRealPath = (one: string, other: string): boolean =>
  fs.existsSync(one) && fs.existsSync(other) && fs.realpathSync(one) === fs.realpathSync(other);

function readGitTarget(file: string): string | undefined {
  const target = /^gitdir: (.+?)\s*$/.exec(readSmallFile(file) ?? "")?.[1];
  return target === undefined ? undefined : resolve(dirname(file), target);
}

function readSmallFile(file: string): string | undefined {
  const stat = findFileStat(file);
  return stat?.isFile() && stat.size < 65_536 ? fs.readFileSync(file, "utf8") : undefined;
}

function createUnreadableGitFault(file: string, why: string, repair = "git worktree repair"): Fault {
  return new Fault("workspace.unreadable-git", {
    what: `${file} cannot be followed.`,
    why,
    fix: `Repair it: ${repair}`,
  });
}

/** The branch, or the short commit of a detached HEAD; undefined outside git. Starts no process. */
export function readCurrentBranch(root: string): string | undefined {
  try {
    const git = join(root, ".git");
    const folder = fs.statSync(git).isFile() ? readGitTarget(git) : git;
    const head = folder === undefined ? "" : (readSmallFile(join(folder, "HEAD")) ?? "").trim();
    const detached = /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 12) : undefined;
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? detached;
  } catch {
    return undefined;
  }
}
