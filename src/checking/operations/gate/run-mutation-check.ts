import {
  type MutationSummary,
  classifyMutationRun,
  summarizeMutations,
  type MutationTrial,
  sampleMutations,
  applyMutation,
  type Mutation,
  createMutations,
  describeSurvivor,
} from "../../model/mutation/mutation-check.ts";
import {
  type CriterionTarget,
  listCriterionTargets,
  formatCriterionTarget,
  type TargetTest,
  findTargetTests,
  findCriterionLines,
} from "../../model/mutation/criterion-code.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { TestReport } from "../../model/report/test-report.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { isSourceFile, isTestFile, findFileStack } from "#code/model/scan/test-files.ts";
import { type FolderStack, findTestCheck } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import { listBorrowedFolders } from "./run-tests-on-base.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import { createProblemResult, createUnknownResult } from "../../model/gate/check-outcome.ts";
import type { TrustedChecks, CheckRuling } from "./load-trusted-checks.ts";
import { runCheck } from "./run-check.ts";

export interface MutationRequest {
  readonly spec: string;
  readonly criterion?: string | undefined;
  readonly most: number;
  readonly minutes: number;
  readonly stacks: readonly FolderStack[];
  test(stack: FolderStack, root: string): Promise<TestReport | "endless" | undefined>;
  mayHold(stack: FolderStack, told: string, path: string): boolean;
}

export interface CriterionMutations extends MutationSummary {
  readonly name: string;
  readonly problem?: string | undefined;
}

type MutationEngine = Pick<CheckingEngine, "source" | "snapshots" | "syntax" | "clock" | "progress"> & {
  readonly worktrees: Pick<CheckingEngine["worktrees"], "lend">;
};

/**
 * Mutates the code of each criterion, one small change at a time, and checks whether one of its tests fails. Works in a
 * temporary checkout and only reads the user's files.
 */
export async function mutateCriteria(engine: MutationEngine, biting: MutationRequest): Promise<CriterionMutations[]> {
  const files = await loadTaggedFiles(engine, biting);
  const plans: CriterionPlan[] = [];
  for (const aim of chooseCriterionTargets(files, biting))
    plans.push(await planCriterionMutations(engine, biting, files, aim));
  if (plans.every(({ problem }) => problem !== undefined)) return plans.map((plan) => createCriterionResult(plan, []));
  await using lent = await createMutationCheckout(engine, biting);
  const judged = await rejectFailingPlans(biting, plans, lent.root);
  const tried = await runMutationTrials(engine, biting, judged, lent);
  return judged.map((plan) => createCriterionResult(plan, tried.get(plan) ?? []));
}

async function runMutationTrials(
  engine: MutationEngine,
  biting: MutationRequest,
  plans: readonly CriterionPlan[],
  lent: TemporaryCheckout,
): Promise<Map<CriterionPlan, MutationTrial[]>> {
  const { progress, clock } = engine;
  const begun = clock.now();
  const isOver = (): boolean =>
    progress.cancelled.aborted || countSecondsBetween(begun, clock.now()) >= biting.minutes * 60;
  const tries = interleaveMutations(plans.filter(({ problem }) => problem === undefined)).slice(0, biting.most);
  const tried = new Map<CriterionPlan, MutationTrial[]>();
  for (const [at, { plan, way }] of tries.entries()) {
    if (isOver()) break;
    const { mutation, stack, text } = way;
    progress.tell(`${plan.name}: ${mutation.path}:${mutation.line}`, at, tries.length);
    await lent.put(mutation.path, applyMutation(text, mutation));
    const report = await biting.test(stack, lent.root);
    await lent.put(mutation.path, text);
    // A cancellation ends the tests too. That is not a failed test.
    if (progress.cancelled.aborted) break;
    const fate = classifyMutationRun(report, plan.targets, (file, path) => biting.mayHold(stack, file, path));
    tried.set(plan, [...(tried.get(plan) ?? []), { mutation, fate }]);
  }
  return tried;
}

