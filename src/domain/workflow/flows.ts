import type { Flow } from "../flow/flow.ts";
import type { SpecStatus } from "../spec/yaml/common-fields.ts";
import type { CommandCheck } from "../workspace/config.ts";

export const WORKFLOW_KINDS = ["feature", "bugfix", "research"] as const;
export type WorkflowKind = (typeof WORKFLOW_KINDS)[number];

export interface Gate {
  readonly name: string;
  readonly documents: readonly DocumentCheck[];
  readonly commands: readonly CommandCheck[];
  /** Subject of the approval, if the user must approve. */
  readonly approval?: string;
}

export type DocumentCheck =
  | "spec-draft"
  | "summary"
  | "spec-valid"
  | "no-markers"
  | "criteria-testable"
  | "success-measurable"
  | "contracts"
  | "scenarios"
  | "dependencies"
  | "reproduction"
  | "root-cause"
  | "regression-plan"
  | "spec-unchanged"
  | "traced"
  | "options"
  | "matrix"
  | "recommendation";

interface GatedStage {
  readonly name: string;
  readonly gate: Gate;
}

const stage = (name: string, gate: Gate): GatedStage => ({ name, gate });

const IMPLEMENTED: readonly CommandCheck[] = [
  "tests",
  "lint",
  "types",
  "format",
  "tags",
  "shortcuts",
  "tests-kept",
  "tests-seen-to-fail",
  "coverage",
];

const STAGES: Readonly<Record<WorkflowKind, readonly GatedStage[]>> = {
  feature: [
    stage("discover", {
      name: "gate-1-specify",
      documents: ["spec-draft", "summary"],
      commands: [],
      approval: "what is to be built is understood",
    }),
    stage("specify", {
      name: "gate-2-architect",
      documents: [
        "spec-valid",
        "no-markers",
        "criteria-testable",
        "success-measurable",
        "contracts",
        "scenarios",
        "dependencies",
      ],
      commands: [],
      approval: "the spec",
    }),
    stage("implement", {
      name: "gate-3-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: IMPLEMENTED,
    }),
    stage("verify", {
      name: "gate-4-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "tags", "criteria", "shortcuts", "tests-kept", "drift", "documentation"],
      approval: "every acceptance criterion is met",
    }),
  ],
  bugfix: [
    stage("investigate", {
      name: "investigation",
      documents: ["spec-draft", "summary", "reproduction", "root-cause"],
      commands: [],
      approval: "the root cause",
    }),
    stage("specify-fix", {
      name: "gate-1-bugfix-specify",
      documents: ["spec-valid", "no-markers", "criteria-testable", "regression-plan"],
      commands: [],
      approval: "the way to mend it",
    }),
    stage("fix", {
      name: "gate-2-bugfix-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: ["regression-seen-to-fail", "tests", "lint", "types", "format", "tags", "tests-kept"],
    }),
    stage("verify", {
      name: "gate-3-bugfix-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "shortcuts", "tests-kept", "drift"],
      approval: "the bug is gone",
    }),
  ],
  research: [
    stage("explore", { name: "exploration", documents: ["spec-draft", "options"], commands: [] }),
    stage("synthesize", {
      name: "synthesis",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
    }),
    stage("decide", {
      name: "decision",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
      approval: "the decision",
    }),
  ],
};

export const workflowFlow = (kind: WorkflowKind): Flow => ({ stages: STAGES[kind].map(({ name }) => ({ name })) });

export function gateOf(kind: WorkflowKind, name: string): Gate {
  const found = STAGES[kind].find((each) => each.name === name);
  if (!found) throw new RangeError(`A ${kind} has no stage ${name}.`);
  return found.gate;
}

/** Only these gates leave a receipt. The others can be evaluated again at any time. */
export const runningGates = (kind: WorkflowKind): string[] =>
  STAGES[kind].filter(({ gate }) => gate.commands.length > 0).map(({ gate }) => gate.name);

export function specStatusAfter(kind: WorkflowKind, stageName: string): SpecStatus | undefined {
  const words: Readonly<Record<string, SpecStatus>> = {
    specify: "specified",
    "specify-fix": "specified",
    implement: "implemented",
    fix: "implemented",
    verify: "done",
    decide: "done",
  };
  return kind === "research" && stageName !== "decide" ? undefined : words[stageName];
}
