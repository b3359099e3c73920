import { formatCount } from "../count.ts";
import { CHANGE_SIZES, type ChangeSize } from "./flows.ts";
import type { ChangeRecord } from "./record.ts";

export interface ChangeGrowth {
  readonly files: number;
  readonly lines: number;
  readonly requirements: number;
}

/**
 * Upper bounds per size, used both to propose a size and to detect that a change outgrew it. A small change is read in
 * one sitting. Beyond the bounds of a medium change a reviewer can no longer keep it in mind, so it needs a design.
 */
export const CHANGE_SIZE_LIMITS: Readonly<Record<ChangeSize, ChangeGrowth>> = {
  small: { files: 5, lines: 200, requirements: 2 },
  medium: { files: 20, lines: 1_000, requirements: 10 },
  large: {
    files: Number.POSITIVE_INFINITY,
    lines: Number.POSITIVE_INFINITY,
    requirements: Number.POSITIVE_INFINITY,
  },
};

const GROWTH_MEASURES = ["files", "lines", "requirements"] as const;

export function selectSmallestFittingSize(measured: Partial<ChangeGrowth>): ChangeSize {
  const holds = (size: ChangeSize): boolean =>
    GROWTH_MEASURES.every((name) => (measured[name] ?? 0) <= CHANGE_SIZE_LIMITS[size][name]);
  return CHANGE_SIZES.find(holds) ?? "large";
}

/**
 * Returns each measure beyond its bound. After a decision to keep the size, a measure is reported again only once it
 * doubles.
 */
export function describeOutgrownLimits(
  { size, sizings }: Pick<ChangeRecord, "size" | "sizings">,
  growth: ChangeGrowth,
): string[] {
  const last = sizings?.at(-1);
  const kept = last && last.from === last.to ? last : undefined;
  return GROWTH_MEASURES.flatMap((name) => {
    const most = CHANGE_SIZE_LIMITS[size][name];
    const before = kept?.[name] ?? 0;
    if (growth[name] <= most || growth[name] < 2 * before) return [];
    const then = before > most ? `, and ${before} when it was kept` : "";
    return [`${formatCount(growth[name], name.slice(0, -1))} (a ${size} change has at most ${most}${then})`];
  });
}

export const nextLargerSize = (size: ChangeSize): ChangeSize | undefined =>
  CHANGE_SIZES[CHANGE_SIZES.indexOf(size) + 1];
export const nextSmallerSize = (size: ChangeSize): ChangeSize | undefined =>
  CHANGE_SIZES[CHANGE_SIZES.indexOf(size) - 1];

/** Files written by package managers do not count as work. */
const LOCK_FILE_PATTERN =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Package\.resolved|gradle\.lockfile)$/;

export const isLockFile = (path: string): boolean => LOCK_FILE_PATTERN.test(path);
