import type { ChangeRecord } from "../change/change-record.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import { type PlainYamlNode, formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { getDefaultPriority, type QueueItem, sortWorkQueue } from "./work-queue.ts";
import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import {
  type FileLock,
  WORKFLOW_KINDS,
  type WorkflowKind,
  type WorkflowSnapshot,
  type WorkflowRecord,
} from "./workflow-record.ts";

export interface ExportedRuntime {
  readonly workflows?: readonly WorkflowRecord[];
  readonly locks?: readonly FileLock[];
  readonly snapshots?: readonly WorkflowSnapshot[];
  readonly priorities?: ReadonlyMap<string, number>;
  readonly current?: string | undefined;
  /** Hash of the working files as gates compute it. */
  readonly tree?: string | undefined;
  readonly isInterrupted?: (id: string) => boolean;
}

interface StateExportEntry extends Omit<QueueItem, "title"> {
  readonly canAdvance: boolean;
  /** Files changed since the gate of the current stage ran. */
  readonly isDirty: boolean;
  readonly more: { readonly [key: string]: PlainYamlNode };
  readonly retries: WorkflowRecord["retry_history"];
}

/** The runtime state as v2-style YAML for people and scripts. Tenon reads it only to rebuild a lost ledger. */
export function renderStateExport(changes: readonly ChangeRecord[], running: ExportedRuntime = {}): string {
  const { workflows = [] } = running;
  const isActive = ({ status }: { readonly status: string }): boolean => status === "active";
  const entries = sortWorkQueue([
    ...changes.filter(isActive).map((change) => createChangeEntry(change, running)),
    ...workflows.filter(isActive).map((record): StateExportEntry => ({
      ...record,
      stage: record.current_stage,
      canAdvance: findCurrentGate(record)?.passed === true && !isGateStale(record, running.tree),
      isDirty: isGateStale(record, running.tree),
      more: {
        title: record.title,
        ...(record.base_commit ? { base_commit: record.base_commit } : {}),
        ...(record.worktree ? { worktree: { ...record.worktree } } : {}),
        ...(record.timebox ? { timebox: formatDuration(record.timebox.limit_s) } : {}),
      },
      retries: record.retry_history,
    })),
  ]);
  const only = entries.length === 1 ? entries[0] : undefined;
  const current = entries.find(({ id }) => id === running.current) ?? only;
  return formatPlainYaml({
    version: "2.0",
    current_workflow: current?.kind ?? null,
    current_spec: current?.id ?? null,
    current_stage: current?.stage ?? null,
    can_advance: current?.canAdvance ?? false,
    dirty: current?.isDirty ?? false,
    workflows: Object.fromEntries(entries.map((entry) => [entry.id, formatEntry(entry, running)])),
    history: [
      ...listLastEnded(changes).map(({ id, status, updated_at }) => ({
        spec_id: id,
        workflow: "change",
        status,
        completed: updated_at,
      })),
      ...listLastEnded(workflows).map(
        ({ id, kind, status, started_at, updated_at, finished_at: completed = updated_at }) => {
          const duration = formatDuration(countSecondsBetween(started_at, completed));
          return { spec_id: id, workflow: kind, status, completed, duration };
        },
      ),
    ],
  });
}

/** More than this many would make every later write slower. */
const MAX_EXPORTED_HISTORY = 100;

/** The newest that have ended, in the order given. */
function listLastEnded<Item extends { readonly status: string; readonly updated_at: string }>(
  all: readonly Item[],
): Item[] {
  const ended = all.filter(({ status }) => status !== "active");
  if (ended.length <= MAX_EXPORTED_HISTORY) return ended;
  const newest = new Set(
    ended.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).slice(0, MAX_EXPORTED_HISTORY),
  );
  return ended.filter((each) => newest.has(each));
}

const findCurrentGate = ({ gates, current_stage }: WorkflowRecord): WorkflowRecord["gates"][number] | undefined =>
  gates.find(({ stage }) => stage === current_stage);

/** Whether a workflow in this checkout has a gate whose result depends on the working files. */
export const hasFileGate = (record: WorkflowRecord): boolean =>
  record.status === "active" && !record.worktree && findCurrentGate(record)?.ran_on !== undefined;

