import type { ContextCheck } from "../context/fact.ts";
import type { FlowState } from "../flow/flow.ts";
import type { Delta } from "../spec/delta.ts";
import type { Outcome } from "../spec/vocabulary.ts";
import type { ChangeSize, ChangeType } from "./flows.ts";
import type { ChangeId } from "./id.ts";

interface Abandonment {
  readonly reason: string;
  readonly at: string;
}

interface Reopening {
  readonly stage: string;
  readonly reason: string;
  readonly at: string;
  /** The abandonment that it took back. */
  readonly abandoned?: Abandonment;
}

/** A decision about the size of a change that is under way, with what was measured then; the same size twice is "kept". */
export interface Sizing {
  readonly from: ChangeSize;
  readonly to: ChangeSize;
  readonly reason: string;
  readonly at: string;
  readonly files?: number;
  readonly lines?: number;
  readonly requirements?: number;
}

/** The content of `change.json`. The stages are the flow, frozen when the change began; only a new size changes them. */
export interface ChangeRecord extends FlowState {
  readonly id: ChangeId;
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly description: string;
  /** Decisions recorded in this change: `ADR-001`… */
  readonly adrs: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  /** The commit that was checked out when the change began: what it has grown to is measured from there. */
  readonly base_commit?: string;
  readonly sizings?: readonly Sizing[];
  readonly reopenings?: readonly Reopening[];
  readonly abandoned?: Abandonment;
  /** What its spec does to the project's requirements and rules, each with the text it was written against. */
  readonly deltas?: readonly Delta[];
  /** What became of the deltas when it was archived. */
  readonly merged?: readonly { readonly id: string; readonly how: Outcome }[];
  /** The last one; the context-check stage ends only on one that still holds. */
  readonly context_check?: ContextCheck;
  readonly schema: 1;
  /** Counts the writes of this record. */
  readonly rev: number;
}
