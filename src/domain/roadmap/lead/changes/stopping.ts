import { sanitizeText } from "../../../quote.ts";
import { cancelAllWork } from "./dismissal.ts";
import type { LeadDraft } from "../draft.ts";

/** Cancelled work becomes pending again when the run resumes. Reviews start over. */
export function stopRoadmapRun(draft: LeadDraft, why: string): void {
  cancelAllWork(draft);
  draft.changeRun({ isOn: false, stopped: sanitizeText(why, 300), goals: {} });
}
