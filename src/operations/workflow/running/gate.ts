import type { Problem } from "#domain/gate/verdict.ts";
import {
  fixProblems,
  regressionProblems,
  reproductionProblems,
  rootCauseProblems,
} from "#domain/spec/yaml/bug-checks.ts";
import { isOf, specProblems } from "#domain/spec/yaml/checks.ts";
import {
  contractProblems,
  criteriaProblems,
  dependencyProblems,
  scenarioProblems,
  successProblems,
} from "#domain/spec/yaml/feature-checks.ts";
import { markerProblems } from "#domain/spec/yaml/markers.ts";
import type { SpecDocument } from "#domain/spec/yaml/read.ts";
import { matrixProblems, optionsProblems, recommendationProblems } from "#domain/spec/yaml/research-checks.ts";
import { type DocumentCheck, type Gate, gateOf } from "#domain/workflow/flows.ts";
import type { Approval, CheckResult, GateResult, WorkflowRecord } from "#domain/workflow/record.ts";
import type { Config } from "#domain/workspace/config.ts";
import { SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { readSpecDocument, type SpecReading } from "../../spec/read.ts";

export interface Judged {
  readonly gate: Gate;
  readonly checks: readonly CheckResult[];
  readonly passed: boolean;
  /** The user's word, if it was given with this call. */
  readonly approval?: Approval;
  readonly spec?: SpecReading;
}

/** What the gate of the current stage says: documents first, then what has to be run, then the user. */
export async function judge(
  engine: Engine,
  record: WorkflowRecord,
  approver: string | undefined,
  config: Config,
): Promise<Judged> {
  const gate = gateOf(record.kind, record.current_stage);
  const { spec, knownIds } = await readSpec(engine, record);
  const documents = gate.documents.map((check) => result(check, problemsOf(check, record, spec, knownIds)));
  const commands = await engine.checks.run({
    workflow: record.id,
    stage: record.current_stage,
    checks: gate.commands,
  });
  const approval = approver === undefined ? undefined : approve(record, approver, spec, engine.clock.now());
  const checks = [
    ...documents,
    ...commands,
    ...(gate.approval ? [approvalResult(gate.approval, record, approval, spec)] : []),
  ].map((check) => waived(check, config));
  const passed = checks.every(({ status }) => status === "passed" || status === "waived");
  return { gate, checks, passed, ...(approval ? { approval } : {}), ...(spec ? { spec } : {}) };
}

async function readSpec(
  engine: Engine,
  { id }: WorkflowRecord,
): Promise<{ spec: SpecReading | undefined; knownIds: ReadonlySet<string> }> {
  const { reading, names } = await engine.store.read((tree) => ({
    reading: readSpecDocument(engine, tree, id),
    names: tree.names(SPEC_FOLDER),
  }));
  return { spec: await reading, knownIds: new Set(names.map((name) => name.replace(/\.yaml$/, ""))) };
}

const result = (check: string, problems: readonly Problem[]): CheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems: problems.map(({ problem, line }) => ({ problem, ...(line === undefined ? {} : { line }) })),
});

type Look = (document: SpecDocument, knownIds: ReadonlySet<string>) => readonly Problem[];

