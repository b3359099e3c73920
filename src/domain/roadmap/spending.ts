import { compareCodeUnits } from "./graph.ts";

export interface RoleSpending {
  readonly role: string;
  readonly runs: number;
  readonly estimated: number;
  /** `reports` counts the runs with a reported cost. `expected` is their estimate, `reported` their actual cost. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}

/** `ratio` is reported cost divided by the estimate for the same runs; null without reports. */
type RoleSpendingRatio = RoleSpending & { readonly ratio: number | null };

export interface SpendingSummary {
  readonly roles: readonly RoleSpendingRatio[];
  readonly all: RoleSpendingRatio;
  /** Counts against a cap: the reported cost, or the estimate for runs without a report. */
  readonly counted: number;
}

export function summarizeSpending(entries: readonly RoleSpending[]): SpendingSummary {
  const roles = [...Map.groupBy(entries, ({ role }) => role)]
    .toSorted(([a], [b]) => compareCodeUnits(a, b))
    .map(([role, its]) => sumRoleSpending(role, its));
  const all = sumRoleSpending("all", entries);
  return { roles, all, counted: all.reported + all.estimated - all.expected };
}

function sumRoleSpending(role: string, entries: readonly RoleSpending[]): RoleSpendingRatio {
  const sum = (of: Exclude<keyof RoleSpending, "role">): number =>
    entries.reduce((total, entry) => total + entry[of], 0);
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
