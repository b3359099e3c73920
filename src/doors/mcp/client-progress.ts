import type { ServerContext } from "@modelcontextprotocol/server";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";

export interface ClientProgress extends CallProgress {
  stop(): void;
}

const PROGRESS_NOTIFY_INTERVAL_MS = 1000;
const HALFWAY_NOTIFICATIONS = 60;

/** At most once a second, to a client that asked. The protocol needs a number that grows each time. */
export function createClientProgress({
  _meta,
  notify,
  signal,
}: Pick<ServerContext["mcpReq"], "_meta" | "notify" | "signal">): ClientProgress {
  const progressToken = _meta?.progressToken;
  let latest: { readonly text: string; readonly total?: number } | undefined;
  let [step, since] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  let isOver = progressToken === undefined;
  const send = (): void => {
    timer = undefined;
    if (latest === undefined || isOver) return;
    const { text: message, ...total } = latest;
    latest = undefined;
    const progress = step + since / (since + HALFWAY_NOTIFICATIONS);
    since++;
    // The signal reports a client that has disconnected.
    const params = { progressToken, progress, message, ...total };
    notify({ method: "notifications/progress", params }).catch(() => undefined);
    timer = setTimeout(send, PROGRESS_NOTIFY_INTERVAL_MS);
  };
  return {
    cancelled: signal,
    tell(text, done, of) {
      if (done !== undefined && done > step) [step, since] = [done, 0];
      latest = { text: sanitizeText(text, 200), ...(of === undefined ? {} : { total: of }) };
      if (timer === undefined) send();
    },
    stop() {
      clearTimeout(timer);
      isOver = true;
    },
  };
}
