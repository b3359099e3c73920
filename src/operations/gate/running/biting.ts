import { type Bite, fateOf, summed, type Tried } from "#domain/bite/bite.ts";
import { chosen, mutated, type Mutation, mutationsOf } from "#domain/bite/mutation.ts";
import { type Aim, aimsIn, nameOfAim, type Target, targetsIn, tracedLines } from "#domain/bite/traced.ts";
import { formatCount } from "#domain/count.ts";
import { countSecondsBetween } from "#domain/day.ts";
import { Fault } from "#domain/fault.ts";
import type { TestReport } from "#domain/report/tests.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { isSourceFile, isTestFile, findFileStack } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import type { Engine } from "../../engine.ts";
import type { TemporaryCheckout } from "../../ports/snapshots.ts";
import { borrowedBy } from "./seeing.ts";

export interface Biting {
  readonly spec: string;
  readonly criterion?: string | undefined;
  readonly most: number;
  readonly minutes: number;
  readonly stacks: readonly FolderStack[];
  test(stack: FolderStack, root: string): Promise<TestReport | "endless" | undefined>;
  mayHold(stack: FolderStack, told: string, path: string): boolean;
}

export interface BiteOf extends Bite {
  readonly name: string;
  readonly problem?: string;
}

type Ground = Pick<Engine, "source" | "snapshots" | "syntax" | "clock" | "progress"> & {
  readonly worktrees: Pick<Engine["worktrees"], "lend">;
};

/**
 * Mutates the code of each criterion, one small change at a time, and checks whether one of its tests fails. Works in a
 * temporary checkout and only reads the user's files.
 */
export async function biteAll(engine: Ground, biting: Biting): Promise<BiteOf[]> {
  const files = await filesOf(engine, biting);
  const plans: Plan[] = [];
  for (const aim of aimsOf(files, biting)) plans.push(await planFor(engine, biting, files, aim));
  if (plans.every(({ problem }) => problem !== undefined)) return plans.map((plan) => resultOf(plan, []));
  await using lent = await lend(engine, biting);
  const judged = await sound(biting, plans, lent.root);
  const tried = await tryAll(engine, biting, judged, lent);
  return judged.map((plan) => resultOf(plan, tried.get(plan) ?? []));
}

async function tryAll(
  engine: Ground,
  biting: Biting,
  plans: readonly Plan[],
  lent: TemporaryCheckout,
): Promise<Map<Plan, Tried[]>> {
  const { progress, clock } = engine;
  const begun = clock.now();
  const isOver = (): boolean =>
    progress.cancelled.aborted || countSecondsBetween(begun, clock.now()) >= biting.minutes * 60;
  const tries = inTurn(plans.filter(({ problem }) => problem === undefined)).slice(0, biting.most);
  const tried = new Map<Plan, Tried[]>();
  for (const [at, { plan, way }] of tries.entries()) {
    if (isOver()) break;
    const { mutation, stack, text } = way;
    progress.tell(`${plan.name}: ${mutation.path}:${mutation.line}`, at, tries.length);
    await lent.put(mutation.path, mutated(text, mutation));
    const report = await biting.test(stack, lent.root);
    await lent.put(mutation.path, text);
    // A cancellation ends the tests too. That is not a failed test.
    if (progress.cancelled.aborted) break;
    const fate = fateOf(report, plan.targets, (file, path) => biting.mayHold(stack, file, path));
    tried.set(plan, [...(tried.get(plan) ?? []), { mutation, fate }]);
  }
  return tried;
}

interface CodeFile {
  readonly path: string;
  readonly text: string;
  readonly look: CodeScan;
  readonly stack: FolderStack;
  readonly isTest: boolean;
}

interface Way {
  readonly mutation: Mutation;
  readonly stack: FolderStack;
  readonly text: string;
}

interface Plan {
  readonly name: string;
  readonly targets: readonly Target[];
  readonly all: readonly Way[];
  readonly chosen: readonly Way[];
  readonly problem?: string;
}

