import { Fault } from "#kernel/model/fault.ts";
import type { WorkflowKind } from "./workflow-record.ts";

export interface QueueItem {
  readonly id: string;
  readonly kind: WorkflowKind | "change";
  readonly title: string;
  readonly stage: string;
  readonly priority: number;
  readonly started_at: string;
  readonly updated_at: string;
}

export const MAX_UNFINISHED_WORK = 10;

const DEFAULT_PRIORITIES = {
  bugfix: { usual: 0, band: [0, 0] },
  feature: { usual: 3, band: [1, 5] },
  research: { usual: 7, band: [6, 9] },
  change: { usual: 7, band: [0, 9] },
} as const satisfies Record<QueueItem["kind"], object>;

export const getDefaultPriority = (kind: QueueItem["kind"]): number => DEFAULT_PRIORITIES[kind].usual;

export function describeUnusualPriority(kind: QueueItem["kind"], priority: number): string | undefined {
  const [from, to] = DEFAULT_PRIORITIES[kind].band;
  if (priority >= from && priority <= to) return undefined;
  return `A ${kind} usually has priority ${from === to ? from : `${from} to ${to}`}.`;
}

export function sortWorkQueue<T extends Pick<QueueItem, "priority" | "started_at" | "id">>(items: Iterable<T>): T[] {
  return [...items].toSorted(
    (a, b) => a.priority - b.priority || compareQueueText(a.started_at, b.started_at) || compareQueueText(a.id, b.id),
  );
}

const compareQueueText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function rejectQueueOverflow(unfinished: readonly QueueItem[], what: string): void {
  if (unfinished.length < MAX_UNFINISHED_WORK) return;
  throw new Fault("workflow.too-many", {
    what,
    why: `${unfinished.length} are unfinished; the limit is ${MAX_UNFINISHED_WORK}.`,
    fix: [{ operation: "workflow.status" }, { operation: "workflow.abandon", input: { id: "…", reason: "…" } }],
  });
}
