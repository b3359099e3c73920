import { sanitizeText } from "../../../quote.ts";
import { dismissAll } from "./dismissal.ts";
import type { Draft } from "../draft.ts";

/** Cancelled work becomes pending again when the run resumes. Reviews start over. */
export function stopRun(draft: Draft, why: string): void {
  dismissAll(draft);
  draft.changeRun({ isOn: false, stopped: sanitizeText(why, 300), goals: {} });
}
