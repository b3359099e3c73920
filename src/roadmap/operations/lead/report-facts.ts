import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { ChosenTest } from "#checking/model/stack/stack-check.ts";
import { getFeatureDesignPath, getFeatureTasksPath } from "#kernel/model/workspace-paths.ts";
import { isLockHeld, isPathLocked } from "#planning/model/workflow/file-locks.ts";
import type { FileLock } from "#planning/model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID } from "#planning/model/workflow/work-sessions.ts";
import { loadWorkRuntime, type WorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { checkDesign } from "../../model/feature/design-check.ts";
import { listCriterionIds, qualifyCriterionId } from "../../model/feature/design-criteria.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import { checkTaskPlan, serializeTaskPlan } from "../../model/feature/task-plan.ts";
import {
  type ActionAssignment,
  type BuildFacts,
  type CommitAction,
  findActionGroup,
  type Lead,
  type LeadAction,
  type ReportFacts,
  type SpawnAction,
  type TestFacts,
} from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { normalizePlanText } from "../../model/feature/held-content.ts";
import { listCommitPaths } from "./action-view.ts";
import { readReporter } from "../review/review-reporters.ts";
import { judgeCriterionTests, listLostTests, listUnmarkedCriteria, readCriterionTests } from "./criterion-tests.ts";
import { type FeatureTestRun, runFeatureTests, testCleanCheckout } from "./feature-tests.ts";
import { hashDocument, readDesignFacts } from "./held-files.ts";
import {
  FINISHED_GROUP_SPACE,
  hashEachFile,
  hashFiles,
  hashReviewedContent,
  listImplementationFiles,
  loadCheckoutEntries,
} from "./lead-store.ts";

export type GatheredFacts = Awaited<ReturnType<typeof gatherReportFacts>>;

/** Checks the files behind a report. This can take long, so nothing is locked. */
export async function gatherReportFacts(engine: RoadmapEngine, lead: Lead, out: ActionAssignment) {
  const { action } = out;
  const at = engine.clock.now();
  switch (action.kind) {
    case "spawn":
      return { facts: { at, ...(await gatherWorkFacts(engine, lead, out, action)) } };
    case "gate": {
      const record = lead.features.get(action.feature);
      if (!record) return { facts: { at } };
      const shown = await readCriterionTests(engine, record);
      const { build, tested } = await gatherGateFacts(engine, lead, { record, action: action.id, proof: shown });
      if (!tested) return { facts: { at, build } };
      const { criteria, hollow } = judgeCriterionTests(record, shown, tested);
      // A test that was emptied still passes, but covers no criterion.
      const isAsked = build.tests.status === "passed" && !tested.mayLackCriteria;
      const design = isAsked ? ((await engine.source.text(getFeatureDesignPath(action.feature))) ?? "") : "";
      const asked = listCriterionIds(checkDesign(design).specs).map((id) => qualifyCriterionId(action.feature, id));
      const problems = asked
        .filter((id) => !criteria.includes(id))
        .map((id) => ({
          problem:
            hollow.get(id) ?? `No test that ran and passed names ${id}: write AC: ${id} in the test that shows it.`,
        }));
      const tests = problems.length > 0 ? ({ status: "failed", problems } as const) : build.tests;
      const judged = tested.tree === undefined ? undefined : await engine.snapshots.listFiles(tested.tree);
      const files = judged && build.files.map((path) => ({ path, why: "edit", blob: judged.get(path)?.blob }));
      return { facts: { at, build: { ...build, tests } }, tested, criteria, files };
    }
    case "ask":
      return { facts: { at } };
    case "wave-gate":
      return { facts: { at, wave: await gatherWaveGateFacts(engine, lead, action.wave) } };
    case "commit":
      return { facts: { at, commit: await gatherCommitFacts(engine, lead, action) } };
  }
}

async function gatherWorkFacts(engine: RoadmapEngine, lead: Lead, out: ActionAssignment, { work }: SpawnAction) {
  if (work.of === "review") {
    const review = lead.reviews.get(work.review);
    const by = await readReporter(engine, out.action.id);
    return review ? { frozen: await hashReviewedContent(engine, lead, review), by } : {};
  }
  const record = lead.features.get(work.feature);
  if (!record) return {};
  if (work.of === "design")
    return { design: await engine.store.read((tree) => readDesignFacts(tree, engine.digest, work.feature)) };
  if (work.of === "tasks") return { tasks: await gatherTasksFacts(engine, work.feature) };
  const group = record.implementation.groups.find(({ id }) => id === work.group);
  return group ? { build: await gatherBuildFacts(engine, lead, { record, group, out }) } : {};
}

const createMissingProblem = (path: string): Problem => ({ problem: `${path} is not there.` });

/** Checks `tasks.yaml` against its design. The Lead judges claims on files of other features. */
export async function gatherTasksFacts({ store, digest, yaml }: RoadmapEngine, feature: FeatureName) {
  const path = getFeatureTasksPath(feature);
  const editor = await yaml();
  const { text, design = "" } = await store.read((tree) => ({
    text: tree.text(path),
    design: tree.text(getFeatureDesignPath(feature)),
  }));
  if (text === undefined) return { hash: "", groups: [], problems: [createMissingProblem(path)] };
  const { tree, problems: unread } = editor.read(text);
  if (!tree || unread.length > 0) {
    const problems = unread.length > 0 ? unread : [{ problem: `${path} is empty.` }];
    return { hash: "", groups: [], problems };
  }
  const { problems, groups } = checkTaskPlan(tree, checkDesign(design));
  return { hash: digest(serializeTaskPlan(tree)), text: digest(normalizePlanText(text)), groups, problems };
}

export function assertDesignUnchanged(
  tree: StoreTree,
  { digest }: RoadmapEngine,
  action: LeadAction,
  { design }: ReportFacts,
): void {
  if (!design || action.kind !== "spawn" || action.work.of !== "design") return;
  const path = getFeatureDesignPath(action.work.feature);
  const text = tree.text(path);
  if (design.hash === (text === undefined ? "" : hashDocument(digest, text))) return;
  throw new Fault("store.conflict", {
    what: `The report of ${action.id} was not accepted.`,
    why: `${path} changed while Tenon checked it.`,
    fix: { operation: "roadmap.report", input: { action: action.id } },
  });
}

type ActiveBuilder = NonNullable<ReturnType<typeof findActionGroup>>;

const listOtherBuilders = (lead: Lead, action: string): ActiveBuilder[] =>
  [...lead.out.values()].flatMap(({ action: other }) =>
    other.id === action ? [] : (findActionGroup(lead, other) ?? []),
  );

export async function gatherBuildFacts(
  engine: RoadmapEngine,
  lead: Lead,
  built: { readonly record: FeatureRecord; readonly group: TaskGroupRecord; readonly out: ActionAssignment },
): Promise<BuildFacts> {
  const { record, group, out } = built;
  const others = listOtherBuilders(lead, out.action.id);
  const { there, missing } = await splitExistingFiles(engine, group.files);
  const claimed = [...group.files, ...others.flatMap(({ files }) => files)];
  const outside = await listOutsideChanges(engine, out, claimed);
  // A fix may delete a file; the report lists it. A build that is rejected anyway needs no tests. While other agents
  // write, a failure cannot be attributed.
  const isWhole = missing.length === 0 || record.fix !== null;
  const tests: TestFacts =
    isWhole && others.length === 0
      ? createTestFacts(await runFeatureTests(engine, group.files))
      : { status: "deferred", problems: [] };
  const isBuilt = missing.length === 0 && (record.fix === null || record.fix.source === "gate");
  const unmarked = isBuilt ? await listUnmarkedCriteria(engine, record, group) : [];
  const lost = await listLostTests(engine, group, out.base);
  const hash = await hashFiles(engine, listImplementationFiles([record]));
  const markers = unmarked.length === 0 ? {} : { unmarked };
  return { hash, missing, outside, files: there, tests, ...markers, ...(lost.length === 0 ? {} : { lost }) };
}

/** A pass does not count for files that changed during the tests and belong to no builder. */
function createTestFacts(tested: FeatureTestRun, others: readonly ActiveBuilder[] = []): TestFacts {
  const { status, problems, moved } = tested;
  const theirs = new Set(others.flatMap(({ files }) => files));
  const strange = moved.filter((path) => !theirs.has(path));
  if (status !== "passed" || strange.length === 0) return { status, problems };
  const told = strange
    .slice(0, 20)
    .map((path) => `${path} changed while the tests ran. Have git ignore what they write, or wait.`);
  return { status: "unknown", problems: told.map((problem) => ({ problem })) };
}

async function splitExistingFiles({ source }: RoadmapEngine, files: readonly string[]) {
  const kinds = await Promise.all(files.map(async (path) => (await source.stamped(path)).kind));
  return {
    there: files.filter((_, i) => kinds[i] !== "missing"),
    missing: files.filter((_, i) => kinds[i] === "missing"),
  };
}

/** Neither of the group, nor of another builder, nor of a locked workflow. Empty without git. */
async function listOutsideChanges(engine: RoadmapEngine, out: ActionAssignment, claimed: readonly string[]) {
  if (out.base === null || !(await engine.snapshots.isPossible())) return [];
  const changed = await engine.snapshots.sinceBaseline(out.base);
  const { built, locks } = await engine.store.read((tree) => ({
    built: [...loadCheckoutEntries(tree, FINISHED_GROUP_SPACE, engine.checkout).values()],
    locks: listForeignLocks(loadWorkRuntime(tree), out.session),
  }));
  const meanwhile = built.filter(({ at }) => at >= out.at).flatMap(({ files }) => files);
  const known = new Set([...claimed, ...meanwhile]);
  return changed
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !locks.some((lock) => isPathLocked(lock, path)));
}

