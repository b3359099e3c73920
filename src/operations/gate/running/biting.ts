import {
  type MutationSummary,
  classifyMutationRun,
  summarizeMutations,
  type MutationTrial,
} from "#domain/bite/bite.ts";
import { sampleMutations, applyMutation, type Mutation, createMutations } from "#domain/bite/mutation.ts";
import {
  type CriterionTarget,
  listCriterionTargets,
  formatCriterionTarget,
  type TargetTest,
  findTargetTests,
  findCriterionLines,
} from "#domain/bite/traced.ts";
import { formatCount } from "#domain/count.ts";
import { countSecondsBetween } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { TestReport } from "#domain/report/tests.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { isSourceFile, isTestFile, findFileStack } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import type { Engine } from "../../engine.ts";
import type { TemporaryCheckout } from "../../ports/snapshots.ts";
import { listBorrowedFolders } from "./seeing.ts";

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
  readonly problem?: string;
}

type MutationEngine = Pick<Engine, "source" | "snapshots" | "syntax" | "clock" | "progress"> & {
  readonly worktrees: Pick<Engine["worktrees"], "lend">;
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
  readonly problem?: string;
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
  const problem = findPlanProblem(name, targets, all);
  return { name, targets, all, chosen: some, ...(problem === undefined ? {} : { problem }) };
}

function findPlanProblem(
  name: string,
  targets: readonly TargetTest[],
  all: readonly PlannedMutation[],
): string | undefined {
  if (targets.length === 0) return `No test says that it is for ${name}.`;
  return all.length === 0 ? `No code that could be made wrong says that it is for ${name}.` : undefined;
}

/** One mutation of each criterion, then the next of each, so that each gets its share of the time. */
function interleaveMutations(plans: readonly CriterionPlan[]): { plan: CriterionPlan; way: PlannedMutation }[] {
  const most = Math.max(0, ...plans.map((plan) => plan.chosen.length));
  return Array.from({ length: most }, (_, at) => at).flatMap((at) =>
    plans.flatMap((plan) => {
      const way = plan.chosen[at];
      return way === undefined ? [] : [{ plan, way }];
    }),
  );
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
  const linked = [...new Set(stacks.flatMap(listBorrowedFolders))];
  return worktrees.lend({ commit, over: await snapshots.uncommitted(), linked });
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
    const problem =
      plan.problem ?? (isSound ? undefined : `The tests for ${plan.name} do not pass on the code as it is.`);
    judged.push(problem === undefined ? plan : { ...plan, problem });
  }
  return judged;
}

function createCriterionResult(
  { name, all, problem }: CriterionPlan,
  tried: readonly MutationTrial[],
): CriterionMutations {
  const sum = summarizeMutations(tried, all.length);
  const said = problem ?? (sum.bitten + sum.survivors.length === 0 ? explainMissingResult(sum) : undefined);
  return { name, ...sum, ...(said === undefined ? {} : { problem: said }) };
}

const explainMissingResult = ({ tried }: MutationSummary): string =>
  tried === 0
    ? "There was no time to try anything."
    : `None of the ${formatCount(tried, "mutation")} could be built and tested, so nobody knows.`;
