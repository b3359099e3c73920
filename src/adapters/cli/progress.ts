import { plain } from "#domain/quote.ts";
import type { Progress } from "#operations/ports/runner.ts";
import type { Io } from "./io.ts";

/** Progress as a person sees it. */
export interface ShownProgress extends Progress {
  /** Leaves nothing of it on the terminal, and lets an interruption end the process again. */
  end(): void;
}

const CLEAR = "\r\u001b[2K";
/** A log is read afterwards: it need not hear of every line. */
const LOGGED_EVERY_MS = 10_000;

/** One line that is written over, or a line now and then where nobody can see it change. */
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
      io.err(`${CLEAR}${plain(line, Math.max(errorWidth - 2, 8))}`);
      isShown = true;
    } else if (!isJson && now() - loggedAt >= LOGGED_EVERY_MS) {
      loggedAt = now();
      io.err(`${plain(line, 200)}\n`);
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
