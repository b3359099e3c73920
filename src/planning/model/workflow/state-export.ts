import type { ChangeRecord } from "../change/change-record.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import { type PlainYamlNode, formatPlainYaml } from "#kernel/model/plain-yaml.ts";
import { getDefaultPriority, type QueueItem, sortWorkQueue } from "./work-queue.ts";
import type { FileLock, WorkflowSnapshot, WorkflowRecord } from "./workflow-record.ts";

export interface ExportedRuntime {
  readonly workflows: readonly WorkflowRecord[];
  readonly locks: readonly FileLock[];
  readonly snapshots: readonly WorkflowSnapshot[];
  readonly priorities: ReadonlyMap<string, number>;
  readonly current?: string | undefined;
  readonly isInterrupted: (id: string) => boolean;
}

const EMPTY_RUNTIME_EXPORT: ExportedRuntime = {
  workflows: [],
  locks: [],
  snapshots: [],
  priorities: new Map(),
  isInterrupted: () => false,
};

interface StateExportEntry extends Omit<QueueItem, "title"> {
  readonly canAdvance: boolean;
  readonly more: { readonly [key: string]: PlainYamlNode };
  readonly retries: WorkflowRecord["retry_history"];
}

/** The runtime state as v2-style YAML for people and scripts. Tenon never reads it back. */
export function renderStateExport(
  changes: readonly ChangeRecord[],
  running: ExportedRuntime = EMPTY_RUNTIME_EXPORT,
): string {
  const isActive = ({ status }: { readonly status: string }): boolean => status === "active";
  const entries = sortWorkQueue([
    ...changes.filter(isActive).map((change) => createChangeEntry(change, running)),
    ...running.workflows.filter(isActive).map(createWorkflowEntry),
  ]);
  const only = entries.length === 1 ? entries[0] : undefined;
  const current = entries.find(({ id }) => id === running.current) ?? only;
  return formatPlainYaml({
    version: "2.0",
    current_workflow: current?.kind ?? null,
    current_spec: current?.id ?? null,
    current_stage: current?.stage ?? null,
    can_advance: current?.canAdvance ?? false,
    dirty: false,
    workflows: Object.fromEntries(entries.map((entry) => [entry.id, formatEntry(entry, running)])),
    history: [
      ...changes
        .filter((change) => !isActive(change))
        .map(({ id, status, updated_at }) => ({ spec_id: id, workflow: "change", status, completed: updated_at })),
      ...running.workflows.filter((record) => !isActive(record)).map(formatWorkflowHistory),
    ],
  });
}

const createChangeEntry = (change: ChangeRecord, { priorities }: ExportedRuntime): StateExportEntry => ({
  id: change.id,
  kind: "change",
  stage: change.current_stage,
  priority: priorities.get(change.id) ?? getDefaultPriority("change"),
  started_at: change.created_at,
  updated_at: change.updated_at,
  canAdvance: true,
  more: { type: change.type, size: change.size },
  retries: [],
});

const createWorkflowEntry = (record: WorkflowRecord): StateExportEntry => ({
  ...record,
  stage: record.current_stage,
  canAdvance: record.gates.some(({ stage, passed }) => stage === record.current_stage && passed),
  more: { title: record.title, ...(record.timebox ? { timebox: formatDuration(record.timebox.limit_s) } : {}) },
  retries: record.retry_history,
});

const formatEntry = (entry: StateExportEntry, { locks, snapshots, isInterrupted }: ExportedRuntime): PlainYamlNode => ({
  workflow: entry.kind,
  ...entry.more,
  status: "in_progress",
  stage: entry.stage,
  priority: entry.priority,
  started: entry.started_at,
  last_activity: entry.updated_at,
  files_locked: locks.filter(({ workflow }) => workflow === entry.id).map(({ path }) => path),
  snapshots: snapshots
    .filter(({ workflow, dropped_by }) => workflow === entry.id && dropped_by === undefined)
    .map(({ stage, at, files_modified, head }) => ({ stage, timestamp: at, files_modified, git_commit: head ?? null })),
  retry_history: entry.retries.map((retry) => ({ ...retry })),
  interrupted: isInterrupted(entry.id),
});

function formatWorkflowHistory(record: WorkflowRecord): PlainYamlNode {
  const { id, kind, status, started_at, finished_at: completed = record.updated_at } = record;
  const duration = formatDuration(countSecondsBetween(started_at, completed));
  return { spec_id: id, workflow: kind, status, completed, duration };
}
