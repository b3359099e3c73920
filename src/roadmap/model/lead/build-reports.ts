import {
  type FeatureRecord,
  type PendingFix,
  type TaskGroupRecord,
  applyCompletedImplementation,
} from "../feature/feature-record.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { AgentWork, GateAction, CommitAction } from "./lead-state.ts";
import { escalateFeature, unblockReadyDependents } from "./blocked-features.ts";
import {
  BLOCKED_COUNTER,
  getLostRunCount,
  countFixAttempt,
  countLostRun,
  clearLostRuns,
  countFeatureRun,
  resetTotalCounter,
} from "./feature-counters.ts";
import { cancelFeatureWork, dropFeatureGoal } from "./work-cancellation.ts";
import type { LeadDraft } from "./lead-draft.ts";
import {
  type ReportFacts,
  EVENT_APPLIED,
  rejectLeadEvent,
  type ReportWithFacts,
  type EventOutcome,
} from "./lead-events.ts";
import { requestNewPlan, reopenTaskGroups } from "./feature-rework.ts";
import { normalizePathKey } from "../feature/claimed-path.ts";
import { extractFilePaths } from "../file-ownership.ts";
import { createWaveCommitId } from "./action-ids.ts";
import { createWaveRecord } from "./wave-progress.ts";

type BuildWork = Extract<AgentWork, { of: "build" }>;

export function applyBuildReport(
  draft: LeadDraft,
  work: BuildWork,
  { report, facts }: ReportWithFacts<"builder">,
): EventOutcome {
  const record = draft.feature(work.feature);
  const group = record?.implementation.groups.find(({ id }) => id === work.group);
  if (!record || !group) return rejectLeadEvent(`Group ${work.group} of ${work.feature} is not there.`);
  const removed = listRemovedFiles(work, record, report, facts);
  const problems = [...listClaimProblems(work, group, report), ...listBuildProblems(facts, report.files, removed)];
  if (problems.length > 0) return rejectLeadEvent(...problems);
  const key = `build-${group.id}` as const;
  const done = markGroupDone(removeGroupFiles(record, group, removed), group, facts.build?.files ?? []);
  draft.keep(countFeatureRun(clearLostRuns(done, key), key));
  const tasks = report.tasks.filter((task) => group.tasks.includes(task));
  if (tasks.length > 0) draft.effect({ kind: "tasks-done", feature: work.feature, tasks });
  if (report.tags.length > 0) {
    draft.effect({ kind: "tags", feature: work.feature, role: "builder", tags: report.tags, tasks });
  }
  return EVENT_APPLIED;
}

/** Files that a fix of review findings deleted and lists in its report. Deleting a failing test does not fix a gate. */
function listRemovedFiles(
  { isFix }: BuildWork,
  { fix }: FeatureRecord,
  { files }: ReportWithFacts<"builder">["report"],
  { build }: ReportFacts,
): readonly string[] {
  if (!isFix || !isReviewFix(fix)) return [];
  return build?.missing.filter((file) => files.includes(file)) ?? [];
}

const isReviewFix = (fix: PendingFix | null): boolean =>
  fix !== null && ["impl", "wave", "dead-code"].includes(fix.source);

function removeGroupFiles(record: FeatureRecord, { id }: TaskGroupRecord, removed: readonly string[]): FeatureRecord {
  if (removed.length === 0) return record;
  const { implementation } = record;
  const left = (files: readonly string[]): string[] => files.filter((file) => !removed.includes(file));
  const groups = implementation.groups.map((group) =>
    group.id === id ? { ...group, files: left(group.files) } : group,
  );
  return {
    ...record,
    implementation: {
      ...implementation,
      groups,
      files_created: left(implementation.files_created),
      files_removed: [...new Set([...(implementation.files_removed ?? []), ...removed])].toSorted(),
    },
  };
}

