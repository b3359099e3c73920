import type { Flow } from "../flow/flow.ts";
import type { SpecStatus } from "../spec/yaml/common-fields.ts";
import type { CommandCheck } from "../workspace/config.ts";

export const WORKFLOW_KINDS = ["feature", "bugfix", "research"] as const;
export type WorkflowKind = (typeof WORKFLOW_KINDS)[number];

export interface StageGate {
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
  readonly gate: StageGate;
}

const createGatedStage = (name: string, gate: StageGate): GatedStage => ({ name, gate });

const IMPLEMENTATION_CHECKS: readonly CommandCheck[] = [
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

const WORKFLOW_STAGES: Readonly<Record<WorkflowKind, readonly GatedStage[]>> = {
  feature: [
    createGatedStage("discover", {
      name: "gate-1-specify",
      documents: ["spec-draft", "summary"],
      commands: [],
      approval: "what is to be built is understood",
    }),
    createGatedStage("specify", {
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
    createGatedStage("implement", {
      name: "gate-3-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: IMPLEMENTATION_CHECKS,
    }),
    createGatedStage("verify", {
      name: "gate-4-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "tags", "criteria", "shortcuts", "tests-kept", "drift", "documentation"],
      approval: "every acceptance criterion is met",
    }),
  ],
  bugfix: [
    createGatedStage("investigate", {
      name: "investigation",
      documents: ["spec-draft", "summary", "reproduction", "root-cause"],
      commands: [],
      approval: "the root cause",
    }),
    createGatedStage("specify-fix", {
      name: "gate-1-bugfix-specify",
      documents: ["spec-valid", "no-markers", "criteria-testable", "regression-plan"],
      commands: [],
      approval: "the way to mend it",
    }),
    createGatedStage("fix", {
      name: "gate-2-bugfix-implement",
      documents: ["spec-valid", "spec-unchanged"],
      commands: ["regression-seen-to-fail", "tests", "lint", "types", "format", "tags", "tests-kept"],
    }),
    createGatedStage("verify", {
      name: "gate-3-bugfix-verify",
      documents: ["spec-valid", "spec-unchanged", "traced"],
      commands: ["tests", "build", "shortcuts", "tests-kept", "drift"],
      approval: "the bug is gone",
    }),
  ],
  research: [
    createGatedStage("explore", { name: "exploration", documents: ["spec-draft", "options"], commands: [] }),
    createGatedStage("synthesize", {
      name: "synthesis",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
    }),
    createGatedStage("decide", {
      name: "decision",
      documents: ["spec-valid", "options", "no-markers", "matrix", "recommendation"],
      commands: [],
      approval: "the decision",
    }),
  ],
};

export const getWorkflowFlow = (kind: WorkflowKind): Flow => ({
  stages: WORKFLOW_STAGES[kind].map(({ name }) => ({ name })),
});

export function findStageGate(kind: WorkflowKind, name: string): StageGate {
  const found = WORKFLOW_STAGES[kind].find((each) => each.name === name);
  if (!found) throw new RangeError(`A ${kind} has no stage ${name}.`);
  return found.gate;
}

/** Only these gates leave a receipt. The others can be evaluated again at any time. */
export const listCommandGates = (kind: WorkflowKind): string[] =>
  WORKFLOW_STAGES[kind].filter(({ gate }) => gate.commands.length > 0).map(({ gate }) => gate.name);

export function findSpecStatusAfterStage(kind: WorkflowKind, stageName: string): SpecStatus | undefined {
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