/**
 * A claim says only what a session wants to change. It excuses changes if another session is at work on it, because
 * this one could claim any file for a workflow that it made up.
 */
function listForeignLocks({ locks, sessions }: WorkRuntime, session: string): FileLock[] {
  const isOthers = (workflow: string): boolean =>
    [...sessions.values()].some(
      ({ id, current }) => id !== session && id !== DEFAULT_SESSION_ID && current === workflow,
    );
  return locks.filter((lock) => isLockHeld(lock) && (lock.how !== "claim" || isOthers(lock.workflow)));
}

export async function gatherGateFacts(
  engine: RoadmapEngine,
  lead: Lead,
  {
    record,
    action,
    proof,
  }: { readonly record: FeatureRecord; readonly action: string; readonly proof?: readonly ChosenTest[] },
): Promise<{ readonly build: BuildFacts; readonly tested?: FeatureTestRun }> {
  const files = listImplementationFiles([record]);
  const { there, missing } = await splitExistingFiles(engine, files);
  const seen = { missing, outside: [], files: there };
  if (missing.length > 0) {
    const tests = { status: "failed", problems: missing.map(createMissingProblem) } as const;
    return { build: { hash: await hashFiles(engine, files), ...seen, tests } };
  }
  const before = await hashFiles(engine, files);
  const built = [...lead.features.values()].filter((other) => other === record || isCommittedWith(other));
  const clean = await testCleanCheckout(engine, files, {
    paths: [
      ...files,
      ...listCommitPaths(
        lead,
        built.map(({ feature_name }) => feature_name),
      ),
    ],
    unfinished: listUnfinishedFiles(lead),
    ...(proof ? { proof } : {}),
  });
  const tested = clean ?? (await runFeatureTests(engine, files));
  const judged = clean ?? judgeTests(tested, files, listOtherBuilders(lead, action));
  const hash = await hashFiles(engine, files);
  const tests: TestFacts =
    hash === before || judged.status !== "passed"
      ? { status: judged.status, problems: judged.problems }
      : {
          status: "unknown",
          problems: [{ problem: `Files of ${record.feature_name} changed while the tests ran. Run the gate again.` }],
        };
  const file_hashes = await hashEachFile(engine, there);
  return { build: { hash, file_hashes, ...seen, tests }, tested };
}

