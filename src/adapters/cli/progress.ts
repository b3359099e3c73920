import { sanitizeText } from "#domain/quote.ts";
import type { CallProgress } from "#operations/ports/runner.ts";
import type { Io } from "./io.ts";

export interface ShownProgress extends CallProgress {
  /** Clears the progress line and lets an interrupt end the process again. */
  end(): void;
}

const CLEAR = "\r\u001b[2K";
const LOGGED_EVERY_MS = 10_000;

/** Rewrites one line on a terminal; elsewhere it prints a line every ten seconds. */
export function shownProgress(
  io: Pick<Io, "err" | "errorWidth" | "onInterrupt">,
  isJson: boolean,
  now: () => number = () => performance.now(),
): ShownProgress {
  const { errorWidth } = io;
  const stopping = new AbortController();
  let loggedAt = -Infinity;
  let isShown = false;
  const show = (line: string): void => {
    if (errorWidth !== undefined) {
      // The last column would wrap on some terminals.
      io.err(`${CLEAR}${sanitizeText(line, Math.max(errorWidth - 2, 8))}`);
      isShown = true;
    } else if (!isJson && now() - loggedAt >= LOGGED_EVERY_MS) {
      loggedAt = now();
      io.err(`${sanitizeText(line, 200)}\n`);
    }
  };
  const ignore = io.onInterrupt(() => {
    loggedAt = -Infinity;
    show("Stopping what runs. Interrupt again to leave at once.");
    stopping.abort();
  });
  return {
    cancelled: stopping.signal,
    tell(text, done, of) {
      if (stopping.signal.aborted) return;
      show(done === undefined || of === undefined ? text : `[${done}/${of}] ${text}`);
    },
    end() {
      ignore();
      if (isShown) io.err(CLEAR);
    },
  };
}
