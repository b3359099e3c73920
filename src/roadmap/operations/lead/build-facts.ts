import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import type { BuildFacts, TestFacts } from "../../model/lead/lead-events.ts";
import { type ActionAssignment, findActionGroup, type Lead } from "../../model/lead/lead-state.ts";
import { isPathLocked, isLockHeld } from "#planning/model/workflow/file-locks.ts";
import type { RoadmapEngine } from "../engine.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { FINISHED_GROUP_SPACE, loadCheckoutEntries } from "./lead-store.ts";
import { hashFiles, listImplementationFiles } from "./review-batches.ts";
import type { CheckReceipt } from "#checking/model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import type { FolderStack } from "#checking/model/stack/stack-check.ts";
import {
  listFilesChangedMeanwhile,
  runChecksWithRetries,
  runExclusively,
  type PlannedCheck,
  type FinishedCheck,
} from "#checking/operations/gate/run-check.ts";
import {
  type TrustedChecks,
  type CheckRuling,
  loadCheckRuling,
} from "#checking/operations/gate/load-trusted-checks.ts";

type ActiveBuilder = NonNullable<ReturnType<typeof findActionGroup>>;

const listOtherBuilders = (lead: Lead, action: string): ActiveBuilder[] =>
  [...lead.out.values()].flatMap(({ action: other }) =>
    other.id === action ? [] : (findActionGroup(lead, other) ?? []),
  );

interface BuildReport {
  readonly record: FeatureRecord;
  readonly group: TaskGroupRecord;
  readonly out: ActionAssignment;
}

export async function gatherBuildFacts(
  engine: RoadmapEngine,
  lead: Lead,
  { record, group, out }: BuildReport,
): Promise<BuildFacts> {
  const others = listOtherBuilders(lead, out.action.id);
  const { there, missing } = await splitExistingFiles(engine, group.files);
  const outside = await listOutsideChanges(engine, { group, out }, others);
  // A fix may delete a file; the report lists it. A build that is rejected anyway needs no tests. While other agents
  // write, a failure cannot be attributed.
  const isWhole = outside.length === 0 && (missing.length === 0 || record.fix !== null);
  const isTestable = isWhole && others.length === 0;
  const tests: TestFacts = isTestable ? createTestFacts(await runFeatureTests(engine, group.files)) : DEFERRED_TESTS;
  return { hash: await hashFiles(engine, listImplementationFiles([record])), missing, outside, files: there, tests };
}

const DEFERRED_TESTS: TestFacts = { status: "deferred", problems: [] };

/** A pass does not count for files that changed during the tests and belong to no builder. */
function createTestFacts(
  { status, problems, moved }: FeatureTestRun,
  others: readonly ActiveBuilder[] = [],
): TestFacts {
  const theirs = new Set(others.flatMap(({ files }) => files));
  const strange = moved.filter((path) => !theirs.has(path));
  if (status !== "passed" || strange.length === 0) return { status, problems };
  const told = strange
    .slice(0, MAX_MOVED_SHOWN)
    .map((path) => ({ problem: `${path} changed while the tests ran. ${IGNORE_HINT}` }));
  return { status: "unknown", problems: told };
}

const MAX_MOVED_SHOWN = 20;
const IGNORE_HINT = "Have git ignore what they write, or wait.";

async function splitExistingFiles(
  { source }: Pick<RoadmapEngine, "source">,
  files: readonly string[],
): Promise<{ there: string[]; missing: string[] }> {
  const kinds = await Promise.all(files.map(async (path) => (await source.stamped(path)).kind));
  return {
    there: files.filter((_, i) => kinds[i] !== "missing"),
    missing: files.filter((_, i) => kinds[i] === "missing"),
  };
}

/**
 * Files changed since the assignment that belong neither to the group, nor to another builder, nor to a locked
 * workflow. Empty without git.
 */
async function listOutsideChanges(
  engine: RoadmapEngine,
  { group, out }: Pick<BuildReport, "group" | "out">,
  others: readonly ActiveBuilder[],
): Promise<string[]> {
  if (out.base === null || !(await engine.snapshots.isPossible())) return [];
  const changed = await engine.snapshots.between(out.base, await engine.snapshots.sourceTree());
  const { built, locks } = await engine.store.read((tree) => ({
    built: [...loadCheckoutEntries(tree, FINISHED_GROUP_SPACE, engine.checkout).values()],
    locks: loadWorkRuntime(tree).locks.filter(isLockHeld),
  }));
  const meanwhile = built.filter(({ at }) => at >= out.at).flatMap(({ files }) => files);
  const known = new Set([...group.files, ...others.flatMap(({ files }) => files), ...meanwhile]);
  return changed
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !locks.some((lock) => isPathLocked(lock, path)));
}

export async function gatherGateFacts(
  engine: RoadmapEngine,
  lead: Lead,
  { record, action }: { readonly record: FeatureRecord; readonly action: string },
): Promise<{ readonly build: BuildFacts; readonly tested?: FeatureTestRun }> {
  const files = listImplementationFiles([record]);
  const { there, missing } = await splitExistingFiles(engine, files);
  if (missing.length > 0) {
    const problems = missing.map((path) => ({ problem: `${path} is not there.` }));
    const hash = await hashFiles(engine, files);
    return { build: { hash, missing, outside: [], files: there, tests: { status: "failed", problems } } };
  }
  const tested = await runFeatureTests(engine, files);
  const tests = attributeTestFailures(tested, files, listOtherBuilders(lead, action));
  return { build: { hash: await hashFiles(engine, files), missing, outside: [], files: there, tests }, tested };
}

