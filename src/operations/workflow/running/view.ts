import type * as z from "zod";
import { formatDuration } from "#domain/day.ts";
import { Fault, type SuggestedFix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quoteShellWord } from "#domain/quote.ts";
import { findStageGate } from "#domain/workflow/flows.ts";
import { isLockHeld } from "#domain/workflow/locks.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { computeTimeSpent, type Timebox } from "#domain/workflow/timebox.ts";
import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import { getSpecPath } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { formatStageLine } from "../../flow-page.ts";
import type { WorkflowViewOutput } from "../schema.ts";
import { listWorkflowSnapshots } from "./keeping-files.ts";
import { findCurrentWork, type WorkRuntime, findWorkActivity } from "./runtime.ts";

export type WorkflowViewData = z.infer<typeof WorkflowViewOutput>;

export function createWorkflowView(
  record: WorkflowRecord,
  runtime: WorkRuntime,
  session: string,
  at: string,
): WorkflowViewData {
  const { id, kind, title, status, current_stage, priority, started_at, updated_at, finished_at } = record;
  const { standing } = findWorkActivity(runtime, id);
  return {
    id,
    kind,
    title,
    status: status === "active" ? (standing === "paused" ? "paused" : "active") : status,
    stage: current_stage,
    stages: record.stages.map(({ name, status: stageStatus }) => ({ name, status: stageStatus })),
    priority,
    is_current: (findCurrentWork(runtime, session) ?? findOnlyWorkflow(runtime)) === id,
    interrupted: status === "active" && standing === "interrupted",
    spec: getSpecPath(id),
    started_at,
    updated_at,
    ...(finished_at ? { finished_at } : {}),
    files_locked: runtime.locks.filter((lock) => lock.workflow === id && isLockHeld(lock)).map(({ path }) => path),
    snapshots: listWorkflowSnapshots(runtime, id).map(({ n, stage, why, at: taken, files_modified, head }) => ({
      n,
      stage,
      why,
      timestamp: taken,
      files_modified: [...files_modified],
      ...(head ? { git_commit: head } : {}),
    })),
    ...(record.timebox ? { timebox: createTimeboxView(record.timebox, at) } : {}),
    ...(record.adr ? { adr: record.adr } : {}),
    ...(record.worktree ? { worktree: record.worktree.path } : {}),
    ...(record.abandoned ? { reason: record.abandoned.reason } : {}),
  };
}

/** Without a current workflow, the only active one counts as current. */
function findOnlyWorkflow({ workflows }: WorkRuntime): string | undefined {
  const [first, second] = [...workflows.values()].filter(isActiveWorkflow);
  return second ? undefined : first?.id;
}

function createTimeboxView(timebox: Timebox, at: string): NonNullable<WorkflowViewData["timebox"]> {
  const spent = computeTimeSpent(timebox, at);
  return {
    limit: formatDuration(timebox.limit_s),
    spent: formatDuration(spent),
    percent: Math.floor((spent / timebox.limit_s) * 100),
    extensions: timebox.extensions.map(({ by_s, reason, at: when }) => ({
      by: formatDuration(by_s),
      reason,
      at: when,
    })),
  };
}

export function formatWorkflowPage(title: string, view: WorkflowViewData): Page {
  return {
    title,
    facts: [
      [
        "workflow",
        `${view.id} (${view.kind}, ${view.interrupted ? "interrupted" : view.status}, priority ${view.priority})`,
      ],
      ["title", sanitizeText(view.title, 200)],
      ["stages", formatStageLine(view.stages)],
      ["spec", view.spec],
      ...(view.files_locked.length > 0 ? [["locked", formatPathList(view.files_locked)] as const] : []),
      ...(view.timebox
        ? [["timebox", `${view.timebox.spent} of ${view.timebox.limit} (${view.timebox.percent} %)`] as const]
        : []),
      ...(view.worktree ? [["worktree", view.worktree] as const] : []),
    ],
  };
}

const MAX_LISTED_PATHS = 8;

export function formatPathList(paths: readonly string[]): string {
  const rest = paths.length - MAX_LISTED_PATHS;
  return `${paths
    .slice(0, MAX_LISTED_PATHS)
    .map((path) => sanitizeText(path, 120))
    .join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

export interface OpenStage {
  readonly stage: string;
  readonly guide: string;
}

export async function loadOpenStage(
  engine: Pick<Engine, "assets">,
  { kind, current_stage }: Pick<WorkflowRecord, "kind" | "current_stage">,
): Promise<OpenStage> {
  const guide = await engine.assets.text(`guides/workflow/${kind}/${current_stage}`);
  return { stage: current_stage, guide: guide.trimEnd() };
}

export function suggestNextCalls(
  view: Pick<WorkflowViewData, "id" | "kind" | "status" | "stage" | "is_current">,
  isUnagreed = findStageGate(view.kind, view.stage).approval !== undefined,
): SuggestedFix[] {
  const { id } = view;
  if (view.status !== "active" && view.status !== "paused") return [];
  if (!view.is_current) return [{ operation: "workflow.switch", input: { id } }];
  const { documents, commands } = findStageGate(view.kind, view.stage);
  const isToBeWhole = documents.includes("spec-valid");
  return [
    // A gate with commands comes after the stages that approve the spec.
    commands.length > 0
      ? { operation: "gate.run", input: { id } }
      : { operation: "spec.validate", input: { id, ...(isToBeWhole ? { depth: "complete" } : {}) } },
    { operation: "workflow.advance", input: { id, ...(isUnagreed ? { approve: "…" } : {}) } },
  ];
}

export function rejectOtherWorktree({ root }: Pick<Engine, "root">, { id, worktree }: WorkflowRecord): void {
  if (!worktree || worktree.path === root) return;
  throw new Fault("workflow.elsewhere", {
    what: `${id} is not worked on here.`,
    why: `It has a worktree of its own, with its spec and its files: ${worktree.path}.`,
    fix: `cd ${quoteShellWord(worktree.path)}`,
  });
}

export const formatWorktreeNote = ({ path, branch }: NonNullable<WorkflowRecord["worktree"]>): string =>
  `Its folder and branch stay; when ${branch} is merged: git worktree remove ${quoteShellWord(path)}`;
