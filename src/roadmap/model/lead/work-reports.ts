import { sanitizeText } from "#kernel/model/text-format.ts";
import { normalizePathKey, PathSet } from "../feature/claimed-path.ts";
import {
  applyAcceptedDesign,
  applyAcceptedTasks,
  applyCompletedImplementation,
  type FeatureRecord,
  type PendingFix,
  type TaskGroupRecord,
} from "../feature/feature-record.ts";
import { extractFilePaths } from "../file-ownership.ts";
import { createWaveCommitId } from "./action-ids.ts";
import {
  addCount,
  BLOCKED_COUNTER,
  clearLostRuns,
  countFeatureRun,
  countFixAttempt,
  countLostRun,
  getLostRunCount,
  markPartitionTried,
  PARTITION_COUNTER,
  resetTotalCounter,
} from "./feature-counters.ts";
import {
  CLEARED_PLAN,
  escalateFeature,
  reopenTaskGroups,
  requestNewPlan,
  unblockReadyDependents,
  voidDependentDesigns,
} from "./feature-rework.ts";
import { cancelFeatureWork, dropFeatureGoal, endReachedGoal, type LeadDraft } from "./lead-draft.ts";
import {
  type BuildFacts,
  EVENT_APPLIED,
  type EventOutcome,
  rejectEvent,
  type ReportFacts,
  type ReportOf,
} from "./lead-events.ts";
import type { CommitAction, GateAction, WorkOf } from "./lead-state.ts";
import { createWaveRecord, listActiveDependencies } from "./lead-view.ts";

/** Accepts a design without problems. A fix must change the design. */
export function applyDesignReport(
  draft: LeadDraft,
  { feature, isFix }: WorkOf<"design">,
  { report, facts }: ReportOf<"architect">,
): EventOutcome {
  const record = draft.feature(feature);
  const { design } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!design) return rejectEvent(`Nobody looked at the design of ${feature}. Write design.md and report again.`);
  if (design.problems.length > 0) return rejectEvent(...design.problems);
  const isChanged = design.hash !== record.design?.hash;
  if (isFix && !isChanged)
    return rejectEvent(`design.md of ${feature} is unchanged. Mend what the review found, then report again.`);
  const basis = listActiveDependencies(record).flatMap((name) => {
    const hash = draft.feature(name)?.design?.hash;
    return hash === undefined ? [] : [[name, hash] as const];
  });
  const accepted = { hash: design.hash, files: design.files, basis: Object.fromEntries(basis) };
  const next = applyAcceptedDesign(record, accepted, facts.at);
  const unplanned = { ...next, implementation: { ...next.implementation, ...CLEARED_PLAN } };
  draft.keep(countFeatureRun(clearLostRuns(unplanned, "architect", BLOCKED_COUNTER, PARTITION_COUNTER), "architect"));
  if (isChanged) voidDependentDesigns(draft, feature, design.hash);
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "architect", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

/**
 * A plan should avoid the excluded files. If it still claims one, it is accepted and the feature waits for that file.
 */
export function applyTasksReport(
  draft: LeadDraft,
  { feature, excluded, blocker }: WorkOf<"tasks">,
  { report, facts }: ReportOf<"tasks">,
): EventOutcome {
  const record = draft.feature(feature);
  const { tasks } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!tasks) return rejectEvent(`Nobody looked at the tasks of ${feature}. Write tasks.yaml and report again.`);
  const problems = [...tasks.problems, ...listPlanProblems(tasks.groups)];
  if (problems.length > 0) return rejectEvent(...problems);
  // Finished groups stay done after a blocker or a partition, but not after a new design.
  const isKept = blocker !== null || excluded.length > 0;
  const groups = tasks.groups.map((group) => ({
    ...group,
    status: isKept && isGroupStillDone(record, group) ? ("done" as const) : ("pending" as const),
  }));
  const claimed = new PathSet(groups.flatMap(({ files }) => files));
  const without = excluded.filter((file) => !claimed.has(file));
  const next = applyAcceptedTasks(record, { hash: tasks.hash, groups, excluded: without }, facts.at);
  const planned = clearLostRuns({ ...next, implementation: { ...next.implementation, hash: null } }, "tasks");
  draft.keep(countFeatureRun(without.length < excluded.length ? markPartitionTried(planned) : planned, "tasks"));
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "task-generator", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