async function filesOf({ source, syntax }: Ground, { spec, stacks }: Biting): Promise<CodeFile[]> {
  const found: CodeFile[] = [];
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

function aimsOf(files: readonly CodeFile[], { spec, criterion }: Biting): Aim[] {
  if (criterion !== undefined) return [{ spec, criterion }];
  const aims = files.filter(({ isTest }) => !isTest).flatMap(({ look }) => aimsIn(look, spec));
  const unique = [...new Map(aims.map((aim) => [nameOfAim(aim), aim])).values()];
  return unique.length > 0 ? unique : [{ spec }];
}

async function planFor(engine: Ground, biting: Biting, files: readonly CodeFile[], aim: Aim): Promise<Plan> {
  const { spec } = biting;
  const code = files.filter(({ isTest }) => !isTest);
  // If no code names the criterion, all code of the spec is used.
  const isNamed = code.some(({ look }) => tracedLines(look, aim).length > 0);
  const exact = files.flatMap(({ path, look, isTest }) => targetsIn(path, look, aim, isTest));
  const targets =
    exact.length > 0 ? exact : files.flatMap(({ path, look, isTest }) => targetsIn(path, look, { spec }, isTest));
  const all: Way[] = [];
  for (const { path, text, look, stack } of code) {
    const lines = tracedLines(look, isNamed ? aim : { spec });
    if (lines.length === 0) continue;
    const sites = await engine.syntax.sites(path, text);
    const mutations = mutationsOf({ path, text, language: look.language }, sites, lines);
    all.push(...mutations.map((mutation) => ({ mutation, stack, text })));
  }
  const name = nameOfAim(aim);
  const wayOf = new Map(all.map((way) => [way.mutation, way]));
  const some = chosen([...wayOf.keys()], biting.most, name).flatMap((mutation) => wayOf.get(mutation) ?? []);
  const problem = problemOf(name, targets, all);
  return { name, targets, all, chosen: some, ...(problem === undefined ? {} : { problem }) };
}

function problemOf(name: string, targets: readonly Target[], all: readonly Way[]): string | undefined {
  if (targets.length === 0) return `No test says that it is for ${name}.`;
  return all.length === 0 ? `No code that could be made wrong says that it is for ${name}.` : undefined;
}

/** One mutation of each criterion, then the next of each, so that each gets its share of the time. */
function inTurn(plans: readonly Plan[]): { plan: Plan; way: Way }[] {
  const most = Math.max(0, ...plans.map((plan) => plan.chosen.length));
  return Array.from({ length: most }, (_, at) => at).flatMap((at) =>
    plans.flatMap((plan) => {
      const way = plan.chosen[at];
      return way === undefined ? [] : [{ plan, way }];
    }),
  );
}

async function lend({ source, snapshots, worktrees }: Ground, { stacks }: Biting) {
  const commit = await source.head();
  if (commit === undefined) {
    throw new Fault("gate.no-base", {
      what: "The tests cannot be tried on wrong code.",
      why: "That happens in a copy of the files, which is made from the commit that is checked out, and there is none.",
      fix: 'git commit --allow-empty -m "Begin"',
    });
  }
  const linked = [...new Set(stacks.flatMap(borrowedBy))];
  return worktrees.lend({ commit, over: await snapshots.uncommitted(), linked });
}

/** A failure proves something only if the tests pass on the original code. */
async function sound(biting: Biting, plans: readonly Plan[], root: string): Promise<Plan[]> {
  const reports = new Map<FolderStack, Awaited<ReturnType<Biting["test"]>>>();
  const judged: Plan[] = [];
  for (const plan of plans) {
    let isSound = true;
    for (const stack of new Set(plan.all.map((way) => way.stack))) {
      if (!reports.has(stack)) reports.set(stack, await biting.test(stack, root));
      const mayHold = (file: string, path: string): boolean => biting.mayHold(stack, file, path);
      isSound &&= fateOf(reports.get(stack), plan.targets, mayHold) === "survived";
    }
    const problem =
      plan.problem ?? (isSound ? undefined : `The tests for ${plan.name} do not pass on the code as it is.`);
    judged.push(problem === undefined ? plan : { ...plan, problem });
  }
  return judged;
}

function resultOf({ name, all, problem }: Plan, tried: readonly Tried[]): BiteOf {
  const sum = summed(tried, all.length);
  const said = problem ?? (sum.bitten + sum.survivors.length === 0 ? nothingSeen(sum) : undefined);
  return { name, ...sum, ...(said === undefined ? {} : { problem: said }) };
}

const nothingSeen = ({ tried }: Bite): string =>
  tried === 0
    ? "There was no time to try anything."
    : `None of the ${formatCount(tried, "mutation")} could be built and tested, so nobody knows.`;
