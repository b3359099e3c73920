import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { CommandResult, CommandOutput, CommandRunner, CommandRequest } from "#kernel/operations/ports/runner.ts";
import { findNamespaceContainment } from "./pid-namespace.ts";
import {
  type ContainedCommand,
  type ProcessContainment,
  waitForProcessEnd,
  hasProcessEnded,
  type PreparedCommand,
  containInProcessGroup,
} from "./process-containment.ts";
import {
  createCheckEnvironment,
  readPathVariable,
  type EnvironmentVariables,
  findProgram,
  type MissingProgram,
  listProjectBins,
} from "./program-environment.ts";
import { createRunFolder, removeRunFolder, removeLeftoverFolders } from "./scratch-folder.ts";
import { OutputRecording, createEmptyOutput } from "./output-recording.ts";

export interface RunnerSettings {
  /** `group` uses process groups even where namespaces work. */
  readonly way?: "cell" | "group";
  /** How long a command may clean up after it is asked to end. */
  readonly graceMs?: number;
  /** Byte limit of each output file. */
  readonly spoolLimit?: number;
}

type RunnerResult = Awaited<ReturnType<CommandRunner["run"]>>;

const DEFAULT_GRACE_MS = 2000;
const DEFAULT_SPOOL_LIMIT = 64 * 1024 * 1024;
/** After the last process ends, the remaining output is read for at most this long. */
const LONGEST_DRAIN_MS = 2000;

/** Probed once per process: the system and its permissions do not change. */
let probedContainment: Promise<ProcessContainment> | undefined;

export function createProcessRunner(own: EnvironmentVariables, settings: RunnerSettings = {}): CommandRunner {
  const best = (): Promise<ProcessContainment> =>
    (probedContainment ??= findNamespaceContainment(readPathVariable(own)).then(
      (containment) => containment ?? containInProcessGroup,
    ));
  return {
    async run(running) {
      const tidied = removeLeftoverFolders();
      const started = performance.now();
      const containment = settings.way === "group" ? containInProcessGroup : await best();
      const done = await runContainedCommand(containment, running, own, settings, started);
      await tidied;
      return done;
    },
  };
}

async function runContainedCommand(
  containment: ProcessContainment,
  running: CommandRequest,
  own: EnvironmentVariables,
  { graceMs = DEFAULT_GRACE_MS, spoolLimit = DEFAULT_SPOOL_LIMIT }: RunnerSettings,
  started: number,
): Promise<RunnerResult> {
  const measureMs = (): number => Math.round(performance.now() - started);
  const nothing = (how: CommandResult["how"], why?: string): RunnerResult => ({
    how,
    ...(why === undefined ? {} : { why }),
    ms: measureMs(),
    output: createEmptyOutput(),
    text: async () => "",
    forget: async () => undefined,
  });
  if (running.cancelled?.aborted) return nothing("cancelled");
  const prepared = prepareCommand(running, own);
  if ("how" in prepared) return nothing(prepared.how, prepared.why);
  let folder = "";
  const forget = (): Promise<void> => (folder === "" ? Promise.resolve() : removeRunFolder(folder));
  try {
    folder = await createRunFolder();
    const recording = new OutputRecording(folder, spoolLimit);
    const contained = await containment(prepared);
    const { how, output } = await superviseCommand(contained, recording, running, started, graceMs);
    return { ...how, ms: measureMs(), output, text: async (most) => readOutputText(output, most), forget };
  } catch (error) {
    await forget();
    return nothing("not-started", error instanceof Error ? error.message : String(error));
  }
}

/** Returns nothing for truncated output: a reader would take the missing part for never written. */
function readOutputText({ file, isCut }: CommandOutput, most: number): string | undefined {
  if (isCut || (fs.statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > most) return undefined;
  return fs.readFileSync(file, "utf8");
}

function prepareCommand(running: CommandRequest, own: EnvironmentVariables): PreparedCommand | MissingProgram {
  const { run, folder, root, passes, variables, input } = running;
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return { how: "not-started", why: `There is no folder ${folder}.` };
  }
  const bins = listProjectBins(folder, root);
  const shell = process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c"] : ["/bin/sh", "-c"];
  const [name = "", ...args] = "argv" in run ? run.argv : [...shell, run.shell];
  const file = findProgram(name, folder, bins, readPathVariable(own));
  if (typeof file !== "string") return file;
  return { file, args, folder, input, environment: createCheckEnvironment(own, { folder, bins, passes, variables }) };
}