function isGroupStillDone({ implementation }: FeatureRecord, group: TaskGroupRecord): boolean {
  const known = implementation.groups.find(({ id }) => id === group.id);
  return known?.status === "done" && isSameList(known.tasks, group.tasks) && isSameList(known.files, group.files);
}

export const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, i) => item === other[i]);

function listPlanProblems(groups: readonly TaskGroupRecord[]): string[] {
  if (groups.length === 0) return ["There is no group to build. Put every task in a group and report again."];
  const byId = new Map(groups.map((group) => [group.id, group]));
  const problems: string[] = [];
  if (byId.size < groups.length) problems.push("Two groups have one id. Give each its own.");
  for (const { id, depends } of groups) {
    const unknown = depends.find((other) => !byId.has(other));
    if (unknown !== undefined) problems.push(`Group ${id} depends on group ${unknown}, which is not there.`);
  }
  const stuck = findGroupCycle(byId);
  if (stuck !== undefined) problems.push(`Group ${stuck} waits for itself by what it depends on.`);
  return problems;
}

function findGroupCycle(groups: ReadonlyMap<string, TaskGroupRecord>): string | undefined {
  const left = new Map(groups);
  for (;;) {
    const free = [...left.values()].filter(({ depends }) => !depends.some((id) => left.has(id)));
    if (free.length === 0) return left.keys().next().value;
    for (const { id } of free) left.delete(id);
  }
}

export function applyBuildReport(
  draft: LeadDraft,
  work: WorkOf<"build">,
  { report, facts }: ReportOf<"builder">,
): EventOutcome {
  const record = draft.feature(work.feature);
  const group = record?.implementation.groups.find(({ id }) => id === work.group);
  if (!record || !group) return rejectEvent(`Group ${work.group} of ${work.feature} is not there.`);
  // A fix of review findings may delete the files that its report lists. Deleting a failing test does not fix a gate.
  const mayRemove = work.isFix && ["impl", "wave", "dead-code"].includes(record.fix?.source ?? "");
  const removed = mayRemove ? (facts.build?.missing.filter((file) => report.files.includes(file)) ?? []) : [];
  const problems = [...listClaimProblems(work, group, report), ...listBuildProblems(facts, report.files, removed)];
  if (problems.length > 0) return rejectEvent(...problems);
  const key = `build-${group.id}` as const;
  const done = finishGroup(record, group, facts.build?.files ?? [], removed);
  draft.keep(countFeatureRun(clearLostRuns(done, key), key));
  const tasks = report.tasks.filter((task) => group.tasks.includes(task));
  if (tasks.length > 0) draft.effect({ kind: "tasks-done", feature: work.feature, tasks });
  if (report.tags.length > 0)
    draft.effect({ kind: "tags", feature: work.feature, role: "builder", tags: report.tags, tasks });
  return EVENT_APPLIED;
}

function finishGroup(
  record: FeatureRecord,
  { id }: TaskGroupRecord,
  files: readonly string[],
  removed: readonly string[],
): FeatureRecord {
  const { files_removed = [], ...implementation } = record.implementation;
  const isLeft = (file: string): boolean => !removed.includes(file);
  const groups = implementation.groups.map((group) =>
    group.id === id ? { ...group, files: group.files.filter(isLeft), status: "done" as const } : group,
  );
  const files_created = [...new Set([...implementation.files_created.filter(isLeft), ...files])].toSorted();
  // A deleted file may be written again.
  const gone = [...new Set([...files_removed, ...removed])].filter((file) => !files.includes(file)).toSorted();
  const rest = gone.length === 0 ? {} : { files_removed: gone };
  return { ...record, implementation: { ...implementation, groups, files_created, ...rest } };
}

