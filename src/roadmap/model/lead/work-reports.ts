import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { normalizePathKey, PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import { applyAcceptedTasks, applyCompletedImplementation } from "../feature/feature-record.ts";
import { extractFilePaths, routeFindings } from "../file-ownership.ts";
import { acceptDesign } from "./design-acceptance.ts";
import * as featureRework from "./feature-rework.ts";
import {
  addCount,
  BLOCKED_COUNTER,
  cancelFeatureWork,
  clearLostRuns,
  countFeatureRun,
  countFixAttempt,
  countLostRun,
  dropFeatureGoal,
  endReachedGoal,
  getLostRunCount,
  type LeadDraft,
  markPartitionTried,
  updateOrchestration,
} from "./lead-draft.ts";
import type { BuildFacts, CommitAction, EventOf, EventOutcome, ReportOf, WorkOf } from "./lead-state.ts";
import { EVENT_APPLIED, rejectEvent, rejectEventKeepState } from "./lead-state.ts";
import {
  createWaveCommitId,
  createWaveRecord,
  getFeatureGoal,
  getFeatureWave,
  getLeadView,
  hasDesignEdit,
} from "./lead-view.ts";

/** Accepts a design without problems. A fix must change the design. */
export function applyDesignReport(draft: LeadDraft, work: WorkOf<"design">, sent: ReportOf<"architect">): EventOutcome {
  const { feature, isFix } = work;
  const { report, facts } = sent;
  const record = draft.feature(feature);
  const { design } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!design) return rejectEvent(`The design of ${feature} was not checked. Write design.md and report again.`);
  if (design.problems.length > 0) return rejectEvent(...design.problems);
  if (isFix && design.hash === record.design?.hash && record.fix?.source !== "revise")
    return rejectEvent(`design.md of ${feature} is unchanged. Fix the findings of the review, then report again.`);
  acceptDesign(draft, countFeatureRun(clearLostRuns(record, "architect"), "architect"), design, facts.at);
  if (report.tags.length > 0) draft.effects.push({ kind: "tags", feature, role: "architect", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

/** A plan that still claims an excluded file is accepted, and the feature waits for that file. */
export function applyTasksReport(draft: LeadDraft, work: WorkOf<"tasks">, sent: ReportOf<"tasks">): EventOutcome {
  const { feature, excluded } = work;
  const { report, facts } = sent;
  const record = draft.feature(feature);
  const { tasks } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!tasks) return rejectEvent(`The tasks of ${feature} were not checked. Write tasks.yaml and report again.`);
  const view = getLeadView(draft.base);
  if (getFeatureGoal(draft.base, record) === "done" && hasDesignEdit(view, record)) {
    draft.keep(countFeatureRun(record, "tasks"));
    return rejectEventKeepState(
      `The design of ${feature} changed after its review, so these tasks are not accepted. Nothing counts against the agent: the design is reviewed first, and tasks follow.`,
    );
  }
  const problems = [...tasks.problems, ...listPlanProblems(tasks.groups)];
  if (problems.length > 0) return rejectEvent(...problems);
  const groups = keepFinishedGroups(record, tasks.groups);
  const claimed = new PathSet(groups.flatMap(({ files }) => files));
  const without = excluded.filter((file) => !claimed.has(file));
  const { hash, text } = tasks;
  const next = applyAcceptedTasks(record, { hash, text, groups, excluded: without }, facts.at);
  const planned = clearLostRuns({ ...next, implementation: { ...next.implementation, hash: null } }, "tasks");
  draft.acceptEdits(feature, "tasks");
  draft.keep(countFeatureRun(without.length < excluded.length ? markPartitionTried(planned) : planned, "tasks"));
  if (report.tags.length > 0) draft.effects.push({ kind: "tags", feature, role: "task-generator", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

/** Finished groups stay done. A new design has already reopened those that it reaches. */
function keepFinishedGroups({ implementation }: FeatureRecord, groups: readonly TaskGroupRecord[]): TaskGroupRecord[] {
  return groups.map((group) => {
    const known = implementation.groups.find(({ id }) => id === group.id);
    const isSame = known && isSameList(known.tasks, group.tasks) && isSameList(known.files, group.files);
    const isCovering = isSame && isSameList(known.criteria ?? group.criteria ?? [], group.criteria ?? []);
    return { ...group, status: isCovering ? known.status : "pending" };
  });
}

/** The edited plan counts if it is sound. Otherwise the tasks are planned again. */
export function applyTasksEdited(draft: LeadDraft, event: EventOf<"tasks-edited">): EventOutcome {
  const { feature, tasks, at } = event;
  const known = draft.feature(feature);
  if (!known || known.implementation.tasks_hash === null) return rejectEvent(`${feature} has no accepted tasks.`);
  const record = cancelFeatureWork(draft, known);
  draft.acceptEdits(feature, "tasks");
  const problems = [...tasks.problems.map(({ problem }) => problem), ...listPlanProblems(tasks.groups)];
  if (problems.length > 0) {
    const detail = sanitizeText(`tasks.yaml was edited after it was accepted: ${problems.join(" ")}`, 2_000);
    draft.keep(featureRework.requestNewPlan(record, { source: "blocker", batch: null, detail, groups: [] }));
    return EVENT_APPLIED;
  }
  const groups = keepFinishedGroups(record, tasks.groups);
  const { hash, text } = tasks;
  const isSame = hash === record.implementation.tasks_hash;
  const planned = applyAcceptedTasks(record, { hash, text, groups }, at);
  // Only comments differ, so the code counts as built.
  if (isSame) draft.keep({ ...record, implementation: planned.implementation });
  else draft.keep({ ...planned, phase: "design-generated", implementation: { ...planned.implementation, hash: null } });
  if (!isSame) featureRework.reopenWaveGates(draft, record);
  return EVENT_APPLIED;
}

export const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, i) => item === other[i]);

function listPlanProblems(groups: readonly TaskGroupRecord[]): string[] {
  if (groups.length === 0) return ["There is no group to build. Put every task in a group and report again."];
  const byId = new Map(groups.map((group) => [group.id, group]));
  const problems: string[] = [];
  if (byId.size < groups.length) problems.push("Two groups have the same id. Give each its own.");
  for (const { id, depends } of groups) {
    const unknown = depends.find((other) => !byId.has(other));
    if (unknown !== undefined) problems.push(`Group ${id} depends on group ${unknown}, which is not there.`);
  }
  const left = new Map(byId);
  for (let before = left.size + 1; left.size < before;) {
    before = left.size;
    for (const { id, depends } of left.values()) if (!depends.some((other) => left.has(other))) left.delete(id);
  }
  const [stuck] = left.keys();
  if (stuck !== undefined) problems.push(`Group ${stuck} depends on itself.`);
  return problems;
}

export function applyBuildReport(draft: LeadDraft, work: WorkOf<"build">, sent: ReportOf<"builder">): EventOutcome {
  const { report, facts } = sent;
  const record = draft.feature(work.feature);
  const group = record?.implementation.groups.find(({ id }) => id === work.group);
  if (!record || !group) return rejectEvent(`Group ${work.group} of ${work.feature} is not there.`);
  // A fix of review findings may delete the files that its report lists. Deleting a failing test does not fix a gate.
  const mayRemove = work.isFix && ["impl", "wave", "dead-code", "revise"].includes(record.fix?.source ?? "");
  const removed = mayRemove ? (facts.build?.missing.filter((file) => report.files.includes(file)) ?? []) : [];
  const lost = mayRemove ? [] : (facts.build?.lost ?? []);
  const kept = lost.map((problem) => `${problem} Restore it, or name it in a comment: tenon-allow: <reason>.`);
  const problems = [...listBuildProblems(work, group, sent, removed), ...kept];
  if (problems.length > 0) return rejectEvent(...problems);
  const key = `build-${group.id}` as const;
  const files = facts.build?.files ?? [];
  const { files_removed = [], ...implementation } = record.implementation;
  const isLeft = (file: string): boolean => !removed.includes(file);
  const groups = implementation.groups.map((each) =>
    each.id === group.id ? { ...each, files: each.files.filter(isLeft), status: "done" as const } : each,
  );
  const files_created = [...new Set([...implementation.files_created.filter(isLeft), ...files])].toSorted();
  // A deleted file may be written again.
  const gone = [...new Set([...files_removed, ...removed])].filter((file) => !files.includes(file)).toSorted();
  const rest = gone.length === 0 ? {} : { files_removed: gone };
  const done = { ...record, implementation: { ...implementation, groups, files_created, ...rest } };
  draft.keep(countFeatureRun(clearLostRuns(done, key), key));
  const tasks = report.tasks.filter((task) => group.tasks.includes(task));
  if (tasks.length > 0) draft.effects.push({ kind: "tasks-done", feature: work.feature, tasks });
  if (report.tags.length > 0)
    draft.effects.push({ kind: "tags", feature: work.feature, role: "builder", tags: report.tags, tasks });
  return EVENT_APPLIED;
}

function listBuildProblems(
  work: WorkOf<"build">,
  group: TaskGroupRecord,
  { report, facts: { build } }: ReportOf<"builder">,
  removed: readonly string[],
): string[] {
  const { files, tasks } = report;
  const { passed = 0, total = 0 } = report.tests ?? {};
  const foreign = files.filter((file) => !group.files.includes(file));
  const others = tasks.filter((task) => !group.tasks.includes(task));
  const isOpen = (task: string): boolean => !tasks.includes(task) && !group.optional?.includes(task);
  // A fix need not touch every task of its group.
  const left = work.isFix ? [] : work.tasks.filter(isOpen);
  const problems = [
    ...describeList(
      foreign,
      (list) => `${list} is not of group ${group.id}. Undo what was changed there and report again.`,
    ),
    ...describeList(others, (list) => `Task ${list} is not of group ${group.id}.`),
    ...describeList(left, (list) => `Task ${list} is not done. Do it, or report BUILDER_BLOCKED.`),
    ...(passed < total ? [`${total - passed} of ${total} tests fail by the report itself. Make them pass.`] : []),
  ];
  if (!build) return [...problems, "The result was not checked. Report again."];
  const missing = build.missing.filter((file) => !removed.includes(file));
  const unwritten = files.filter((file) => !build.files.includes(file) && !build.missing.includes(file));
  problems.push(
    ...describeList(missing, (list) => `${list} does not exist. Write it and report again.`),
    ...describeList(unwritten, (list) => `${list} is in the report, but does not exist.`),
    ...(build.unmarked ?? []).map(
      (id) => `No test names ${id}. Write the comment "AC: ${id}" above the test that shows it.`,
    ),
  );
  const { status, problems: failures } = build.tests;
  if (status !== "failed" && status !== "unknown") return problems;
  const unexplained = status === "failed" ? "The tests fail." : "The tests could not run: there is no test command.";
  return [...problems, ...(failures.length > 0 ? failures.map(({ problem }) => problem) : [unexplained])];
}

function describeList(names: readonly string[], describe: (list: string) => string): string[] {
  if (names.length === 0) return [];
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return [describe(`${sanitizeText(names.slice(0, 5).join(", "), 300)}${rest}`)];
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
  if (tags.length > 0) draft.effects.push({ kind: "tags", feature, role: "builder", tags, tasks });
  draft.keep(countFeatureRun(known, `build-${group}`));
  const record = cancelFeatureWork(draft, known);
  const counted = getLostRunCount(record, BLOCKED_COUNTER) === 0 ? countFixAttempt(record, "retry") : undefined;
  const fix = { source: "blocker", batch: null, detail, groups: [] } as const;
  draft.keep(featureRework.requestNewPlan(countLostRun(counted ?? record, BLOCKED_COUNTER), fix));
  if (!counted) featureRework.escalateFeature(draft, feature, detail);
  return EVENT_APPLIED;
}

export function applyGateReport(draft: LeadDraft, feature: FeatureName, { facts }: ReportOf<"gate">): EventOutcome {
  const record = draft.feature(feature);
  const { build } = facts;
  if (!record) return rejectEvent(`There is no feature ${feature}.`);
  if (!build) return rejectEvent(`The checks of ${feature} did not run. Report the gate again.`);
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
  const { hash, files, file_hashes } = build;
  const next = applyCompletedImplementation(record, { hash, files, file_hashes }, at);
  const isWaveFix = record.fix?.source === "wave" || record.fix?.source === "dead-code";
  const review = record.reviews.implementation;
  // The wave's gate reviews its own fixes again.
  const reviews =
    isWaveFix && review ? { ...next.reviews, implementation: { ...review, of: build.hash } } : next.reviews;
  draft.keep(countFeatureRun(clearLostRuns({ ...next, reviews }, "gate", BLOCKED_COUNTER), "gate"));
  draft.acceptEdits(record.feature_name, "code");
  // The code was edited after it had passed, so reviews of the wave looked at something else.
  if (record.implementation.hash !== null && record.implementation.hash !== hash)
    featureRework.reopenWaveGates(draft, record, "review");
  featureRework.unblockReadyDependents(draft, record.feature_name);
}

function failFeatureGate(draft: LeadDraft, record: FeatureRecord, { missing, tests }: BuildFacts): void {
  const { fix, implementation } = record;
  const lines = [...missing.map((file) => `${file} is not there.`), ...tests.problems.map(({ problem }) => problem)];
  const detail = sanitizeText(lines.join(" ") || "The tests fail.", 2_000);
  const ended = countFeatureRun(clearLostRuns(record, "gate"), "gate");
  // Code that had passed was edited since, and not by a Builder.
  const counted = implementation.hash !== null ? ended : countFixAttempt(ended, "retry");
  const owners = new Map(
    implementation.groups.flatMap(({ id, files }) => files.map((file) => [normalizePathKey(file), id] as const)),
  );
  const findOwner = (path: string): string | undefined => owners.get(normalizePathKey(path));
  const named = lines.flatMap((line) =>
    extractFilePaths(line, (path) => (findOwner(path) === undefined ? undefined : path)),
  );
  const groups = [...new Set(named.flatMap((file) => findOwner(file) ?? []))];
  // A fix that fails the gate keeps its source and batch.
  const { source, batch } = fix && fix.groups.length > 0 ? fix : ({ source: "gate", batch: null } as const);
  draft.keep(featureRework.reopenTaskGroups(counted ?? ended, { source, batch, detail, groups }));
  if (!counted) featureRework.escalateFeature(draft, record.feature_name, `The gate did not pass: ${detail}`);
}

/** Tests of exactly the files that the wave will commit. Failures go to the owners of the files they name. */
export function applyWaveGateReport(draft: LeadDraft, wave: number, { facts }: ReportOf<"gate">): EventOutcome {
  const gate = draft.waves.get(wave) ?? createWaveRecord(wave);
  const { tree = "", tests } = facts.wave ?? {};
  if (!tests) return rejectEvent(`The tests of wave ${wave} did not run. Report the gate again.`);
  if (tests.status === "unknown" || tests.status === "deferred") return rejectEvent(...tests.problems);
  const runs = addCount(gate.runs, "gate");
  if (tests.status !== "failed") {
    draft.waves.set(wave, { ...gate, runs, tested: tree });
    return EVENT_APPLIED;
  }
  draft.waves.set(wave, { ...gate, runs });
  const lines = tests.problems.map(({ problem }) => problem);
  const records = draft.features.values().filter((each) => getFeatureWave(each) <= wave && each.phase !== "blocked");
  const owned = routeFindings(
    records,
    lines.map((location) => ({ location })),
  );
  const meant = records.filter(({ feature_name }) => owned.has(feature_name));
  for (const known of meant.length > 0 ? meant : records.filter((each) => getFeatureWave(each) === wave)) {
    const record = cancelFeatureWork(draft, known);
    const groups = owned.get(record.feature_name) ?? record.implementation.groups.map(({ id }) => id);
    const detail = sanitizeText(`From a clean checkout of the wave's commit: ${lines.join(" ")}`, 2_000);
    const counted = countFixAttempt(record, "retry");
    draft.keep(featureRework.reopenTaskGroups(counted ?? record, { source: "gate", batch: null, detail, groups }));
    featureRework.reopenWaveGates(draft, record, "review");
    if (!counted) featureRework.escalateFeature(draft, record.feature_name, detail);
  }
  return EVENT_APPLIED;
}

/** A declined commit finishes the work too. */
export function applyCommitReport(draft: LeadDraft, action: CommitAction, sent: ReportOf<"commit">): EventOutcome {
  const {
    report,
    facts: { commit },
  } = sent;
  if (!report.declined && !commit)
    return rejectEvent(`No commit was found. Commit with the message given, or decline ${action.id}.`);
  if (!report.declined && !commit?.isClean) {
    const left = describeList(commit?.missing ?? [], (list) => `: ${list}`).join("");
    return rejectEvent(
      `Commit ${commit?.hash} lacks files of the work${left}. Commit them too, or decline ${action.id}.`,
    );
  }
  if (!report.declined && commit?.tests && commit.tests.status !== "passed" && commit.tests.status !== "waived")
    return rejectEvent(
      `Commit ${commit.hash} does not pass its tests from a clean checkout. Undo it, or commit what is missing, and report again.`,
      ...commit.tests.problems,
    );
  const known = action.wave === null ? undefined : (draft.waves.get(action.wave) ?? createWaveRecord(action.wave));
  const { tested: _, reopened: __, is_short: ___, ...rest } = known ?? createWaveRecord(0);
  const wave = known && rest;
  const records = action.features.flatMap((name) => draft.feature(name) ?? []);
  if (wave && action.id === createWaveCommitId(wave.wave, wave)) {
    draft.waves.set(wave.wave, { ...wave, step: "done", runs: addCount(wave.runs, "commit") });
    for (const record of records) if (record.phase !== "blocked") draft.keep(finishCommit(record));
    draft.effects.push({ kind: "wave-finished", wave: wave.wave });
    return EVENT_APPLIED;
  }
  for (const record of records) draft.keep(countFeatureRun(finishCommit(record), "commit"));
  for (const name of action.features) dropFeatureGoal(draft, name);
  return EVENT_APPLIED;
}

/** The commit contains the removals, or the user declined it. */
function finishCommit(record: FeatureRecord): FeatureRecord {
  // The commit of a design's review ends no work on the code.
  if (record.implementation.hash === null) return record;
  const { files_removed: _, ...implementation } = record.implementation;
  return updateOrchestration({ ...record, implementation }, { total_count: 0 });
}
