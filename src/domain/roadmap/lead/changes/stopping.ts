import { plain } from "../../../quote.ts";
import { dismissAll } from "./dismissal.ts";
import type { Draft } from "../draft.ts";

/** Everybody is told to stop. What was under way is due again when somebody goes on; reviews begin anew. */
export function stopRun(draft: Draft, why: string): void {
  dismissAll(draft);
  draft.changeRun({ isOn: false, stopped: plain(why, 300), goals: {} });
}
