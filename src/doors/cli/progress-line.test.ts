import { expect, test } from "vitest";
import { createTerminalProgress } from "./progress-line.ts";

/** A terminal of so many columns, or none, whose user may interrupt, and a clock. */
function stage(errorWidth: number | undefined, isJson = false) {
  let [said, time, listeners] = ["", 0, 0];
  let interrupt = (): void => undefined;
  const io = {
    errorWidth,
    err: (text: string) => void (said += text),
    onInterrupt: (then: () => void) => {
      interrupt = then;
      listeners++;
      return () => void listeners--;
    },
  };
  const progress = createTerminalProgress(io, isJson, () => time);
  return {
    progress,
    interrupt: () => interrupt(),
    pass: (ms: number) => void (time += ms),
    listeners: () => listeners,
    said: () => said,
  };
}

test("rewrites one line on a terminal, and leaves nothing of it", () => {
  const { progress, said, listeners } = stage(20);
  progress.tell("vitest", 1, 3);
  progress.tell("a line that is far too long\u001b[2J");
  progress.end();
  const clear = "\r\u001b[2K";
  expect(said()).toBe(`${clear}[1/3] vitest${clear}a line that is far…${clear}`);
  expect(listeners()).toBe(0);
});

test("prints progress to a log every ten seconds", () => {
  const { progress, said, pass } = stage(undefined);
  progress.tell("first");
  pass(9999);
  progress.tell("dropped");
  pass(1);
  progress.tell("second\u001b", 2, 3);
  progress.end();
  expect(said()).toBe("first\n[2/3] second\\u001b\n");
});

test("prints no progress with --json, except on a terminal", () => {
  const piped = stage(undefined, true);
  piped.progress.tell("first");
  piped.interrupt();
  expect(piped.said()).toBe("");
  const seen = stage(80, true);
  seen.progress.tell("first");
  expect(seen.said()).toBe("\r\u001b[2Kfirst");
});

test("reports an interruption at once, cancels, and prints nothing more", () => {
  const { progress, said, interrupt } = stage(undefined);
  progress.tell("first");
  expect(progress.cancelled.aborted).toBe(false);
  interrupt();
  progress.tell("second");
  expect(progress.cancelled.aborted).toBe(true);
  expect(said()).toBe("first\nStopping. Press Ctrl-C again to quit at once.\n");
});
