import type { DriftSeverity } from "../trace/drift.ts";
import type { TraceProblem } from "../trace/problems.ts";

/** The checks of a CI run, in this order. */
export const CI_CHECKS = ["validate", "verify", "drift", "trace"] as const;
export type CiCheck = (typeof CI_CHECKS)[number];

export const LEVELS = ["error", "warning"] as const;
export type Level = (typeof LEVELS)[number];

/** The kinds of findings per check. An error fails the run, a warning does not. */
export const LEVEL_OF = {
  validate: { problem: "error", unreadable: "error" },
  verify: { broken: "error", finding: "warning", unreadable: "error" },
  drift: { high: "error", medium: "error", low: "warning", unreadable: "error" },
  trace: {
    orphan: "error",
    "no-code": "error",
    "no-tests": "error",
    untested: "error",
    "no-docs": "warning",
    stale: "warning",
    unreadable: "error",
  },
} as const satisfies Record<CiCheck, Readonly<Record<string, Level>>> & {
  readonly drift: Readonly<Record<DriftSeverity, Level>>;
  readonly trace: Readonly<Record<TraceProblem["kind"], Level>>;
};

export interface CiFinding {
  readonly check: CiCheck;
  /** A key of `CI_FINDING_LEVELS`; `unreadable` if the check could not run. */
  readonly kind: string;
  readonly level: Level;
  readonly problem: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

type Kind<Check extends CiCheck> = keyof (typeof LEVEL_OF)[Check];

export function found<Check extends CiCheck>(
  check: Check,
  kind: Kind<Check>,
  place: Pick<CiFinding, "problem" | "path" | "line">,
): CiFinding {
  const levels: Readonly<Record<PropertyKey, Level>> = LEVEL_OF[check];
  return { check, kind: String(kind), level: levels[kind] ?? "error", ...place };
}

export const strictly = (findings: readonly CiFinding[]): CiFinding[] =>
  findings.map((finding) => ({ ...finding, level: "error" }));
