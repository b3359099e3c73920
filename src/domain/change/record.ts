import type { ContextCheck } from "../context/fact.ts";
import type { FlowState } from "../flow/flow.ts";
import type { SpecDelta } from "../spec/delta.ts";
import type { MergeOutcome } from "../spec/vocabulary.ts";
import type { ChangeSize, ChangeType } from "./flows.ts";
import type { ChangeId } from "./id.ts";

interface ChangeAbandonment {
  readonly reason: string;
  readonly at: string;
}

interface ChangeReopening {
  readonly stage: string;
  readonly reason: string;
  readonly at: string;
  readonly abandoned?: ChangeAbandonment;
}

/** A size decision with the measurements of that moment. Equal `from` and `to` mean the size was kept. */
export interface ChangeSizeDecision {
  readonly from: ChangeSize;
  readonly to: ChangeSize;
  readonly reason: string;
  readonly at: string;
  readonly files?: number;
  readonly lines?: number;
  readonly requirements?: number;
}

/** The content of `change.json`. The stages are fixed when the change begins; only a resize changes them. */
export interface ChangeRecord extends FlowState {
  readonly id: ChangeId;
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly description: string;
  readonly adrs: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly base_commit?: string;
  readonly sizings?: readonly ChangeSizeDecision[];
  readonly reopenings?: readonly ChangeReopening[];
  readonly abandoned?: ChangeAbandonment;
  /** Edits of the spec to requirements and rules, each with the text it was written against. */
  readonly deltas?: readonly SpecDelta[];
  readonly merged?: readonly { readonly id: string; readonly how: MergeOutcome }[];
  /** The latest check. The context-check stage ends only while it still holds. */
  readonly context_check?: ContextCheck;
  readonly schema: 1;
  readonly rev: number;
}