/** A check that a kind of spec has no part in passes; none of the gates asks for such a one. */
const LOOKS: Readonly<Record<Exclude<DocumentCheck, "spec-draft" | "spec-unchanged">, Look>> = {
  "spec-valid": (document, knownIds) => specProblems(document, "complete", knownIds),
  summary: (document) => stillOpen(document, /^(?:title|summary|symptom\.description)$/),
  "no-markers": ({ tree }) => markerProblems(tree),
  "criteria-testable": (document) =>
    isOf("feature", document) ? criteriaProblems(document) : isOf("bug", document) ? fixProblems(document) : [],
  "success-measurable": (document) => (isOf("feature", document) ? successProblems(document) : []),
  contracts: (document) => (isOf("feature", document) ? contractProblems(document) : []),
  scenarios: (document) => (isOf("feature", document) ? scenarioProblems(document) : []),
  dependencies: (document, knownIds) => (isOf("feature", document) ? dependencyProblems(document, knownIds) : []),
  reproduction: (document) =>
    isOf("bug", document) ? [...reproductionProblems(document), ...stillOpen(document, /^symptom\b/)] : [],
  "root-cause": (document) =>
    isOf("bug", document) ? [...rootCauseProblems(document), ...stillOpen(document, /^investigation\b/)] : [],
  "regression-plan": (document) => (isOf("bug", document) ? regressionProblems(document) : []),
  traced: ({ spec }) => tracedProblems(spec),
  options: (document) =>
    isOf("research", document) ? [...optionsProblems(document), ...stillOpen(document, /^options\b/)] : [],
  matrix: (document) => (isOf("research", document) ? matrixProblems(document) : []),
  recommendation: (document) => (isOf("research", document) ? recommendationProblems(document) : []),
};

/** Marks of what nobody has filled in yet, in the part of the spec that the stage is about. */
function stillOpen({ tree }: SpecDocument, part: RegExp): Problem[] {
  return markerProblems(tree).filter(({ field }) => part.test(field));
}

function problemsOf(
  check: DocumentCheck,
  record: WorkflowRecord,
  spec: SpecReading | undefined,
  knownIds: ReadonlySet<string>,
): readonly Problem[] {
  if (!spec) return [{ problem: `${specFile(record.id)} is missing.` }];
  if (check === "spec-unchanged") return unchangedProblems(record, spec);
  if (check === "spec-draft") return spec.problems;
  if (!spec.document) return check === "spec-valid" ? spec.problems : [{ problem: "The spec cannot be read." }];
  return LOOKS[check](spec.document, knownIds);
}

/** What was agreed to must still be what is built. */
function unchangedProblems({ approvals }: WorkflowRecord, { hash }: SpecReading): Problem[] {
  const last = approvals.at(-1);
  if (last?.spec === hash) return [];
  return [
    {
      problem: last
        ? `The spec changed after ${last.by} agreed to it: give approve again, or go back to specify.`
        : "Nobody agreed to the spec.",
    },
  ];
}

/** A finished spec says which code and which tests carry it. */
function tracedProblems(spec: SpecDocument["spec"]): Problem[] {
  const trace = "trace" in spec ? spec.trace : undefined;
  return (["code", "tests"] as const)
    .filter((side) => (trace?.[side] ?? []).length === 0)
    .map((side) => ({ problem: `trace.${side} is empty: name the files, as src/login.ts:15.` }));
}

function approve(record: WorkflowRecord, by: string, spec: SpecReading | undefined, at: string): Approval | undefined {
  return spec && { stage: record.current_stage, by: by.trim(), at, spec: spec.hash };
}

function approvalResult(
  what: string,
  { approvals, current_stage }: WorkflowRecord,
  given: Approval | undefined,
  spec: SpecReading | undefined,
): CheckResult {
  const before = approvals.findLast(({ stage }) => stage === current_stage);
  if (given || (before && before.spec === spec?.hash)) return result("approval", []);
  return result("approval", [
    {
      problem: before
        ? `${before.by} agreed on ${before.at}, but the spec changed since.`
        : `The user has not agreed that ${what.includes(" is ") || what.startsWith("every") ? what : `${what} is right`}: ask, then give their name as approve.`,
    },
  ]);
}

/** Unknown does not pass, unless the settings say why it may. What was found wrong is never waived. */
function waived(check: CheckResult, { gates }: Config): CheckResult {
  const reason = gates.waived[check.check];
  return check.status === "unknown" && reason !== undefined
    ? { ...check, status: "waived", problems: [], reason }
    : check;
}

/** As the record keeps it. */
export const asResult = (
  { gate, checks, passed }: Judged,
  stage: string,
  at: string,
  tree: string | undefined,
): GateResult => ({
  gate: gate.name,
  stage,
  passed,
  at,
  ...(tree ? { tree } : {}),
  checks: checks.map(({ check, status }) => ({ check, status })),
});
