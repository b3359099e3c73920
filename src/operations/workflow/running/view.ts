import type * as z from "zod";
import { formatDuration } from "#domain/day.ts";
import { Fault, type SuggestedFix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quoteShellWord } from "#domain/quote.ts";
import { gateOf } from "#domain/workflow/flows.ts";
import { isHeld } from "#domain/workflow/locks.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { spentAt, type Timebox } from "#domain/workflow/timebox.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { specFile } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { stagesLine } from "../../flow-page.ts";
import type { WorkflowView } from "../schema.ts";
import { snapshotsOf } from "./keeping-files.ts";
import { currentIn, type Runtime, standingIn } from "./runtime.ts";

export type View = z.infer<typeof WorkflowView>;

export function viewWorkflow(record: WorkflowRecord, runtime: Runtime, session: string, at: string): View {
  const { id, kind, title, status, current_stage, priority, started_at, updated_at, finished_at } = record;
  const { standing } = standingIn(runtime, id);
  return {
    id,
    kind,
    title,
    status: status === "active" ? (standing === "paused" ? "paused" : "active") : status,
    stage: current_stage,
    stages: record.stages.map(({ name, status: stageStatus }) => ({ name, status: stageStatus })),
    priority,
    is_current: (currentIn(runtime, session) ?? onlyOne(runtime)) === id,
    interrupted: status === "active" && standing === "interrupted",
    spec: specFile(id),
    started_at,
    updated_at,
    ...(finished_at ? { finished_at } : {}),
    files_locked: runtime.locks.filter((lock) => lock.workflow === id && isHeld(lock)).map(({ path }) => path),
    snapshots: snapshotsOf(runtime, id).map(({ n, stage, why, at: taken, files_modified, head }) => ({
      n,
      stage,
      why,
      timestamp: taken,
      files_modified: [...files_modified],
      ...(head ? { git_commit: head } : {}),
    })),
    ...(record.timebox ? { timebox: viewTimebox(record.timebox, at) } : {}),
    ...(record.adr ? { adr: record.adr } : {}),
    ...(record.worktree ? { worktree: record.worktree.path } : {}),
    ...(record.abandoned ? { reason: record.abandoned.reason } : {}),
  };
}

/** Without a current workflow, the only active one counts as current. */
function onlyOne({ workflows }: Runtime): string | undefined {
  const [first, second] = [...workflows.values()].filter(isUnfinished);
  return second ? undefined : first?.id;
}

function viewTimebox(timebox: Timebox, at: string): NonNullable<View["timebox"]> {
  const spent = spentAt(timebox, at);
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

export function workflowPage(title: string, view: View): Page {
  return {
    title,
    facts: [
      [
        "workflow",
        `${view.id} (${view.kind}, ${view.interrupted ? "interrupted" : view.status}, priority ${view.priority})`,
      ],
      ["title", sanitizeText(view.title, 200)],
      ["stages", stagesLine(view.stages)],
      ["spec", view.spec],
      ...(view.files_locked.length > 0 ? [["locked", listed(view.files_locked)] as const] : []),
      ...(view.timebox
        ? [["timebox", `${view.timebox.spent} of ${view.timebox.limit} (${view.timebox.percent} %)`] as const]
        : []),
      ...(view.worktree ? [["worktree", view.worktree] as const] : []),
    ],
  };
}

const MOST_LISTED = 8;

export function listed(paths: readonly string[]): string {
  const rest = paths.length - MOST_LISTED;
  return `${paths
    .slice(0, MOST_LISTED)
    .map((path) => sanitizeText(path, 120))
    .join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

export interface Next {
  readonly stage: string;
  readonly guide: string;
}

export async function nextStage(
  engine: Pick<Engine, "assets">,
  { kind, current_stage }: Pick<WorkflowRecord, "kind" | "current_stage">,
): Promise<Next> {
  const guide = await engine.assets.text(`guides/workflow/${kind}/${current_stage}`);
  return { stage: current_stage, guide: guide.trimEnd() };
}

export function nextCalls(
  view: Pick<View, "id" | "kind" | "status" | "stage" | "is_current">,
  isUnagreed = gateOf(view.kind, view.stage).approval !== undefined,
): SuggestedFix[] {
  const { id } = view;
  if (view.status !== "active" && view.status !== "paused") return [];
  if (!view.is_current) return [{ operation: "workflow.switch", input: { id } }];
  const { documents, commands } = gateOf(view.kind, view.stage);
  const isToBeWhole = documents.includes("spec-valid");
  return [
    // A gate with commands comes after the stages that approve the spec.
    commands.length > 0
      ? { operation: "gate.run", input: { id } }
      : { operation: "spec.validate", input: { id, ...(isToBeWhole ? { depth: "complete" } : {}) } },
    { operation: "workflow.advance", input: { id, ...(isUnagreed ? { approve: "…" } : {}) } },
  ];
}

export function refuseElsewhere({ root }: Pick<Engine, "root">, { id, worktree }: WorkflowRecord): void {
  if (!worktree || worktree.path === root) return;
  throw new Fault("workflow.elsewhere", {
    what: `${id} is not worked on here.`,
    why: `It has a worktree of its own, with its spec and its files: ${worktree.path}.`,
    fix: `cd ${quoteShellWord(worktree.path)}`,
  });
}

export const worktreeStays = ({ path, branch }: NonNullable<WorkflowRecord["worktree"]>): string =>
  `Its folder and branch stay; when ${branch} is merged: git worktree remove ${quoteShellWord(path)}`;
