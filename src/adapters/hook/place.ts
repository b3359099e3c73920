import fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { HookHouse } from "./house.ts";

/** A workspace, and where its ledger is. */
export interface Place {
  readonly root: string;
  readonly ledger: string;
  readonly checkout: string;
  readonly hasLedger: boolean;
}

/** The folder in which agents have their own working copies. */
const WORKTREE = /^(.+)[\\/]\.sdd[\\/]worktrees[\\/][^\\/]+$/;
const DEEPEST = 40;

/** The workspace at or above a folder, if it is one that Tenon manages: a hook leaves no trace in others. */
export function placeAt(folder: string, house: HookHouse): Place | undefined {
  const root = house.rootAt(folder);
  const ledger = root === undefined ? undefined : house.ledgerOf(root);
  if (root === undefined || ledger === undefined) return undefined;
  const hasLedger = fs.existsSync(ledger.file);
  if (!hasLedger && !fs.existsSync(`${root}/sdd`)) return undefined;
  return { root, ledger: ledger.file, checkout: ledger.checkout, hasLedger };
}

/**
 * Where the session is at home: the workspace that was named, or the one in which its client was started, wherever its
 * shell has gone since. A working copy of its own goes before both.
 */
export function homeOf(cwd: string | undefined, house: HookHouse): Place | undefined {
  const { TENON_WORKSPACE, CLAUDE_PROJECT_DIR } = house.environment;
  const folders = [TENON_WORKSPACE, CLAUDE_PROJECT_DIR, cwd ?? house.cwd].filter(
    (folder) => folder && isAbsolute(folder),
  );
  const places = folders.flatMap((folder) => placeAt(folder ?? "", house) ?? []);
  return places.find(({ root }) => mainOf(root) !== undefined) ?? places[0];
}

/** The main checkout of an agent's working copy. */
export const mainOf = (root: string): string | undefined => WORKTREE.exec(root)?.[1];

/** Where a write to a path would go: the path behind its folder's links, and behind its own. */
export function targetsOf(path: string, cwd: string): string[] {
  const place = realPlace(resolve(cwd, path), 0);
  const target = linkAt(place);
  return target === undefined ? [place] : [place, realPlace(resolve(dirname(place), target), 1, true)];
}

/** The real path of what need not be there yet. Its last part is followed only if asked. */
function realPlace(path: string, depth: number, isFollowed = false): string {
  const parent = dirname(path);
  if (parent === path || depth > DEEPEST) return path;
  const place = join(realFolder(parent, depth + 1), basename(path));
  const target = isFollowed ? linkAt(place) : undefined;
  return target === undefined ? place : realPlace(resolve(dirname(place), target), depth + 1, true);
}

function realFolder(folder: string, depth: number): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return realPlace(folder, depth, true);
  }
}

function linkAt(place: string): string | undefined {
  try {
    return fs.readlinkSync(place);
  } catch {
    return undefined;
  }
}

/** A path relative to a folder that holds it, with forward slashes; nothing for what is elsewhere. Both are real paths. */
export function within(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}${sep}`)) return undefined;
  return path
    .slice(folder.length + 1)
    .replaceAll(sep, "/")
    .normalize("NFC");
}

/** Whether the repository says that its file system takes `A` and `a` for one letter. */
export function isCaseBlind({ ledger }: Place): boolean {
  try {
    const config = fs.readFileSync(`${dirname(dirname(ledger))}/config`, "utf8");
    return /^\s*ignorecase\s*(?:=\s*(?:true|yes|on|1)\s*)?$/im.test(config);
  } catch {
    return false;
  }
}
