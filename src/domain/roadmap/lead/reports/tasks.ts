import { PathSet } from "../../../feature/file-path.ts";
import type { FeatureRecord, GroupRecord } from "../../../feature/record.ts";
import { tasked } from "../../../feature/versions.ts";
import type { Work } from "../action.ts";
import { withoutLost, withPartitionTried, withRun } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import { endGoal } from "../changes/goal.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";

/**
 * A plan should avoid the excluded files. If it still claims one, it is accepted and the feature waits for that file.
 */
export function takeTasks(
  draft: Draft,
  { feature, excluded, blocker }: Extract<Work, { of: "tasks" }>,
  { report, facts }: Reported<"tasks">,
): Taken {
  const record = draft.feature(feature);
  const { tasks } = facts;
  if (!record) return refuse(`There is no feature ${feature}.`);
  if (!tasks) return refuse(`Nobody looked at the tasks of ${feature}. Write tasks.yaml and report again.`);
  const problems = [...tasks.problems, ...planProblems(tasks.groups)];
  if (problems.length > 0) return refuse(...problems);
  // Finished groups stay done after a blocker or a partition, but not after a new design.
  const isKept = blocker !== null || excluded.length > 0;
  const groups = tasks.groups.map((group) => ({
    ...group,
    status: isKept && isDoneIn(record, group) ? ("done" as const) : ("pending" as const),
  }));
  const claimed = new PathSet(groups.flatMap(({ files }) => files));
  const without = excluded.filter((file) => !claimed.has(file));
  const next = tasked(record, { hash: tasks.hash, groups, excluded: without }, facts.at);
  const implementation = { ...next.implementation, hash: null };
  const planned = withoutLost({ ...next, implementation }, "tasks");
  draft.keep(withRun(without.length < excluded.length ? withPartitionTried(planned) : planned, "tasks"));
  if (report.tags.length > 0) draft.effect({ kind: "tags", feature, role: "task-generator", tags: report.tags });
  endGoal(draft, feature);
  return APPLIED;
}

function isDoneIn({ implementation }: FeatureRecord, group: GroupRecord): boolean {
  const known = implementation.groups.find(({ id }) => id === group.id);
  return known?.status === "done" && sameList(known.tasks, group.tasks) && sameList(known.files, group.files);
}

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, i) => item === other[i]);

function planProblems(groups: readonly GroupRecord[]): string[] {
  if (groups.length === 0) return ["There is no group to build. Put every task in a group and report again."];
  const byId = new Map(groups.map((group) => [group.id, group]));
  const problems: string[] = [];
  if (byId.size < groups.length) problems.push("Two groups have one id. Give each its own.");
  for (const { id, depends } of groups) {
    const unknown = depends.find((other) => !byId.has(other));
    if (unknown !== undefined) problems.push(`Group ${id} depends on group ${unknown}, which is not there.`);
  }
  const stuck = firstStuck(byId);
  if (stuck !== undefined) problems.push(`Group ${stuck} waits for itself by what it depends on.`);
  return problems;
}

function firstStuck(groups: ReadonlyMap<string, GroupRecord>): string | undefined {
  const left = new Map(groups);
  for (;;) {
    const free = [...left.values()].filter(({ depends }) => !depends.some((id) => left.has(id)));
    if (free.length === 0) return left.keys().next().value;
    for (const { id } of free) left.delete(id);
  }
}
