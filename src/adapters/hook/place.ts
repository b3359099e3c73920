import fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { HookHouse } from "./house.ts";

export interface Place {
  readonly root: string;
  readonly ledger: string;
  readonly checkout: string;
  readonly hasLedger: boolean;
}

const WORKTREE = /^(.+)[\\/]\.sdd[\\/]worktrees[\\/][^\\/]+$/;
const DEEPEST = 40;

/** Undefined for folders that Tenon does not manage: a hook leaves no trace there. */
export function placeAt(folder: string, house: HookHouse): Place | undefined {
  const root = house.rootAt(folder);
  const ledger = root === undefined ? undefined : house.ledgerOf(root);
  if (root === undefined || ledger === undefined) return undefined;
  const hasLedger = fs.existsSync(ledger.file);
  if (!hasLedger && !fs.existsSync(`${root}/sdd`)) return undefined;
  return { root, ledger: ledger.file, checkout: ledger.checkout, hasLedger };
}

/**
 * The session's own worktree first, then `TENON_WORKSPACE`, then the client's project folder, then `cwd`: the shell may
 * have moved to a different workspace.
 */
export function homeOf(cwd: string | undefined, house: HookHouse): Place | undefined {
  const { TENON_WORKSPACE, CLAUDE_PROJECT_DIR } = house.environment;
  const folders = [TENON_WORKSPACE, CLAUDE_PROJECT_DIR, cwd ?? house.cwd].filter(
    (folder) => folder && isAbsolute(folder),
  );
  const places = folders.flatMap((folder) => placeAt(folder ?? "", house) ?? []);
  return places.find(({ root }) => mainOf(root) !== undefined) ?? places[0];
}

export const mainOf = (root: string): string | undefined => WORKTREE.exec(root)?.[1];

/** The path with its folder's links resolved, and the target if the path itself is a link. */
export function targetsOf(path: string, cwd: string): string[] {
  const place = realPlace(resolve(cwd, path), 0);
  const target = linkAt(place);
  return target === undefined ? [place] : [place, realPlace(resolve(dirname(place), target), 1, true)];
}

/** The path need not exist. Follows a link in the last part only on request. */
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

/** With forward slashes. Undefined if the path is outside. Both must be real paths. */
export function within(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}${sep}`)) return undefined;
  return path
    .slice(folder.length + 1)
    .replaceAll(sep, "/")
    .normalize("NFC");
}

/** Reads `core.ignorecase` from the git configuration. */
export function isCaseBlind({ ledger }: Place): boolean {
  try {
    const config = fs.readFileSync(`${dirname(dirname(ledger))}/config`, "utf8");
    return /^\s*ignorecase\s*(?:=\s*(?:true|yes|on|1)\s*)?$/im.test(config);
  } catch {
    return false;
  }
}
