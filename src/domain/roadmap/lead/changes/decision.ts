import { sanitizeText } from "../../../quote.ts";
import type { LeadDraft } from "../draft.ts";
import type { DecisionType } from "../event.ts";

export interface UserDecision {
  readonly type: DecisionType;
  readonly summary: string;
  readonly context: string;
  readonly decision: string;
  readonly said: string;
  readonly impact: string;
  readonly steeringRef?: string;
}

export function recordUserDecision(draft: LeadDraft, { said, ...told }: UserDecision): void {
  const reason = sanitizeText(said, 500) || "The user gave no reason.";
  draft.effect({ kind: "decision", ...told, reason, source: "user instruction" });
}
