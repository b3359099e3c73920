import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { overlap } from "./glob.ts";
import type { Lock } from "./record.ts";

const LONGEST = 1024;
/** Comparing two patterns takes the product of their lengths. */
const LONGEST_PATTERN = 256;
const MOST_WILD = 16;
/** Files of git and of Tenon itself have their own protection. */
const NOT_LOCKABLE =
  /^(?:\.git|\.sdd)(?:\/|$)|^sdd\/(?:sdd\.json$|changes\/[^/]+\/change\.json$|features\/[^/]+\/spec\.yaml$|waves\/|history\/)/i;

export const lockKey = ({ workflow, path }: Pick<Lock, "workflow" | "path">): string => `${workflow} ${path}`;

/**
 * Normalizes a path for locks: relative to the repository, with forward slashes. It need not exist. A trailing slash
 * means everything in the folder.
 */
export function lockPath(said: string): string {
  const parts: string[] = [];
  const text = said.normalize("NFC").replaceAll("\\", "/");
  if (text.startsWith("/") || /^[A-Za-z]:/.test(text)) throw badPath(said, "It is not relative to the repository");
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw badPath(said, "It leads out of the repository");
  }
  const path = parts.join("/") + (text.endsWith("/") ? "/**" : "");
  if (parts.length === 0) throw badPath(said, "It names no file");
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (path.length > LONGEST || /[\u0000-\u001f]/.test(path)) throw badPath(said, "No file has such a name");
  const wild = path.match(/[*?]+/g)?.length ?? 0;
  if (wild > MOST_WILD || (wild > 0 && path.length > LONGEST_PATTERN)) throw badPath(said, "It is too long a pattern");
  if (NOT_LOCKABLE.test(path)) throw badPath(said, "It belongs to git or to Tenon itself");
  return path;
}

function badPath(said: string, why: string): Fault {
  return new Fault("lock.bad-path", {
    what: `${quote(said)} cannot be locked.`,
    why: `${why}.`,
    fix: { operation: "workflow.lock", input: { action: "claim", paths: ["src/login.ts"] } },
  });
}

export interface Conflict {
  readonly path: string;
  readonly lock: Lock;
}

export const isHeld = (lock: Lock): boolean => lock.released_at === undefined;

/** Only a claim may be a pattern. An edited path is literal, even if it contains wildcard letters. */
export const covers = (lock: Pick<Lock, "how" | "path">, path: string): boolean =>
  lock.how === "claim" ? overlap(lock.path, path) : lock.path === path;

export function conflictsWith(
  paths: readonly string[],
  workflow: string,
  locks: Iterable<Lock>,
  areClaims = false,
): Conflict[] {
  const others = [...locks].filter((lock) => lock.workflow !== workflow && isHeld(lock));
  const isMet = (lock: Lock, path: string): boolean => (areClaims ? overlap(lock.path, path) : covers(lock, path));
  return paths.flatMap((path) => others.filter((lock) => isMet(lock, path)).map((lock) => ({ path, lock })));
}

export function sharedPaths(one: string, other: string, locks: Iterable<Lock>): string[] {
  const all = [...locks].filter(isHeld);
  const mine = all.filter((lock) => lock.workflow === one).map(({ path }) => path);
  return [
    ...new Set(
      conflictsWith(
        mine,
        one,
        all.filter((lock) => lock.workflow === other),
        true,
      ).map(narrower),
    ),
  ].toSorted();
}

export const narrower = ({ path, lock }: Conflict): string => (/[*?]/.test(path) ? lock.path : path);
