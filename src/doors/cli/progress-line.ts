import { sanitizeText } from "#kernel/model/text-format.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";
import type { TerminalIo } from "./command-table.ts";

const CLEAR_LINE = "\r\u001b[2K";

/** A line for the user beside the answer. On a terminal it replaces the progress line. */
export const printNotice = ({ err, errorWidth }: Pick<TerminalIo, "err" | "errorWidth">, text: string): void =>
  err(`${errorWidth === undefined ? "" : CLEAR_LINE}note: ${text}\n`);

const PROGRESS_LOG_INTERVAL_MS = 10_000;

/** Rewrites one line on a terminal; elsewhere it prints a line every ten seconds. */
export function createTerminalProgress(
  io: Pick<TerminalIo, "err" | "errorWidth" | "onInterrupt">,
  isJson: boolean,
  now: () => number = () => performance.now(),
): CallProgress & { end(): void } {
  const { errorWidth } = io;
  const stopping = new AbortController();
  let loggedAt = -Infinity;
  let isShown = false;
  const show = (line: string): void => {
    if (errorWidth !== undefined) {
      // The last column would wrap on some terminals.
      io.err(`${CLEAR_LINE}${sanitizeText(line, Math.max(errorWidth - 2, 8))}`);
      isShown = true;
    } else if (!isJson && now() - loggedAt >= PROGRESS_LOG_INTERVAL_MS) {
      loggedAt = now();
      io.err(`${sanitizeText(line, 200)}\n`);
    }
  };
  const ignore = io.onInterrupt(() => {
    loggedAt = -Infinity;
    show("Stopping. Press Ctrl-C again to quit at once.");
    stopping.abort();
  });
  return {
    cancelled: stopping.signal,
    tell(text, done, of) {
      if (stopping.signal.aborted) return;
      show(done === undefined || of === undefined ? text : `[${done}/${of}] ${text}`);
    },
    /** Clears the progress line and lets an interrupt end the process again. */
    end() {
      ignore();
      if (isShown) io.err(CLEAR_LINE);
    },
  };
}