/** A fix need not touch every task of its group. */
function listClaimProblems(
  work: WorkOf<"build">,
  group: TaskGroupRecord,
  { files, tasks, tests }: ReportOf<"builder">["report"],
): string[] {
  const foreign = files.filter((file) => !group.files.includes(file));
  const others = tasks.filter((task) => !group.tasks.includes(task));
  const isOpen = (task: string): boolean => !tasks.includes(task) && !group.optional?.includes(task);
  const left = work.isFix ? [] : work.tasks.filter(isOpen);
  const { passed = 0, total = 0 } = tests ?? {};
  return [
    ...describeList(
      foreign,
      (list) => `${list} is not of group ${group.id}. Undo what was changed there and report again.`,
    ),
    ...describeList(others, (list) => `Task ${list} is not of group ${group.id}.`),
    ...describeList(left, (list) => `Task ${list} is not done. Do it, or report BUILDER_BLOCKED.`),
    ...(passed < total ? [`${total - passed} of ${total} tests fail by the report itself. Make them pass.`] : []),
  ];
}

function listBuildProblems({ build }: ReportFacts, claimed: readonly string[], removed: readonly string[]): string[] {
  if (!build) return ["Nobody looked at what was built. Report again."];
  const missing = build.missing.filter((file) => !removed.includes(file));
  const unwritten = claimed.filter((file) => !build.files.includes(file) && !build.missing.includes(file));
  return [
    ...describeList(missing, (list) => `${list} is not there. Write it and report again.`),
    ...describeList(build.outside, (list) => `${list} was changed outside of the group. Undo that and report again.`),
    ...describeList(unwritten, (list) => `${list} is claimed but not there.`),
    ...listTestProblems(build.tests),
  ];
}

function describeList(names: readonly string[], describe: (list: string) => string): string[] {
  if (names.length === 0) return [];
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return [describe(`${sanitizeText(names.slice(0, 5).join(", "), 300)}${rest}`)];
}

function listTestProblems({ status, problems }: BuildFacts["tests"]): string[] {
  if (status !== "failed" && status !== "unknown") return [];
  const lines = problems.map(({ problem }) => problem);
  if (lines.length > 0) return lines;
  return [status === "failed" ? "The tests fail." : "Nobody knows whether the tests pass: there is no test command."];
}

/** The first blocker leads to new tasks, the next one to the user. */
export function applyBlockerReport(
  draft: LeadDraft,
  { feature, group }: WorkOf<"build">,
  { report }: ReportOf<"builder-blocked">,
): EventOutcome {
  const known = draft.feature(feature);
  if (!known) return rejectEvent(`There is no feature ${feature}.`);
  const blocker = sanitizeText(report.blocker.trim() || "no reason was given", 1_000);
  const detail = `Group ${group} is blocked: ${blocker}`;
  const { tags = [], tasks } = report;
  if (tags.length > 0) draft.effect({ kind: "tags", feature, role: "builder", tags, tasks });
  draft.keep(countFeatureRun(known, `build-${group}`));
  const record = cancelFeatureWork(draft, known);
  const counted = getLostRunCount(record, BLOCKED_COUNTER) === 0 ? countFixAttempt(record, "retry") : undefined;
  const fix = { source: "blocker", batch: null, detail, groups: [] } as const;
  draft.keep(requestNewPlan(countLostRun(counted ?? record, BLOCKED_COUNTER), fix));
  if (!counted) escalateFeature(draft, feature, detail);
  return EVENT_APPLIED;
}

export function applyGateReport(draft: LeadDraft, { feature }: GateAction, { facts }: ReportOf<"gate">): EventOutcome {
  const record = draft.feature(feature);
  const { build } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!build) return rejectEvent(`Nobody has run the checks of ${feature}. Report the gate again.`);
  const { status, problems } = build.tests;
  // Unknown is not passed, and building again would not help.
  if (status === "unknown" || status === "deferred") {
    const problem = `The tests of ${feature} were not run. Name a test command, or waive it, and run the gate again.`;
    return rejectEvent(problem, ...problems);
  }
  if (status === "failed" || build.missing.length > 0) failFeatureGate(draft, record, build);
  else passFeatureGate(draft, record, build, facts.at);
  return EVENT_APPLIED;
}