function markGroupDone(record: FeatureRecord, { id }: TaskGroupRecord, files: readonly string[]): FeatureRecord {
  const { implementation } = record;
  const groups = implementation.groups.map((group) =>
    group.id === id ? { ...group, status: "done" as const } : group,
  );
  const files_created = [...new Set([...implementation.files_created, ...files])].toSorted();
  const { files_removed, ...rest } = implementation;
  // A deleted file may be written again.
  const gone = (files_removed ?? []).filter((file) => !files.includes(file));
  const removed = gone.length === 0 ? {} : { files_removed: gone };
  return { ...record, implementation: { ...rest, groups, files_created, ...removed } };
}

/** A fix need not touch every task of its group. */
function listClaimProblems(
  work: BuildWork,
  group: TaskGroupRecord,
  report: ReportWithFacts<"builder">["report"],
): string[] {
  const problems: string[] = [];
  const foreign = report.files.filter((file) => !group.files.includes(file));
  if (foreign.length > 0) {
    problems.push(
      `${formatShortList(foreign)} is not of group ${group.id}. Undo what was changed there and report again.`,
    );
  }
  const others = report.tasks.filter((task) => !group.tasks.includes(task));
  if (others.length > 0) problems.push(`Task ${formatShortList(others)} is not of group ${group.id}.`);
  const optional = new Set(group.optional);
  const left = work.isFix ? [] : work.tasks.filter((task) => !report.tasks.includes(task) && !optional.has(task));
  if (left.length > 0) problems.push(`Task ${formatShortList(left)} is not done. Do it, or report BUILDER_BLOCKED.`);
  const { tests } = report;
  if (tests && tests.passed < tests.total) {
    problems.push(`${tests.total - tests.passed} of ${tests.total} tests fail by the report itself. Make them pass.`);
  }
  return problems;
}

function listBuildProblems({ build }: ReportFacts, claimed: readonly string[], removed: readonly string[]): string[] {
  if (!build) return ["Nobody looked at what was built. Report again."];
  const problems: string[] = [];
  const missing = build.missing.filter((file) => !removed.includes(file));
  if (missing.length > 0) problems.push(`${formatShortList(missing)} is not there. Write it and report again.`);
  if (build.outside.length > 0) {
    problems.push(`${formatShortList(build.outside)} was changed outside of the group. Undo that and report again.`);
  }
  const unwritten = claimed.filter((file) => !build.files.includes(file) && !build.missing.includes(file));
  if (unwritten.length > 0) problems.push(`${formatShortList(unwritten)} is claimed but not there.`);
  return [...problems, ...listTestProblems(build.tests)];
}

function listTestProblems({ status, problems }: NonNullable<ReportFacts["build"]>["tests"]): string[] {
  if (status !== "failed" && status !== "unknown") return [];
  const lines = problems.map(({ problem }) => problem);
  if (lines.length > 0) return lines;
  return [status === "failed" ? "The tests fail." : "Nobody knows whether the tests pass: there is no test command."];
}