const isGateStale = (record: WorkflowRecord, tree: string | undefined): boolean =>
  tree !== undefined && hasFileGate(record) && findCurrentGate(record)?.ran_on?.tree !== tree;

const createChangeEntry = (change: ChangeRecord, { priorities }: ExportedRuntime): StateExportEntry => ({
  id: change.id,
  kind: "change",
  stage: change.current_stage,
  priority: priorities?.get(change.id) ?? getDefaultPriority("change"),
  started_at: change.created_at,
  updated_at: change.updated_at,
  canAdvance: true,
  isDirty: false,
  more: { type: change.type, size: change.size },
  retries: [],
});

const formatEntry = (entry: StateExportEntry, running: ExportedRuntime): PlainYamlNode => ({
  workflow: entry.kind,
  ...entry.more,
  status: "in_progress",
  stage: entry.stage,
  priority: entry.priority,
  started: entry.started_at,
  last_activity: entry.updated_at,
  files_locked: (running.locks ?? []).filter(({ workflow }) => workflow === entry.id).map(({ path }) => path),
  snapshots: (running.snapshots ?? [])
    .filter(({ workflow, dropped_by }) => workflow === entry.id && dropped_by === undefined)
    .map(({ stage, at, files_modified, head }) => ({ stage, timestamp: at, files_modified, git_commit: head ?? null })),
  retry_history: entry.retries.map((retry) => ({ ...retry })),
  interrupted: running.isInterrupted?.(entry.id) ?? false,
});

export interface ExportedWorkflow {
  readonly id: WorkflowId;
  readonly kind: WorkflowKind;
  readonly status: "active" | "completed" | "abandoned";
  readonly stage?: string | undefined;
  readonly title?: string | undefined;
  readonly priority?: number | undefined;
  readonly started_at?: string | undefined;
  readonly finished_at?: string | undefined;
  readonly base_commit?: string | undefined;
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  readonly files_locked: readonly string[];
}

type ExportFields = { readonly [key: string]: PlainYamlNode | undefined };

const readFields = (node: PlainYamlNode | undefined): ExportFields =>
  node !== null && typeof node === "object" && !Array.isArray(node) ? (node as ExportFields) : {};

const readText = (node: PlainYamlNode | undefined): string | undefined => (typeof node === "string" ? node : undefined);

/** The workflows of an export, without changes, which have records of their own. Skips entries that it cannot read. */
export function parseStateExport(text: string): ExportedWorkflow[] {
  const parsed = parsePlainYaml(text);
  if (!("value" in parsed)) return [];
  const { workflows, history } = parsed.value as ExportFields;
  const ended = Array.isArray(history) ? history.map((each: PlainYamlNode) => readFields(each)) : [];
  return [
    ...Object.entries(readFields(workflows)).map(([id, entry]) => ({
      ...readFields(entry),
      spec_id: id,
      status: "active",
    })),
    ...ended,
  ].flatMap((entry: ExportFields): ExportedWorkflow[] => {
    const [id, status] = [readText(entry["spec_id"]), readText(entry["status"])];
    const kind = WORKFLOW_KINDS.find((known) => known === entry["workflow"]);
    const isKnown = status === "active" || status === "completed" || status === "abandoned";
    if (id === undefined || !isWorkflowId(id) || kind === undefined || !isKnown) return [];
    const { path, branch } = readFields(entry["worktree"]);
    const locked = entry["files_locked"];
    return [
      {
        id,
        kind,
        status,
        stage: readText(entry["stage"]),
        title: readText(entry["title"]),
        priority: typeof entry["priority"] === "number" ? entry["priority"] : undefined,
        started_at: readText(entry["started"]),
        finished_at: readText(entry["completed"]),
        base_commit: readText(entry["base_commit"]),
        worktree: typeof path === "string" && typeof branch === "string" ? { path, branch } : undefined,
        files_locked: Array.isArray(locked) ? locked.filter((each): each is string => typeof each === "string") : [],
      },
    ];
  });
}