interface TaggedFile {
  readonly path: string;
  readonly text: string;
  readonly look: CodeScan;
  readonly stack: FolderStack;
  readonly isTest: boolean;
}

interface PlannedMutation {
  readonly mutation: Mutation;
  readonly stack: FolderStack;
  readonly text: string;
}

interface CriterionPlan {
  readonly name: string;
  readonly targets: readonly TargetTest[];
  readonly all: readonly PlannedMutation[];
  readonly chosen: readonly PlannedMutation[];
  readonly problem?: string | undefined;
}

async function loadTaggedFiles(
  { source, syntax }: MutationEngine,
  { spec, stacks }: MutationRequest,
): Promise<TaggedFile[]> {
  const found: TaggedFile[] = [];
  for (const { path } of await source.files()) {
    const stack = findFileStack(path, stacks);
    const isTest = isTestFile(path, stacks);
    if (stack === undefined || !(isTest || isSourceFile(path, stacks))) continue;
    const text = await source.text(path, 1_048_576);
    const look = text?.includes(spec) === true ? await syntax.look(path, text) : undefined;
    if (text !== undefined && look !== undefined) found.push({ path, text, look, stack, isTest });
  }
  return found;
}

function chooseCriterionTargets(files: readonly TaggedFile[], { spec, criterion }: MutationRequest): CriterionTarget[] {
  if (criterion !== undefined) return [{ spec, criterion }];
  const aims = files.filter(({ isTest }) => !isTest).flatMap(({ look }) => listCriterionTargets(look, spec));
  const unique = [...new Map(aims.map((aim) => [formatCriterionTarget(aim), aim])).values()];
  return unique.length > 0 ? unique : [{ spec }];
}

async function planCriterionMutations(
  engine: MutationEngine,
  biting: MutationRequest,
  files: readonly TaggedFile[],
  aim: CriterionTarget,
): Promise<CriterionPlan> {
  const { spec } = biting;
  const code = files.filter(({ isTest }) => !isTest);
  // If no code names the criterion, all code of the spec is used.
  const isNamed = code.some(({ look }) => findCriterionLines(look, aim).length > 0);
  const exact = files.flatMap(({ path, look, isTest }) => findTargetTests(path, look, aim, isTest));
  const targets =
    exact.length > 0 ? exact : files.flatMap(({ path, look, isTest }) => findTargetTests(path, look, { spec }, isTest));
  const all: PlannedMutation[] = [];
  for (const { path, text, look, stack } of code) {
    const lines = findCriterionLines(look, isNamed ? aim : { spec });
    if (lines.length === 0) continue;
    const sites = await engine.syntax.sites(path, text);
    const mutations = createMutations({ path, text, language: look.language }, sites, lines);
    all.push(...mutations.map((mutation) => ({ mutation, stack, text })));
  }
  const name = formatCriterionTarget(aim);
  const wayOf = new Map(all.map((way) => [way.mutation, way]));
  const some = sampleMutations([...wayOf.keys()], biting.most, name).flatMap((mutation) => wayOf.get(mutation) ?? []);
  const problem =
    targets.length === 0
      ? `No test says that it is for ${name}.`
      : all.length === 0
        ? `No code that could be made wrong says that it is for ${name}.`
        : undefined;
  return { name, targets, all, chosen: some, problem };
}

/** One mutation of each criterion, then the next of each, so that each gets its share of the time. */
function interleaveMutations(plans: readonly CriterionPlan[]): { plan: CriterionPlan; way: PlannedMutation }[] {
  const rounds = plans.flatMap((plan) => plan.chosen.map((way, round) => ({ plan, way, round })));
  return rounds.toSorted((one, other) => one.round - other.round);
}

