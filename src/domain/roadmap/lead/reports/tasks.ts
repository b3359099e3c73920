import { PathSet } from "../../../feature/file-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../../feature/record.ts";
import { applyAcceptedTasks } from "../../../feature/versions.ts";
import type { AgentWork } from "../action.ts";
import { clearLostRuns, markPartitionTried, countFeatureRun } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import { endReachedGoal } from "../changes/goal.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "../taken.ts";

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