function passFeatureGate(draft: LeadDraft, record: FeatureRecord, build: BuildFacts, at: string): void {
  const next = applyCompletedImplementation(record, { hash: build.hash, files: build.files }, at);
  const isWaveFix = record.fix?.source === "wave" || record.fix?.source === "dead-code";
  const review = record.reviews.implementation;
  // The wave's gate reviews its own fixes again.
  const reviews =
    isWaveFix && review ? { ...next.reviews, implementation: { ...review, of: build.hash } } : next.reviews;
  draft.keep(countFeatureRun(clearLostRuns({ ...next, reviews }, "gate", BLOCKED_COUNTER), "gate"));
  unblockReadyDependents(draft, record.feature_name);
}

function failFeatureGate(draft: LeadDraft, record: FeatureRecord, { missing, tests }: BuildFacts): void {
  const lines = [...missing.map((file) => `${file} is not there.`), ...tests.problems.map(({ problem }) => problem)];
  const detail = sanitizeText(lines.join(" ") || "The tests fail.", 2_000);
  const ended = countFeatureRun(clearLostRuns(record, "gate"), "gate");
  const counted = countFixAttempt(ended, "retry");
  draft.keep(reopenTaskGroups(counted ?? ended, createGateFix(record, detail, findFailingGroups(record, lines))));
  if (!counted) escalateFeature(draft, record.feature_name, `The gate says no: ${detail}`);
}

/** A fix that fails the gate keeps its source and batch. */
function createGateFix({ fix }: FeatureRecord, detail: string, groups: readonly string[]): PendingFix {
  if (!fix || fix.groups.length === 0 || fix.source === "gate") return { source: "gate", batch: null, detail, groups };
  return { source: fix.source, batch: fix.batch, detail, groups };
}

function findFailingGroups({ implementation }: FeatureRecord, lines: readonly string[]): string[] {
  const owners = new Map(
    implementation.groups.flatMap(({ id, files }) => files.map((file) => [normalizePathKey(file), id] as const)),
  );
  const named = lines.flatMap((line) =>
    extractFilePaths(line, (path) => (owners.has(normalizePathKey(path)) ? path : undefined)),
  );
  return [...new Set(named.flatMap((file) => owners.get(normalizePathKey(file)) ?? []))];
}

/** A declined commit finishes the work too. */
export function applyCommitReport(
  draft: LeadDraft,
  action: CommitAction,
  { report, facts: { commit } }: ReportOf<"commit">,
): EventOutcome {
  if (!report.declined && !commit)
    return rejectEvent(`No commit was found. Commit with the message given, or decline ${action.id}.`);
  if (!report.declined && !commit?.isClean) {
    const problem = `Commit ${commit?.hash} leaves files of the work out. Commit them too, or decline ${action.id}.`;
    return rejectEvent(problem);
  }
  const wave = action.wave === null ? undefined : (draft.waves.get(action.wave) ?? createWaveRecord(action.wave));
  const records = action.features.flatMap((name) => draft.feature(name) ?? []);
  if (wave && action.id === createWaveCommitId(wave.wave, wave)) {
    draft.waves.set(wave.wave, { ...wave, step: "done", runs: addCount(wave.runs, "commit") });
    for (const record of records) if (record.phase !== "blocked") draft.keep(finishCommit(record));
    draft.effect({ kind: "wave-finished", wave: wave.wave });
    return EVENT_APPLIED;
  }
  for (const record of records) draft.keep(countFeatureRun(finishCommit(record), "commit"));
  for (const name of action.features) dropFeatureGoal(draft, name);
  return EVENT_APPLIED;
}

/** The commit contains the removals, or the user declined it. */
function finishCommit(record: FeatureRecord): FeatureRecord {
  const { files_removed, ...implementation } = record.implementation;
  return resetTotalCounter(files_removed === undefined ? record : { ...record, implementation });
}