async function createMutationCheckout({ source, snapshots, worktrees }: MutationEngine, { stacks }: MutationRequest) {
  const commit = await source.head();
  if (commit === undefined) {
    throw new Fault("gate.no-base", {
      what: "The tests cannot be tried on wrong code.",
      why: "That happens in a copy of the files, which is made from the commit that is checked out, and there is none.",
      fix: 'git commit --allow-empty -m "Begin"',
    });
  }
  return worktrees.lend({ commit, over: await snapshots.uncommitted(), linked: listBorrowedFolders(stacks) });
}

/** A failure proves something only if the tests pass on the original code. */
async function rejectFailingPlans(
  biting: MutationRequest,
  plans: readonly CriterionPlan[],
  root: string,
): Promise<CriterionPlan[]> {
  const reports = new Map<FolderStack, Awaited<ReturnType<MutationRequest["test"]>>>();
  const judged: CriterionPlan[] = [];
  for (const plan of plans) {
    let isSound = true;
    for (const stack of new Set(plan.all.map((way) => way.stack))) {
      if (!reports.has(stack)) reports.set(stack, await biting.test(stack, root));
      const mayHold = (file: string, path: string): boolean => biting.mayHold(stack, file, path);
      isSound &&= classifyMutationRun(reports.get(stack), plan.targets, mayHold) === "survived";
    }
    const unsound = isSound ? undefined : `The tests for ${plan.name} do not pass on the code as it is.`;
    judged.push({ ...plan, problem: plan.problem ?? unsound });
  }
  return judged;
}

function createCriterionResult(
  { name, all, problem }: CriterionPlan,
  tried: readonly MutationTrial[],
): CriterionMutations {
  const sum = summarizeMutations(tried, all.length);
  const unproven =
    sum.tried === 0
      ? "There was no time to try anything."
      : `None of the ${formatCount(sum.tried, "mutation")} could be built and tested, so nobody knows.`;
  return { name, ...sum, problem: problem ?? (sum.bitten + sum.survivors.length === 0 ? unproven : undefined) };
}

export const runMutationCheck = (
  engine: CheckingEngine,
  rules: TrustedChecks,
  asked: Pick<MutationRequest, "spec" | "criterion" | "most" | "minutes">,
): Promise<CriterionMutations[]> => mutateCriteria(engine, { ...asked, ...createMutationRunner(engine, rules) });

export async function createMutationResult(
  engine: CheckingEngine,
  { rules, refused }: CheckRuling,
  spec: string,
): Promise<GateCheckResult> {
  if (!rules) return createUnknownResult("bite", refused ?? "Nothing may be run.");
  const found = await runMutationCheck(engine, rules, { spec, most: 20, minutes: 5 });
  const problems = found.flatMap(({ name, problem, survivors }) => [
    ...(problem === undefined ? [] : [{ problem }]),
    ...survivors.map(({ path, line, shown: { before, after } }) => ({
      problem: `${path}: ${describeSurvivor(name, before, after)}`,
      line,
    })),
  ]);
  return createProblemResult("bite", problems);
}

/** Limits the time by the first run, because mutated code may loop forever. */
function createMutationRunner(
  engine: CheckingEngine,
  { definitions, passes }: TrustedChecks,
): Pick<MutationRequest, "stacks" | "test" | "mayHold"> {
  const usual = new Map<FolderStack, number>();
  return {
    stacks: definitions.stacks.filter((stack) => findTestCheck(stack) !== undefined),
    async test(stack, root) {
      const check = findTestCheck(stack);
      if (!check) return undefined;
      const took = usual.get(stack);
      const timeout_s = took === undefined ? check.timeout_s : Math.min(check.timeout_s, Math.ceil(took * 5) + 10);
      const planned = { name: "bite", stack, check: { ...check, timeout_s } };
      const { report, outcome, receipt } = await runCheck(engine, root, planned, passes);
      if (took === undefined) usual.set(stack, (receipt.ms ?? 0) / 1000);
      return outcome.failure === "transient" ? "endless" : report;
    },
    mayHold(stack, told, path) {
      const format = findTestCheck(stack)?.report?.format;
      return format !== undefined && canReportFile(format, told, path);
    },
  };
}
