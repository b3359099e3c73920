import type { ServerContext } from "@modelcontextprotocol/server";
import { plain } from "#domain/quote.ts";
import type { Progress } from "#operations/ports/runner.ts";

/** Progress as a client gets it. After `stop` it hears no more, for the answer is on its way. */
export interface ClientProgress extends Progress {
  stop(): void;
}

type Asked = Pick<ServerContext["mcpReq"], "_meta" | "notify" | "signal">;

const TOLD_EVERY_MS = 1000;
/** How many notifications bring one halfway to the next step. */
const HALFWAY = 60;

/** Tells who asked to be told, the latest and not too often. The protocol wants a number that grows each time. */
export function clientProgress({ _meta, notify, signal }: Asked): ClientProgress {
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
    const progress = step + since / (since + HALFWAY);
    since++;
    // A client that has gone is told by the signal.
    notify({ method: "notifications/progress", params: { progressToken, progress, message, ...total } }).catch(
      () => undefined,
    );
    timer = setTimeout(send, TOLD_EVERY_MS);
  };
  return {
    cancelled: signal,
    tell(text, done, of) {
      if (done !== undefined && done > step) [step, since] = [done, 0];
      latest = { text: plain(text, 200), ...(of === undefined ? {} : { total: of }) };
      if (timer === undefined) send();
    },
    stop() {
      clearTimeout(timer);
      isOver = true;
    },
  };
}
