import { byText } from "./graph.ts";

/** What runs of a role were estimated at, and what was reported of them. */
export interface Spent {
  readonly role: string;
  readonly runs: number;
  readonly estimated: number;
  /** Those of the runs whose cost was reported, what they were estimated at, and what it was. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}

/** With what was reported against the estimates of the same runs; nothing where nobody said. */
type Spending = Spent & { readonly ratio: number | null };

export interface SpendingOfAll {
  readonly roles: readonly Spending[];
  readonly all: Spending;
  /** What counts against a cap: what was reported, and the estimate where nothing was. */
  readonly counted: number;
}

/** Estimates against what was reported, role by role. */
export function spendingOf(entries: readonly Spent[]): SpendingOfAll {
  const roles = [...Map.groupBy(entries, ({ role }) => role)]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([role, its]) => summed(role, its));
  const all = summed("all", entries);
  return { roles, all, counted: all.reported + all.estimated - all.expected };
}

function summed(role: string, entries: readonly Spent[]): Spending {
  const sum = (of: Exclude<keyof Spent, "role">): number => entries.reduce((total, entry) => total + entry[of], 0);
  const expected = sum("expected");
  const reported = sum("reported");
  return {
    role,
    runs: sum("runs"),
    estimated: sum("estimated"),
    reports: sum("reports"),
    expected,
    reported,
    ratio: expected > 0 ? reported / expected : null,
  };
}
