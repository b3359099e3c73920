import {
  type FeatureRecord,
  applyAcceptedDesign,
  type TaskGroupRecord,
  applyAcceptedTasks,
} from "../feature/feature-record.ts";
import type { AgentWork } from "./lead-state.ts";
import {
  BLOCKED_COUNTER,
  clearLostRuns,
  resetPartitionTried,
  countFeatureRun,
  markPartitionTried,
} from "./feature-counters.ts";
import type { LeadDraft } from "./lead-draft.ts";
import { endReachedGoal } from "./work-cancellation.ts";
import { voidDependentDesigns } from "./feature-rework.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "./lead-events.ts";
import { listActiveDependencies } from "./lead-view.ts";
import { PathSet } from "../feature/claimed-path.ts";

/** Accepts a design without problems. A fix must change the design. */
export function applyDesignReport(
  draft: LeadDraft,
  { feature, isFix }: Extract<AgentWork, { of: "design" }>,
  { report, facts }: ReportWithFacts<"architect">,
): EventOutcome {
  const record = draft.feature(feature);
  const { design } = facts;
  if (!record) return rejectLeadEvent(`There is no feature ${feature}.`);
  if (!design) return rejectLeadEvent(`Nobody looked at the design of ${feature}. Write design.md and report again.`);
  if (design.problems.length > 0) return rejectLeadEvent(...design.problems);
  if (isFix && design.hash === record.design?.hash) {
    return rejectLeadEvent(`design.md of ${feature} is unchanged. Mend what the review found, then report again.`);
  }
  const accepted = { hash: design.hash, files: design.files, basis: collectDesignBasis(draft, record) };
  const next = applyAcceptedDesign(record, accepted, facts.at);
  const implementation = { ...next.implementation, tasks_hash: null, groups: [], hash: null, excluded: [] };
  const accepting = resetPartitionTried(clearLostRuns({ ...next, implementation }, "architect", BLOCKED_COUNTER));
  draft.keep(countFeatureRun(accepting, "architect"));
  if (design.hash !== record.design?.hash) voidDependentDesigns(draft, feature, design.hash);
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "architect", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

function collectDesignBasis(draft: LeadDraft, record: FeatureRecord): Record<string, string> {
  return Object.fromEntries(
    listActiveDependencies(record).flatMap((name) => {
      const hash = draft.feature(name)?.design?.hash;
      return hash === undefined ? [] : [[name, hash]];
    }),
  );
}

/**
 * A plan should avoid the excluded files. If it still claims one, it is accepted and the feature waits for that file.
 */
export function applyTasksReport(
  draft: LeadDraft,
  { feature, excluded, blocker }: Extract<AgentWork, { of: "tasks" }>,
  { report, facts }: ReportWithFacts<"tasks">,
): EventOutcome {
  const record = draft.feature(feature);
  const { tasks } = facts;
  if (!record) return rejectLeadEvent(`There is no feature ${feature}.`);
  if (!tasks) return rejectLeadEvent(`Nobody looked at the tasks of ${feature}. Write tasks.yaml and report again.`);
  const problems = [...tasks.problems, ...listPlanProblems(tasks.groups)];
  if (problems.length > 0) return rejectLeadEvent(...problems);
  // Finished groups stay done after a blocker or a partition, but not after a new design.
  const isKept = blocker !== null || excluded.length > 0;
  const groups = tasks.groups.map((group) => ({
    ...group,
    status: isKept && isGroupStillDone(record, group) ? ("done" as const) : ("pending" as const),
  }));
  const claimed = new PathSet(groups.flatMap(({ files }) => files));
  const without = excluded.filter((file) => !claimed.has(file));
  const next = applyAcceptedTasks(record, { hash: tasks.hash, groups, excluded: without }, facts.at);
  const implementation = { ...next.implementation, hash: null };
  const planned = clearLostRuns({ ...next, implementation }, "tasks");
  draft.keep(countFeatureRun(without.length < excluded.length ? markPartitionTried(planned) : planned, "tasks"));
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "task-generator", tags: report.tags });
  endReachedGoal(draft, feature);
  return EVENT_APPLIED;
}

function isGroupStillDone({ implementation }: FeatureRecord, group: TaskGroupRecord): boolean {
  const known = implementation.groups.find(({ id }) => id === group.id);
  return known?.status === "done" && isSameList(known.tasks, group.tasks) && isSameList(known.files, group.files);
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
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
