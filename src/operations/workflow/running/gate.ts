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
import { COMMAND_CHECKS, type Config } from "#domain/workspace/config.ts";
import { SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { checkAll, type Checked } from "../../gate/running/checking.ts";
import { documentationProblems } from "../../gate/running/looking.ts";
import { rulingFor } from "../../gate/running/rules.ts";
import { readSpecDocument, type SpecReading } from "../../spec/read.ts";

export interface Judged {
  readonly gate: Gate;
  readonly checks: readonly CheckResult[];
  readonly passed: boolean;
  /** True if only the user's approval is missing. */
  readonly isProven: boolean;
  /** The commands that ran now. Missing if an earlier run is still valid or the gate has no commands. */
  readonly ran?: Checked;
  readonly criteria?: readonly string[];
  readonly ran_on?: GateResult["ran_on"];
  readonly approval?: Approval;
  readonly spec?: SpecReading;
}

interface Judging {
  readonly session: string;
  readonly approver?: string | undefined;
  readonly isFresh?: boolean;
  /** A dry run must not fix files. */
  readonly isOnlyLooking?: boolean;
}

export async function judge(engine: Engine, record: WorkflowRecord, judging: Judging): Promise<Judged> {
  const { session, approver, isFresh = false, isOnlyLooking = false } = judging;
  const gate = gateOf(record.kind, record.current_stage);
  const { spec, knownIds } = await readSpec(engine, record);
  const agreed = spec && agreedHash(engine, spec);
  const given =
    approver === undefined || agreed === undefined
      ? undefined
      : { stage: record.current_stage, by: approver.trim(), at: engine.clock.now(), spec: agreed };
  const standing = { given, agreed, approvals: record.approvals };
  const documents = documentResults(gate, record, spec, knownIds, standing);
  const criteria = criteriaOf(spec?.document);
  const earlier = isFresh ? undefined : await stillHolds(engine, record, gate, criteria);
  const asked = gate.commands.filter((check) => check !== "documentation");
  const ran =
    asked.length > 0 && !earlier
      ? await checkAll(engine, { record, session, checks: asked, criteria, mayMend: !isOnlyLooking })
      : undefined;
  const commands = ran ? ran.results.map((check) => waived(check, ran.gates)) : (earlier?.checks ?? []);
  const gates = ran?.gates ?? earlier?.gates;
  // The documents named by the spec may have changed since, so this cheap check always runs.
  const told =
    gates && gate.commands.includes("documentation")
      ? [waived(await documentation(engine, record, docsOf(spec?.document)), gates)]
      : [];
  const proven = [...documents, ...commands, ...told];
  const checks = gate.approval ? [...proven, approvalResult(gate.approval, record.current_stage, standing)] : proven;
  const isGood = ({ status }: CheckResult): boolean => status === "passed" || status === "waived";
  return {
    gate,
    checks,
    passed: checks.every(isGood),
    isProven: proven.every(isGood),
    ...(ran ? { ran } : {}),
    ...(gate.commands.includes("criteria") ? { criteria } : {}),
    ...(earlier ? { ran_on: earlier.ran_on } : {}),
    ...(given ? { approval: given } : {}),
    ...(spec ? { spec } : {}),
  };
}

interface Earlier {
  readonly checks: CheckResult[];
  readonly ran_on: NonNullable<GateResult["ran_on"]>;
  readonly gates: Config["gates"];
}

async function stillHolds(
  engine: Engine,
  { gates, base_commit }: WorkflowRecord,
  { name, commands }: Gate,
  criteria: readonly string[],
): Promise<Earlier | undefined> {
  const last = gates.find(({ gate }) => gate === name);
  const { ran_on } = last ?? {};
  if (!last || !ran_on || commands.length === 0) return undefined;
  // The spec is not part of the hashed files.
  if (commands.includes("criteria") && !criteria.every((each) => ran_on.criteria?.includes(each))) return undefined;
  const known = last.checks.filter(
    ({ check }) => check !== "documentation" && COMMAND_CHECKS.some((each) => each === check),
  );
  if (known.some(({ status }) => status !== "passed" && status !== "waived")) return undefined;
  if (!(await engine.snapshots.isPossible()) || (await engine.snapshots.sourceTree()) !== ran_on.tree) return undefined;
  const { rules, gates: by } = await rulingFor(engine, base_commit);
  if (rules?.hash !== ran_on.rules) return undefined;
  const checks = known.map(({ check, status }): CheckResult => {
    const reason = status === "waived" ? by.waived[check] : undefined;
    return { check, status, problems: [], ...(reason === undefined ? {} : { reason }) };
  });
  return { checks, ran_on, gates: by };
}

async function documentation(engine: Engine, record: WorkflowRecord, docs: readonly string[]): Promise<CheckResult> {
  const check = "documentation";
  const reason = "trace.docs of the spec is empty: name the document that tells users of it.";
  if (docs.length === 0) return { check, status: "unknown", problems: [], reason };
  return result(check, await documentationProblems(engine, record, docs));
}

function docsOf(document: SpecDocument | undefined): readonly string[] {
  return document && "trace" in document.spec ? (document.spec.trace?.docs ?? []) : [];
}

/** Only features have criteria that tests can name. A bug fix is proven by its regression test. */
function criteriaOf(document: SpecDocument | undefined): readonly string[] {
  return document && isOf("feature", document) ? document.spec.acceptance_criteria.map(({ id }) => id) : [];
}

/** The approval covers the content of the spec without trace, status, metadata and comments. */
function agreedHash({ digest }: Pick<Engine, "digest">, { document, text }: SpecReading): string {
  if (!document) return digest(text);
  const { trace: _, metadata: __, status: ___, ...said } = document.spec as unknown as Record<string, unknown>;
  return digest(JSON.stringify(said));
}

interface Standing {
  readonly given: Approval | undefined;
  readonly agreed: string | undefined;
  readonly approvals: readonly Approval[];
}

/** A problem of a named check is not repeated by `spec-valid`. */
function documentResults(
  gate: Gate,
  record: WorkflowRecord,
  spec: SpecReading | undefined,
  knownIds: ReadonlySet<string>,
  standing: Standing,
): CheckResult[] {
  const found = gate.documents.map((check) => ({
    check,
    problems: problemsOf(check, record, spec, knownIds, standing),
  }));
  const named = found.filter(({ check }) => check !== "spec-valid").flatMap(({ problems }) => problems);
  const isTold = ({ problem, line }: Problem): boolean =>
    named.some((other) => other.problem === problem && other.line === line);
  return found.map(({ check, problems }) =>
    result(check, check === "spec-valid" && spec?.document ? problems.filter((each) => !isTold(each)) : problems),
  );
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

/** A check that does not apply to a kind of spec passes. No gate asks for one. */
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

function stillOpen({ tree }: SpecDocument, part: RegExp): Problem[] {
  return markerProblems(tree).filter(({ field }) => part.test(field));
}

function problemsOf(
  check: DocumentCheck,
  record: WorkflowRecord,
  spec: SpecReading | undefined,
  knownIds: ReadonlySet<string>,
  standing: Standing,
): readonly Problem[] {
  if (!spec) return [{ problem: `${specFile(record.id)} is missing.` }];
  if (check === "spec-unchanged") return unchangedProblems(standing);
  if (check === "spec-draft") return spec.problems;
  if (!spec.document) return check === "spec-valid" ? spec.problems : [{ problem: "The spec cannot be read." }];
  return LOOKS[check](spec.document, knownIds);
}

function unchangedProblems({ given, agreed, approvals }: Standing): Problem[] {
  const last = given ?? approvals.at(-1);
  if (last !== undefined && last.spec === agreed) return [];
  return [
    {
      problem: last
        ? `The spec says something else than when ${last.by} agreed to it: ask again, and give their name as approve.`
        : "Nobody agreed to the spec.",
    },
  ];
}

function tracedProblems(spec: SpecDocument["spec"]): Problem[] {
  const trace = "trace" in spec ? spec.trace : undefined;
  return (["code", "tests"] as const)
    .filter((side) => (trace?.[side] ?? []).length === 0)
    .map((side) => ({ problem: `trace.${side} is empty: name the files, as src/login.ts:15.` }));
}

function approvalResult(what: string, stage: string, { given, agreed, approvals }: Standing): CheckResult {
  const before = approvals.findLast((approval) => approval.stage === stage);
  if (given || (before !== undefined && before.spec === agreed)) return result("approval", []);
  return result("approval", [
    {
      problem: before
        ? `${before.by} agreed on ${before.at}, but the spec says something else now.`
        : `The user has not agreed to this: ${what}. Ask, then give their name as approve.`,
    },
  ]);
}

/** A reason in the settings waives an unknown result, never a failed one. */
function waived(check: CheckResult, { waived: reasons }: Config["gates"]): CheckResult {
  const reason = reasons[check.check];
  return check.status === "unknown" && reason !== undefined
    ? { ...check, status: "waived", problems: [], reason }
    : check;
}

export const asResult = (
  { gate, checks, passed, ran, ran_on, criteria }: Judged,
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
  ...(ran?.tree && ran.rules
    ? { ran_on: { tree: ran.tree, rules: ran.rules, ...(criteria ? { criteria } : {}) } }
    : ran_on
      ? { ran_on }
      : {}),
});
