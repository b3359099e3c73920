import type { DriftSeverity } from "#code/model/trace/code-drift.ts";
import type { TraceProblem } from "#code/model/trace/trace-matrix.ts";
import { formatGithubAnnotation } from "#kernel/model/text-format.ts";

/** `run` is made on request. */
export const CI_CHECKS = ["validate", "verify", "drift", "trace", "run"] as const;
export type CiCheck = (typeof CI_CHECKS)[number];

export const CI_LEVELS = ["error", "warning"] as const;
export type CiLevel = (typeof CI_LEVELS)[number];

/** The kinds of findings per check. An error fails the run, a warning does not. */
export const CI_FINDING_LEVELS = {
  validate: { problem: "error", unreadable: "error" },
  verify: {
    broken: "error",
    finding: "warning",
    unproved: "warning",
    uncovered: "warning",
    unbrought: "warning",
    altered: "warning",
    "one-reporter": "warning",
    unreadable: "error",
  },
  drift: { high: "error", medium: "error", low: "warning", unreadable: "error" },
  trace: {
    orphan: "error",
    "no-code": "error",
    "no-tests": "error",
    untested: "error",
    uncarried: "error",
    "no-docs": "warning",
    stale: "warning",
    unreadable: "error",
  },
  run: {
    failed: "error",
    unknown: "error",
    "already-failing": "warning",
    unlocked: "warning",
    uncommitted: "warning",
    untested: "warning",
    unreadable: "error",
  },
} as const satisfies Record<CiCheck, Readonly<Record<string, CiLevel>>> & {
  readonly drift: Readonly<Record<DriftSeverity, CiLevel>>;
  readonly trace: Readonly<Record<TraceProblem["kind"], CiLevel>>;
};

export interface CiFinding {
  readonly check: CiCheck;
  /** A key of `CI_FINDING_LEVELS`; `unreadable` if the check could not run. */
  readonly kind: string;
  readonly level: CiLevel;
  readonly problem: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

type CiFindingKind<Check extends CiCheck> = keyof (typeof CI_FINDING_LEVELS)[Check];

export function createCiFinding<Check extends CiCheck>(
  check: Check,
  kind: CiFindingKind<Check>,
  place: Pick<CiFinding, "problem" | "path" | "line">,
): CiFinding {
  const levels: Readonly<Record<PropertyKey, CiLevel>> = CI_FINDING_LEVELS[check];
  return { check, kind: String(kind), level: levels[kind] ?? "error", ...place };
}

export const escalateCiWarnings = (findings: readonly CiFinding[]): CiFinding[] =>
  findings.map((finding) => ({ ...finding, level: "error" }));

export const formatCiAnnotations = (findings: readonly CiFinding[]): string[] =>
  findings.map(({ level, check, problem, path, line }) =>
    formatGithubAnnotation({ level, title: `tenon ${check}`, message: problem, path, line }),
  );

export const CI_EXAMPLES = {
  github: ".github/workflows/tenon.yml",
  "pre-commit": ".pre-commit-config.yaml",
  "pre-receive": "hooks/pre-receive",
} as const;

export type CiExample = keyof typeof CI_EXAMPLES;