async function superviseCommand(
  { main, ask, end }: ContainedCommand,
  recording: OutputRecording,
  running: CommandRequest,
  started: number,
  graceMs: number,
): Promise<{ readonly how: CommandEnding; readonly output: CommandOutput }> {
  const closed = new Promise<void>((resolve) => void main.once("close", () => resolve()));
  const limits = watchRunLimits(running, started, recording);
  const hear = (isOut: boolean) => (part: Buffer) => {
    limits.heard();
    recording.take(part, isOut);
  };
  main.stdout?.on("data", hear(true));
  main.stderr?.on("data", hear(false));
  // A command may end without reading all of its input.
  main.stdin?.on("error", () => undefined).end(running.input);
  try {
    const how = await Promise.race([waitForCommandExit(main), limits.reached]);
    limits.stop();
    if (!hasProcessEnded(main)) {
      ask();
      await waitForProcessEnd(main, graceMs);
    }
    await end();
    await Promise.race([closed, wait(LONGEST_DRAIN_MS, undefined, { ref: false })]);
    return { how, output: closeCommandStreams(main, recording) };
  } catch (error) {
    limits.stop();
    await end();
    closeCommandStreams(main, recording);
    throw error;
  }
}

/** Removes the listeners, so no output arrives after the recording has ended. */
function closeCommandStreams(main: ChildProcess, recording: OutputRecording): CommandOutput {
  main.stdin?.destroy();
  for (const stream of [main.stdout, main.stderr]) stream?.removeAllListeners("data").destroy();
  return recording.end();
}

function waitForCommandExit(main: ChildProcess): Promise<CommandEnding> {
  return new Promise((resolve, reject) => {
    main.once("error", reject);
    main.once("exit", (code, signal) => {
      resolve(code === null ? { how: "signalled", signal: signal ?? "" } : { how: "exited", code });
    });
  });
}

type CommandEnding = Pick<CommandResult, "how" | "code" | "signal">;

const PROGRESS_INTERVAL_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_PROGRESS_LINE = 200;

/** Reports progress, and resolves `reached` when the command runs too long, is silent too long or is cancelled. */
function watchRunLimits(running: CommandRequest, started: number, recording: OutputRecording) {
  const { cancelled, progress } = running;
  const timers = new Map<() => void, NodeJS.Timeout>();
  const { promise: reached, resolve } = Promise.withResolvers<CommandEnding>();
  let lastHeard = performance.now();
  const wakeAfter = (ms: number, then: () => void): void => {
    timers.set(then, setTimeout(then, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS)));
  };
  const watchSilence = (): void => {
    const left = running.silence_s * 1000 - (performance.now() - lastHeard);
    if (left <= 0) resolve({ how: "silent" });
    else wakeAfter(left, watchSilence);
  };
  const cancel = (): void => resolve({ how: "cancelled" });
  wakeAfter(running.timeout_s * 1000 - (performance.now() - started), () => resolve({ how: "timed-out" }));
  watchSilence();
  if (cancelled?.aborted) cancel();
  cancelled?.addEventListener("abort", cancel, { once: true });
  let told = 0;
  const tellProgress = (): void => {
    const line = recording.bytes > told ? recording.lastLine() : undefined;
    told = recording.bytes;
    if (line !== undefined) progress?.(line.slice(0, LONGEST_PROGRESS_LINE), Math.round(performance.now() - started));
    wakeAfter(PROGRESS_INTERVAL_MS, tellProgress);
  };
  if (progress) wakeAfter(PROGRESS_INTERVAL_MS, tellProgress);
  return {
    reached,
    heard: () => void (lastHeard = performance.now()),
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      cancelled?.removeEventListener("abort", cancel);
    },
  };
}
