import { count } from "../count.ts";
import { CHANGE_SIZES, type ChangeSize } from "./flows.ts";
import type { ChangeRecord } from "./record.ts";

/** What a change comes to. */
export interface Growth {
  /** Files that differ from the commit at which the change began. */
  readonly files: number;
  /** Lines that are new or gone. */
  readonly lines: number;
  /** Requirements that its spec, design and tasks name. */
  readonly requirements: number;
}

/**
 * The most that a change of a size comes to. The one table for both questions: which size a change should have, and
 * whether it has outgrown the one it has. A small change is read in one sitting; past the bounds of a medium one a
 * reviewer no longer holds it in mind, which is what a design is for.
 */
export const CLASSES: Readonly<Record<ChangeSize, Growth>> = {
  small: { files: 5, lines: 200, requirements: 2 },
  medium: { files: 20, lines: 1_000, requirements: 10 },
  large: {
    files: Number.POSITIVE_INFINITY,
    lines: Number.POSITIVE_INFINITY,
    requirements: Number.POSITIVE_INFINITY,
  },
};

const MEASURES = ["files", "lines", "requirements"] as const;

/** The smallest size that holds so much. */
export function sizeFor(measured: Partial<Growth>): ChangeSize {
  const holds = (size: ChangeSize): boolean => MEASURES.every((name) => (measured[name] ?? 0) <= CLASSES[size][name]);
  return CHANGE_SIZES.find(holds) ?? "large";
}

/**
 * By what a change has outgrown its size; nothing while it fits. What was decided to be kept is not asked about again
 * before it has doubled.
 */
export function outgrown({ size, sizings }: Pick<ChangeRecord, "size" | "sizings">, growth: Growth): string[] {
  const last = sizings?.at(-1);
  const kept = last && last.from === last.to ? last : undefined;
  return MEASURES.flatMap((name) => {
    const most = CLASSES[size][name];
    const before = kept?.[name] ?? 0;
    if (growth[name] <= most || growth[name] < 2 * before) return [];
    const then = before > most ? `, and ${before} when it was kept` : "";
    return [`${count(growth[name], name.slice(0, -1))} (a ${size} change has at most ${most}${then})`];
  });
}

/** The next size up; nothing for the largest. */
export const larger = (size: ChangeSize): ChangeSize | undefined => CHANGE_SIZES[CHANGE_SIZES.indexOf(size) + 1];
export const smaller = (size: ChangeSize): ChangeSize | undefined => CHANGE_SIZES[CHANGE_SIZES.indexOf(size) - 1];

/** What a package manager writes is nobody's work, however much it is. */
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Package\.resolved|gradle\.lockfile)$/;

export const isLockFile = (path: string): boolean => LOCK_FILE.test(path);