/**
 * While other agents build, their failing tests are ignored. A failing test of this feature counts. If the owner of a
 * failure is unclear, the gate must run again later.
 */
function attributeTestFailures(
  tested: FeatureTestRun,
  own: readonly string[],
  others: readonly ActiveBuilder[],
): TestFacts {
  if (tested.status !== "failed" || others.length === 0) return createTestFacts(tested, others);
  const failing = tested.tried.flatMap(({ report }) => [
    ...(report?.tests ?? []).filter(({ status }) => status === "failed"),
    ...(report?.failures ?? []),
  ]);
  if (failing.some(({ file }) => own.includes(file))) return createTestFacts(tested);
  const theirs = others.flatMap(({ files }) => files);
  if (failing.length > 0 && failing.every(({ file }) => theirs.includes(file)))
    return { status: "passed", problems: [] };
  const names = others.map(({ feature, id }) => `${feature} ${id}`).join(", ");
  const problem = `Tests fail while others build (${names}): run the gate again once they are done.`;
  return { status: "unknown", problems: [{ problem }, ...tested.problems] };
}

export interface FeatureTestRun extends TestFacts {
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly tried: readonly FinishedCheck[];
  readonly receipts: readonly CheckReceipt[];
  readonly stacks: readonly FolderStack[];
  readonly mayLackCriteria: boolean;
  readonly moved: readonly string[];
  /** The file tree and rules of the run. No tree outside git, or if files changed meanwhile. */
  readonly tree?: string;
  readonly rules?: string;
  readonly base?: string;
}

/** Runs the tests of the stacks that own these files, as far as the user trusts the commands. */
async function runFeatureTests(engine: RoadmapEngine, files: readonly string[]): Promise<FeatureTestRun> {
  const base = await engine.source.head();
  const ruling = await loadCheckRuling(engine, base);
  const { rules } = ruling;
  const mayLackCriteria = ruling.gates.waived["criteria"] !== undefined;
  const known = { stacks: ruling.stacks, mayLackCriteria, ...(base === undefined ? {} : { base }) };
  if (!rules) return { ...createUnknownTestRun(ruling, ruling.refused ?? "Nothing may be run."), ...known };
  const stacks = selectOwningStacks(rules.definitions.stacks, files);
  const bare = stacks.filter(({ checks }) => !checks.some(({ kind }) => kind === "test"));
  const planned = stacks.flatMap((stack): PlannedCheck[] =>
    stack.checks.filter(({ kind }) => kind === "test").map((check) => ({ name: "tests", stack, check })),
  );
  const doubts = [...rules.definitions.problems, ...bare.map(describeMissingTests)];
  if (planned.length === 0) return { ...createUnknownTestRun(ruling, doubts.join(" ") || NO_TEST_STACK), ...known };
  return { ...(await runExclusively(engine, () => runPlannedTests(engine, ruling, rules, planned, doubts))), ...known };
}

const NO_TEST_STACK = "No stack was found whose tests could be run: tenon stack";

async function runPlannedTests(
  engine: RoadmapEngine,
  ruling: CheckRuling,
  rules: TrustedChecks,
  planned: readonly PlannedCheck[],
  doubts: readonly string[],
): Promise<Omit<FeatureTestRun, "stacks" | "base" | "mayLackCriteria">> {
  const { tried, tree } = await runChecksWithRetries(engine, { rules, planned });
  const moved = await listFilesChangedMeanwhile(engine, tree);
  const ran = {
    tried,
    moved,
    receipts: tried.map(({ receipt }) => receipt),
    rules: rules.hash,
    ...(tree && moved.length === 0 ? { tree } : {}),
  };
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return { ...ran, status: "failed", problems: failed };
  const open = [
    ...doubts,
    ...tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : [])),
  ];
  return open.length > 0
    ? { ...createUnknownTestRun(ruling, open.join(" ")), ...ran }
    : { ...ran, status: "passed", problems: [] };
}

/** Unknown does not pass unless the settings waive the tests. */
function createUnknownTestRun(
  { gates }: CheckRuling,
  reason: string,
): Omit<FeatureTestRun, "stacks" | "mayLackCriteria"> {
  const waiver = gates.waived["tests"];
  const problems: Problem[] = [{ problem: waiver ?? reason }];
  return { status: waiver === undefined ? "unknown" : "waived", problems, tried: [], receipts: [], moved: [] };
}

/** Without a match, tests every stack. */
function selectOwningStacks(stacks: readonly FolderStack[], files: readonly string[]): readonly FolderStack[] {
  const own = new Set(files.flatMap((path) => findFileStack(path, stacks) ?? []));
  return own.size === 0 ? stacks : stacks.filter((stack) => own.has(stack));
}

function describeMissingTests({ directory, profile, missing: list }: FolderStack): string {
  const how = list.find(({ kind }) => kind === "test")?.how ?? "No tool that runs tests was found.";
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}
