import type { SteadyMoment } from "#kernel/model/utc-time.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import type { HeardAnswer } from "#planning/model/approval/user-message.ts";
import type { JournalEventName } from "#planning/model/workflow/journal-fold.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { ChangedFile } from "#git/operations/ports/git-files.ts";
import type { JournalPart } from "#planning/operations/ports/journal.ts";
import type { HeldStoreLease } from "#store/operations/ports/store.ts";
import fs from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** Services a hook may need. Each loads on first use, because most calls need few. */
export interface HookServices {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  now(): string;
  steady?(): SteadyMoment;
  rootAt(folder: string): string | undefined;
  /** Undefined if git's folder cannot be resolved. */
  ledgerOf(root: string): { readonly file: string; readonly checkout: string } | undefined;
  append(
    root: string,
    note: {
      readonly event: JournalEventName;
      readonly session: string;
      readonly paths?: readonly string[];
      readonly changed?: readonly number[];
      readonly shell?: readonly [number, string] | undefined;
      readonly told?: string | undefined;
      readonly heard?: readonly HeardAnswer[] | undefined;
    },
  ): boolean;
  /** Files that changed since the last command of the session, so not by it. */
  changesBefore(root: string, session: string, time: number): readonly ChangedFile[];
  /** Files that changed while a command of the session ran, which ended as noted. Empty if its beginning is unknown. */
  changesDuring(root: string, session: string, ended: readonly [number, string]): readonly ChangedFile[];
  /** In milliseconds: now, or when a tool that has ended ended at the latest. */
  toolTime(hasEnded: boolean): number;
  isGone(mark: string): boolean;
  /** Whether a process is certainly running. */
  isRunning(mark: string): boolean;
  /** Undefined if the ledger is empty. Faults if it cannot be read. */
  kept(file: string): Promise<
    | {
        readonly kept: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
        readonly leases: ReadonlyMap<string, HeldStoreLease>;
      }
    | undefined
  >;
  unread(root: string, checkout: string, places: ReadonlyMap<string, JournalPosition>): Promise<readonly JournalPart[]>;
  settings(text: string): Promise<Config>;
  uncommitted(root: string): Promise<readonly string[] | undefined>;
  asset(name: string): string;
}

export interface HookWorkspace {
  readonly root: string;
  readonly ledger: string;
  readonly checkout: string;
  readonly hasLedger: boolean;
}

const MAX_LINK_DEPTH = 40;

/** Undefined for folders that Tenon does not manage: a hook leaves no trace there. */
export function findHookWorkspace(folder: string, house: HookServices): HookWorkspace | undefined {
  const root = house.rootAt(folder);
  const ledger = root === undefined ? undefined : house.ledgerOf(root);
  if (root === undefined || ledger === undefined) return undefined;
  const hasLedger = fs.existsSync(ledger.file);
  if (!hasLedger && !fs.existsSync(`${root}/sdd`)) return undefined;
  return { root, ledger: ledger.file, checkout: ledger.checkout, hasLedger };
}

/** Its own worktree, `TENON_WORKSPACE`, the client's folder, then `cwd`: the shell may have moved elsewhere. */
export function findSessionWorkspace(cwd: string | undefined, house: HookServices): HookWorkspace | undefined {
  const { TENON_WORKSPACE, CLAUDE_PROJECT_DIR } = house.environment;
  const folders = [TENON_WORKSPACE, CLAUDE_PROJECT_DIR, cwd ?? house.cwd].filter(
    (folder) => folder && isAbsolute(folder),
  );
  const places = folders.flatMap((folder) => findHookWorkspace(folder ?? "", house) ?? []);
  return places.find(({ root }) => getMainCheckout(root) !== undefined) ?? places[0];
}

/** Started by `tenon run`, in the worktree of its action. */
export function isRunAgent(cwd: string | undefined, house: HookServices): boolean {
  if (!house.environment["TENON_ACTION"]) return false;
  return getMainCheckout(findSessionWorkspace(cwd, house)?.root ?? "") !== undefined;
}

export const getMainCheckout = (root: string): string | undefined =>
  root.includes("worktrees") ? /^(.+)[\\/]\.sdd[\\/]worktrees[\\/][^\\/]+$/.exec(root)?.[1] : undefined;

/** The path with its folder's links resolved, and the target if the path itself is a link. */
export function resolveWriteTargets(path: string, cwd: string): string[] {
  const place = resolveRealPath(resolve(cwd, path), 0);
  const target = tryFileCall(() => fs.readlinkSync(place));
  return target === undefined ? [place] : [place, resolveRealPath(resolve(dirname(place), target), 1, true)];
}

/** The path need not exist. Follows a link in the last part only on request. */
function resolveRealPath(path: string, depth: number, isFollowed = false): string {
  const parent = dirname(path);
  if (parent === path || depth > MAX_LINK_DEPTH) return path;
  const folder = tryFileCall(() => fs.realpathSync(parent)) ?? resolveRealPath(parent, depth + 1, true);
  const place = join(folder, basename(path));
  const target = isFollowed ? tryFileCall(() => fs.readlinkSync(place)) : undefined;
  return target === undefined ? place : resolveRealPath(resolve(dirname(place), target), depth + 1, true);
}

export function tryFileCall(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** With forward slashes. Undefined if the path is outside. Both must be real paths. */
export function getPathInside(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}${sep}`)) return undefined;
  return path
    .slice(folder.length + 1)
    .replaceAll(sep, "/")
    .normalize("NFC");
}

/** Reads `core.ignorecase` from the git configuration. */
export function isFileSystemCaseInsensitive({ ledger }: HookWorkspace): boolean {
  const config = tryFileCall(() => fs.readFileSync(`${dirname(dirname(ledger))}/config`, "utf8"))?.toLowerCase();
  return config?.includes("ignorecase") === true && /^\s*ignorecase\s*(?:=\s*(?:true|yes|on|1)\s*)?$/m.test(config);
}