/** Built features are in the commit that a feature's own code will be in. */
const isCommittedWith = ({ phase, implementation }: FeatureRecord): boolean =>
  phase !== "blocked" &&
  implementation.groups.length > 0 &&
  implementation.groups.every(({ status }) => status === "done");

/** Files of features that are not built yet or blocked. A commit without them must not need them. */
const listUnfinishedFiles = ({ features }: Lead): string[] =>
  listImplementationFiles([...features.values()].filter((record) => !isCommittedWith(record)));

async function gatherWaveGateFacts(engine: RoadmapEngine, lead: Lead, wave: number) {
  const records = [...lead.features.values()].filter(
    (record) => (record.roadmap?.wave ?? Infinity) <= wave && record.phase !== "blocked",
  );
  const files = listImplementationFiles(records);
  const paths = listCommitPaths(
    lead,
    records.map(({ feature_name }) => feature_name),
  );
  const clean = await testCleanCheckout(engine, files, { paths, unfinished: listUnfinishedFiles(lead) });
  const { status, problems, tree = "working files" } = clean ?? (await runFeatureTests(engine, files));
  return { tree, tests: { status, problems } };
}

/** A commit with other files than those that the wave's gate tested is tested again. */
async function gatherCommitFacts(engine: RoadmapEngine, lead: Lead, { features, wave }: CommitAction) {
  const hash = (await engine.source.head()) ?? "";
  if (hash === "" || !(await engine.snapshots.isPossible())) return { hash, isClean: false };
  const paths = listCommitPaths(lead, features);
  const isOwn = (path: string): boolean =>
    paths.some((own) => (own.endsWith("/") ? path.startsWith(own) : path === own));
  const missing = (await engine.snapshots.uncommitted()).filter(isOwn);
  if (missing.length > 0) return { hash, isClean: false, missing };
  const tested = wave === null ? undefined : lead.waves.get(wave)?.tested;
  if (tested !== undefined && (await engine.snapshots.sourceTreeOf(hash)) === tested) return { hash, isClean: true };
  const records = [...lead.features.values()].filter(
    (record) => features.includes(record.feature_name) && isCommittedWith(record),
  );
  // The commit of a design's review has documents only.
  if (wave === null && records.length === 0) return { hash, isClean: true };
  const clean = await testCleanCheckout(engine, listImplementationFiles(records), { paths: [], unfinished: [] });
  return { hash, isClean: true, ...(clean ? { tests: { status: clean.status, problems: clean.problems } } : {}) };
}

/** Failing tests of agents at work do not count. If the owner is unclear, the gate must run again later. */
function judgeTests(tested: FeatureTestRun, own: readonly string[], others: readonly ActiveBuilder[]): TestFacts {
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
