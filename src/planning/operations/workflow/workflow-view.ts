import type * as z from "zod";
import { countSecondsBetween, formatDuration, type SteadyMoment } from "#kernel/model/utc-time.ts";
import { Fault, type SuggestedFix } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText, quoteShellWord } from "#kernel/model/text-format.ts";
import type { WorkflowRecord, WorkflowSnapshot } from "../../model/workflow/workflow-record.ts";
import { findStageGate, computeTimeSpent, formatWorkDuration } from "../../model/workflow/workflow-record.ts";
import type { LockConflict } from "../../model/workflow/file-locks.ts";
import type { QueueItem } from "../../model/workflow/work-queue.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { formatStageLine } from "#kernel/operations/stage-lines.ts";
import type { LockHolderOutput, QueueItemOutput, WorkflowViewOutput } from "./schema.ts";
import { listWorkflowSnapshots } from "./workflow-snapshots.ts";
import {
  createQueueItem,
  findCurrentWork,
  findWorkActivity,
  listLockedPaths,
  listWorkQueue,
  type WorkflowDraft,
  type WorkRuntime,
} from "./workflow-runtime.ts";

export type WorkflowViewData = z.infer<typeof WorkflowViewOutput>;

export function createWorkflowView(
  record: WorkflowRecord,
  runtime: WorkRuntime,
  session: string,
  at: string,
  steady?: SteadyMoment,
) {
  const { id, kind, status, timebox } = record;
  const { standing, session: owner } = findWorkActivity(runtime, id);
  const active = [...runtime.workflows.values()].filter(isActiveWorkflow);
  // Without a current workflow, the only active one counts as current.
  const only = active.length === 1 ? active[0]?.id : undefined;
  const spent = timebox ? computeTimeSpent(timebox, at, steady) : 0;
  return {
    ...createQueueItem(record),
    kind,
    status: status === "active" && standing === "paused" ? "paused" : status,
    stages: record.stages.map((stage) => ({ name: stage.name, status: stage.status })),
    is_current: (findCurrentWork(runtime, session) ?? only) === id,
    // A session simply continues its own work.
    interrupted: status === "active" && standing === "interrupted" && owner?.id !== session,
    spec: getSpecPath(id),
    finished_at: record.finished_at,
    files_locked: listLockedPaths(runtime, id),
    snapshots: listWorkflowSnapshots(runtime, id).map(({ n, stage, why, at: taken, files_modified, head }) => ({
      n,
      stage,
      why,
      timestamp: taken,
      files_modified: [...files_modified],
      git_commit: head,
    })),
    timebox: timebox && {
      limit: formatWorkDuration(timebox.limit_s),
      spent: formatWorkDuration(spent),
      percent: Math.floor((spent / timebox.limit_s) * 100),
      extensions: timebox.extensions.map(({ by_s, ...extension }) => ({ by: formatWorkDuration(by_s), ...extension })),
    },
    adr: record.adr,
    worktree: record.worktree?.path,
    reason: record.abandoned?.reason,
  };
}

export type QueueItemView = z.infer<typeof QueueItemOutput>;

export function createQueueItemView(
  item: QueueItem,
  runtime: WorkRuntime,
  { session: own, current }: { readonly session: string; readonly current: string | undefined },
  at: string,
) {
  const { standing, session } = findWorkActivity(runtime, item.id);
  return {
    ...item,
    status: standing === "paused" ? "paused" : "active",
    is_current: item.id === current,
    interrupted: standing === "interrupted" && session?.id !== own,
    session: session?.id,
    age: formatDuration(countSecondsBetween(item.updated_at, at)),
  };
}

export function formatWorkflowPage(title: string, view: WorkflowViewData): Page {
  const { timebox } = view;
  const state = view.interrupted ? "interrupted" : view.status;
  return {
    title,
    facts: [
      ["workflow", `${view.id} (${view.kind}, ${state}, priority ${view.priority})`],
      ["title", sanitizeText(view.title, 200)],
      ["stages", formatStageLine(view.stages)],
      ["spec", view.spec],
      ...(view.files_locked.length > 0 ? [["locked", formatPathList(view.files_locked)] as const] : []),
      ...(timebox ? [["timebox", `${timebox.spent} of ${timebox.limit} (${timebox.percent} %)`] as const] : []),
      ...(view.worktree ? [["worktree", view.worktree] as const] : []),
    ],
  };
}

