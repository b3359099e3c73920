import {
  applyMutation,
  classifyMutationRun,
  createMutations,
  type CriterionTarget,
  describeSurvivor,
  findCriterionLines,
  findTargetTests,
  formatCriterionTarget,
  listCriterionTargets,
  type Mutation,
  type MutationSummary,
  type MutationTrial,
  sampleMutations,
  summarizeMutations,
  type TargetTest,
} from "../../model/mutation/mutation-check.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { TestReport } from "../../model/report/test-report.ts";
import { isSourceFile, isTestFile, findFileStack } from "#code/model/scan/test-files.ts";
import { type FolderStack, findTestCheck, listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
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

/** One small change at a time, in a temporary checkout. Only reads the user's files. */
export async function mutateCriteria(engine: MutationEngine, request: MutationRequest): Promise<CriterionMutations[]> {
  const files = await loadTaggedFiles(engine, request);
  const plans: CriterionPlan[] = [];
  const { spec, criterion } = request;
  const tagged = files.flatMap(({ look, isTest }) => (isTest ? [] : listCriterionTargets(look, spec)));
  const unique = [...new Map(tagged.map((aim) => [formatCriterionTarget(aim), aim])).values()];
  const aims = unique.length > 0 ? unique : [{ spec }];
  for (const aim of criterion === undefined ? aims : [{ spec, criterion }])
    plans.push(await planCriterionMutations(engine, request, files, aim));
  if (plans.every(({ problem }) => problem !== undefined)) return plans.map((plan) => createCriterionResult(plan, []));
  const commit = await engine.source.head();
  if (commit === undefined)
    throw new Fault("gate.no-base", {
      what: "The mutation check cannot run.",
      why: "It needs a commit to copy the files from, and there is none.",
      fix: 'git commit --allow-empty -m "Begin"',
    });
  const over = await engine.snapshots.uncommitted();
  await using lent = await engine.worktrees.lend({ commit, over, linked: listBorrowedFolders(request.stacks) });
  const judged = await rejectFailingPlans(request, plans, lent.root);
  const tried = await runMutationTrials(engine, request, judged, lent);
  return judged.map((plan) => createCriterionResult(plan, tried.get(plan) ?? []));
}

async function runMutationTrials(
  engine: MutationEngine,
  request: MutationRequest,
  plans: readonly CriterionPlan[],
  lent: TemporaryCheckout,
): Promise<Map<CriterionPlan, MutationTrial[]>> {
  const { progress, clock } = engine;
  const begun = clock.now();
  const isOver = (): boolean =>
    progress.cancelled.aborted || countSecondsBetween(begun, clock.now()) >= request.minutes * 60;
  // One mutation of each criterion, then the next of each, so that each gets its share of the time.
  const tries = plans
    .flatMap((plan) =>
      plan.problem === undefined ? plan.chosen.map((mutation, round) => ({ plan, mutation, round })) : [],
    )
    .toSorted((one, other) => one.round - other.round)
    .slice(0, request.most);
  const tried = new Map<CriterionPlan, MutationTrial[]>();
  for (const [at, { plan, mutation }] of tries.entries()) {
    if (isOver()) break;
    const { stack, text } = mutation;
    progress.tell(`${plan.name}: ${mutation.path}:${mutation.line}`, at, tries.length);
    await lent.put(mutation.path, applyMutation(text, mutation));
    const report = await request.test(stack, lent.root);
    await lent.put(mutation.path, text);
    // A cancellation ends the tests too. That is not a failed test.
    if (progress.cancelled.aborted) break;
    const fate = classifyMutationRun(report, plan.targets, (file, path) => request.mayHold(stack, file, path));
    tried.set(plan, [...(tried.get(plan) ?? []), { mutation, fate }]);
  }
  return tried;
}

type TaggedFile = Awaited<ReturnType<typeof loadTaggedFiles>>[number];
type CriterionPlan = Awaited<ReturnType<typeof planCriterionMutations>>;

async function loadTaggedFiles({ source, syntax }: MutationEngine, { spec, stacks }: MutationRequest) {
  const found = [];
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

async function planCriterionMutations(
  engine: MutationEngine,
  request: MutationRequest,
  files: readonly TaggedFile[],
  aim: CriterionTarget,
) {
  const { spec } = request;
  const code = files.filter(({ isTest }) => !isTest);
  // If no code names the criterion, all code of the spec is used.
  const isNamed = code.some(({ look }) => findCriterionLines(look, aim).length > 0);
  const findTests = (target: CriterionTarget): TargetTest[] =>
    files.flatMap(({ path, look, isTest }) => findTargetTests(path, look, target, isTest));
  const exact = findTests(aim);
  const targets = exact.length > 0 ? exact : findTests({ spec });
  const all: (Mutation & { readonly stack: FolderStack; readonly text: string })[] = [];
  for (const { path, text, look, stack } of code) {
    const lines = findCriterionLines(look, isNamed ? aim : { spec });
    if (lines.length === 0) continue;
    const sites = await engine.syntax.sites(path, text);
    const mutations = createMutations({ path, text, language: look.language }, sites, lines);
    all.push(...mutations.map((mutation) => ({ ...mutation, stack, text })));
  }
  const name = formatCriterionTarget(aim);
  const chosen = sampleMutations(all, request.most, name);
  const problem =
    targets.length === 0
      ? `No test is tagged with ${name}.`
      : all.length === 0
        ? `No code that Tenon can mutate is tagged with ${name}.`
        : undefined;
  return { name, targets, all, chosen, problem };
}

/** A failure proves something only if the tests pass on the original code. */
async function rejectFailingPlans(
  request: MutationRequest,
  plans: readonly CriterionPlan[],
  root: string,
): Promise<CriterionPlan[]> {
  const reports = new Map<FolderStack, Awaited<ReturnType<MutationRequest["test"]>>>();
  const judged: CriterionPlan[] = [];
  for (const plan of plans) {
    let isSound = true;
    for (const stack of new Set(plan.all.map((way) => way.stack))) {
      if (!reports.has(stack)) reports.set(stack, await request.test(stack, root));
      const mayHold = (file: string, path: string): boolean => request.mayHold(stack, file, path);
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
      ? "There was no time to try a mutation."
      : `None of the ${formatCount(sum.tried, "mutation")} could be built and tested, so the result is unknown.`;
  return { name, ...sum, problem: problem ?? (sum.detected + sum.survivors.length === 0 ? unproven : undefined) };
}

/** Limits the time by the first run, because mutated code may loop forever. */
export function runMutationCheck(
  engine: CheckingEngine,
  { definitions, passes }: TrustedChecks,
  asked: Pick<MutationRequest, "spec" | "criterion" | "most" | "minutes">,
): Promise<CriterionMutations[]> {
  const usual = new Map<FolderStack, number>();
  return mutateCriteria(engine, {
    ...asked,
    stacks: definitions.stacks.filter((stack) => findTestCheck(stack) !== undefined),
    async test(stack, root) {
      const check = findTestCheck(stack);
      if (!check) return undefined;
      const took = usual.get(stack);
      const timeout_s = took === undefined ? check.timeout_s : Math.min(check.timeout_s, Math.ceil(took * 5) + 10);
      const planned = { name: "mutation-check", stack, check: { ...check, timeout_s } };
      const { report, outcome, receipt } = await runCheck(engine, root, planned, passes);
      if (took === undefined) usual.set(stack, (receipt.ms ?? 0) / 1000);
      return outcome.failure === "transient" ? "endless" : report;
    },
    mayHold(stack, told, path) {
      const format = findTestCheck(stack)?.report?.format;
      return format !== undefined && canReportFile(format, told, path);
    },
  });
}

export async function createMutationResult(
  engine: CheckingEngine,
  { rules, refused }: CheckRuling,
  spec: string,
): Promise<GateCheckResult> {
  if (!rules) return createUnknownResult("mutation-check", refused ?? "No command may run.");
  const found = await runMutationCheck(engine, rules, { spec, most: 20, minutes: 5 });
  const problems = found.flatMap(({ name, problem, survivors }) => [
    ...(problem === undefined ? [] : [{ problem }]),
    ...survivors.map(({ path, line, shown: { before, after } }) => ({
      problem: `${path}: ${describeSurvivor(name, before, after)}`,
      line,
    })),
  ]);
  return createProblemResult("mutation-check", problems);
}