const formatShortList = (names: readonly string[]): string =>
  `${sanitizeText(names.slice(0, 5).join(", "), 300)}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;

/** The first blocker leads to new tasks, the next one to the user. */
export function applyBlockerReport(
  draft: LeadDraft,
  work: BuildWork,
  { report }: ReportWithFacts<"builder-blocked">,
): EventOutcome {
  const known = draft.feature(work.feature);
  if (!known) return rejectLeadEvent(`There is no feature ${work.feature}.`);
  const blocker = sanitizeText(report.blocker.trim() || "no reason was given", 1_000);
  const detail = `Group ${work.group} is blocked: ${blocker}`;
  const { tags = [], tasks } = report;
  if (tags.length > 0) draft.effect({ kind: "tags", feature: work.feature, role: "builder", tags, tasks });
  draft.keep(countFeatureRun(known, `build-${work.group}`));
  cancelFeatureWork(draft, work.feature);
  const record = draft.feature(work.feature) ?? known;
  const fix = { source: "blocker", batch: null, detail, groups: [] } as const;
  const counted = getLostRunCount(record, BLOCKED_COUNTER) === 0 ? countFixAttempt(record, "retry") : undefined;
  draft.keep(requestNewPlan(countLostRun(counted ?? record, BLOCKED_COUNTER), fix));
  if (!counted) escalateFeature(draft, work.feature, detail);
  return EVENT_APPLIED;
}

type GateBuildFacts = NonNullable<ReportFacts["build"]>;

export function applyGateReport(
  draft: LeadDraft,
  { feature }: GateAction,
  { facts }: ReportWithFacts<"gate">,
): EventOutcome {
  const record = draft.feature(feature);
  const { build } = facts;
  if (!record) return rejectLeadEvent(`There is no feature ${feature}.`);
  if (!build) return rejectLeadEvent(`Nobody has run the checks of ${feature}. Report the gate again.`);
  const { status, problems } = build.tests;
  // Unknown is not passed, and building again would not help.
  if (status === "unknown" || status === "deferred") {
    return rejectLeadEvent(
      `The tests of ${feature} were not run. Name a test command, or waive it, and run the gate again.`,
      ...problems,
    );
  }
  if (status === "failed" || build.missing.length > 0) return failFeatureGate(draft, record, build);
  return passFeatureGate(draft, record, build, facts.at);
}

function passFeatureGate(draft: LeadDraft, record: FeatureRecord, build: GateBuildFacts, at: string): EventOutcome {
  const next = applyCompletedImplementation(record, { hash: build.hash, files: build.files }, at);
  const isWaveFix = record.fix?.source === "wave" || record.fix?.source === "dead-code";
  const review = record.reviews.implementation;
  // The wave's gate reviews its own fixes again.
  const reviews =
    isWaveFix && review ? { ...next.reviews, implementation: { ...review, of: build.hash } } : next.reviews;
  draft.keep(countFeatureRun(clearLostRuns({ ...next, reviews }, "gate", BLOCKED_COUNTER), "gate"));
  unblockReadyDependents(draft, record.feature_name);
  return EVENT_APPLIED;
}

function failFeatureGate(draft: LeadDraft, record: FeatureRecord, build: GateBuildFacts): EventOutcome {
  const lines = [
    ...build.missing.map((file) => `${file} is not there.`),
    ...build.tests.problems.map(({ problem }) => problem),
  ];
  const detail = sanitizeText(lines.join(" ") || "The tests fail.", 2_000);
  const ended = countFeatureRun(clearLostRuns(record, "gate"), "gate");
  const counted = countFixAttempt(ended, "retry");
  draft.keep(reopenTaskGroups(counted ?? ended, createGateFix(record, detail, findFailingGroups(record, lines))));
  if (!counted) escalateFeature(draft, record.feature_name, `The gate says no: ${detail}`);
  return EVENT_APPLIED;
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
  { report, facts }: ReportWithFacts<"commit">,
): EventOutcome {
  if (!report.declined) {
    if (!facts.commit)
      return rejectLeadEvent(`No commit was found. Commit with the message given, or decline ${action.id}.`);
    if (!facts.commit.isClean) {
      return rejectLeadEvent(
        `Commit ${facts.commit.hash} leaves files of the work out. Commit them too, or decline ${action.id}.`,
      );
    }
  }
  const wave = action.wave === null ? undefined : (draft.wave(action.wave) ?? createWaveRecord(action.wave));
  if (wave && action.id === createWaveCommitId(wave.wave, wave)) {
    const runs = { ...wave.runs, commit: (wave.runs["commit"] ?? 0) + 1 };
    draft.keepWave({ ...wave, step: "done", runs });
    for (const name of action.features) {
      const record = draft.feature(name);
      if (record && record.phase !== "blocked") draft.keep(clearRemovedFiles(resetTotalCounter(record)));
    }
    draft.effect({ kind: "wave-finished", wave: wave.wave });
    return EVENT_APPLIED;
  }
  for (const name of action.features) {
    const record = draft.feature(name);
    if (record) draft.keep(clearRemovedFiles(countFeatureRun(resetTotalCounter(record), "commit")));
    dropFeatureGoal(draft, name);
  }
  return EVENT_APPLIED;
}

/** The commit contains the removals, or the user declined it. */
function clearRemovedFiles(record: FeatureRecord): FeatureRecord {
  const { files_removed, ...implementation } = record.implementation;
  return files_removed === undefined ? record : { ...record, implementation };
}
