import { byText } from "./graph.ts";

export interface Spent {
  readonly role: string;
  readonly runs: number;
  readonly estimated: number;
  /** `reports` counts the runs with a reported cost. `expected` is their estimate, `reported` their actual cost. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}

/** `ratio` is reported cost divided by the estimate for the same runs; null without reports. */
type Spending = Spent & { readonly ratio: number | null };

export interface SpendingOfAll {
  readonly roles: readonly Spending[];
  readonly all: Spending;
  /** Counts against a cap: the reported cost, or the estimate for runs without a report. */
  readonly counted: number;
}

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
