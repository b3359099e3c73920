import { Fault } from "../model/fault.ts";

/** Shows progress on a terminal or as a notification. Calls are optional. */
export interface CallProgress {
  tell(text: string, done?: number, of?: number): void;
  /** An event of a long run, for a door that shows each one. */
  notice?(event: { readonly event: string }): void;
  readonly cancelled: AbortSignal;
}

export function throwIfCancelled({ cancelled }: Pick<CallProgress, "cancelled">): void {
  if (!cancelled.aborted) return;
  throw new Fault("call.cancelled", {
    what: "The call was cancelled.",
    why: "All its processes have ended.",
    fix: "Call it again to restart it.",
  });
}