export function formatPathList(paths: readonly string[]): string {
  const shown = paths.slice(0, 8).map((path) => sanitizeText(path, 120));
  const rest = paths.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

export const formatParkedNote = (parked: WorkflowSnapshot | undefined): string[] =>
  parked ? [`Snapshot ${parked.n} has the work of ${parked.workflow}.`] : [];

export async function loadOpenStage({ assets }: PlanningEngine, { kind, current_stage }: WorkflowRecord) {
  const guide = await assets.text(`guides/workflow/${kind}/${current_stage}`);
  return { stage: current_stage, guide: guide.trimEnd() };
}

export function suggestNextCalls(
  view: Pick<WorkflowViewData, "id" | "kind" | "status" | "stage" | "is_current" | "worktree">,
): SuggestedFix[] {
  const { id } = view;
  // The files of a workflow with a worktree are there, wherever the caller is.
  const where = view.worktree === undefined ? {} : { workspace: view.worktree };
  if (view.status !== "active" && view.status !== "paused") return [];
  if (!view.is_current) return [{ operation: "workflow.switch", input: { id } }];
  const { documents, commands } = findStageGate(view.kind, view.stage);
  const isToBeWhole = documents.includes("spec-valid");
  return [
    // A gate with commands comes after the stages that approve the spec.
    commands.length > 0
      ? { operation: "gate.run", input: { id, ...where } }
      : { operation: "spec.validate", input: { id, ...(isToBeWhole ? { depth: "complete" } : {}), ...where } },
    { operation: "workflow.advance", input: { id, ...where } },
  ];
}

export function rejectOtherWorktree({ root }: Pick<PlanningEngine, "root">, { id, worktree }: WorkflowRecord): void {
  if (!worktree || worktree.path === root) return;
  throw new Fault("workflow.elsewhere", {
    what: `${id} belongs to another folder.`,
    why: `It has its own worktree, with its spec and files: ${worktree.path}.`,
    fix: [
      `cd ${quoteShellWord(worktree.path)}`,
      { operation: "workflow.status", input: { id, workspace: worktree.path } },
    ],
  });
}

export const formatWorktreeNote = ({ path, branch }: NonNullable<WorkflowRecord["worktree"]>): string =>
  `Its folder and branch stay; when ${branch} is merged: git worktree remove ${quoteShellWord(path)}`;

type LockHolder = z.infer<typeof LockHolderOutput>;

export function listLockHolders(conflicts: readonly LockConflict[], runtime: WorkRuntime): LockHolder[] {
  const stages = new Map(listWorkQueue(runtime).map(({ id, stage }) => [id, stage]));
  return conflicts.map(({ path, lock: { workflow, at: since } }) => {
    const stage = stages.get(workflow) ?? "ended";
    return { path, workflow, stage, since };
  });
}

export const formatLockHolder = ({ path, workflow, stage, since }: LockHolder): string =>
  `${path}: ${workflow} at stage ${stage}, since ${since}`;

/** Recorded for the statistics. */
export function recordLockRejection(draft: WorkflowDraft, workflow: string, conflicts: readonly LockConflict[]): void {
  const paths = [...new Set(conflicts.map(({ path }) => path))];
  draft.say("lock.refused", workflow, { paths, holder: conflicts[0]?.lock.workflow });
}

/** `id` is the claiming work. Without it a new workflow was about to begin, which can begin without these files. */
export function rejectHeldPaths(conflicts: readonly LockConflict[], runtime: WorkRuntime, what: string, id?: string) {
  const [first] = conflicts;
  if (!first) return;
  const told = listLockHolders(conflicts.slice(0, 5), runtime).map(formatLockHolder);
  const rest = conflicts.length - told.length;
  throw new Fault("lock.held", {
    what,
    why: `${told.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`,
    fix: [
      { operation: "workflow.switch", input: { id: first.lock.workflow } },
      ...(id === undefined
        ? ["Or start without that file, and claim it later with force if both must edit it."]
        : [{ operation: "workflow.lock", input: { action: "claim", paths: [first.path], id, force: true } }]),
      "Or wait until it ends, or ask its owner to release the file.",
    ],
  });
}
