import type { Role } from "../agent/role.ts";
import { byText } from "./graph.ts";

/** What a run was estimated at, and what was reported of it. */
export interface Spent {
  readonly role: Role;
  readonly estimate: number;
  /** Nothing where nobody said. */
  readonly reported: number | null;
}

export interface SpendingOfRole {
  readonly role: Role;
  readonly runs: number;
  readonly estimated: number;
  /** How many runs were reported with what they cost, and what they came to. */
  readonly told: number;
  readonly reported: number;
  /** What was reported against the estimates of the same runs; nothing where nobody said. */
  readonly ratio: number | null;
}

export interface Spending {
  readonly roles: readonly SpendingOfRole[];
  /** What counts against a cap: what was reported, and the estimate where nothing was. */
  readonly counted: number;
  readonly estimated: number;
  readonly reported: number;
  readonly ratio: number | null;
}

/** Estimates against what was reported, role by role. */
export function spendingOf(entries: readonly Spent[]): Spending {
  const roles = [...Map.groupBy(entries, ({ role }) => role)]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([role, runs]) => ({ role, runs: runs.length, ...figuresOf(runs) }));
  const { told: _, ...figures } = figuresOf(entries);
  return { roles, counted: sum(entries.map(({ estimate, reported }) => reported ?? estimate)), ...figures };
}

function figuresOf(runs: readonly Spent[]): Omit<SpendingOfRole, "role" | "runs"> {
  const told = runs.filter(({ reported }) => reported !== null);
  const foreseen = sum(told.map(({ estimate }) => estimate));
  const reported = sum(told.map((run) => run.reported ?? 0));
  return {
    estimated: sum(runs.map(({ estimate }) => estimate)),
    told: told.length,
    reported,
    ratio: foreseen > 0 ? reported / foreseen : null,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
