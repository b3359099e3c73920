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
      const done = await runContainedCommand(containment, running, own, { started, ...settings });
      await tidied;
      return done;
    },
  };
}

interface StartedRunSettings extends RunnerSettings {
  readonly started: number;
}

async function runContainedCommand(
  containment: ProcessContainment,
  running: CommandRequest,
  own: EnvironmentVariables,
  circumstances: StartedRunSettings,
): Promise<RunnerResult> {
  const nothing = (how: CommandResult["how"], why?: string): RunnerResult => ({
    how,
    ...(why === undefined ? {} : { why }),
    ms: measureElapsedMs(circumstances.started),
    output: createEmptyOutput(),
    text: async () => "",
    forget: async () => undefined,
  });
  if (running.cancelled?.aborted) return nothing("cancelled");
  const prepared = prepareCommand(running, own);
  if ("how" in prepared) return nothing(prepared.how, prepared.why);
  let folder: string | undefined;
  try {
    folder = await createRunFolder();
    const recording = new OutputRecording(folder, circumstances.spoolLimit ?? DEFAULT_SPOOL_LIMIT);
    const contained = await containment(prepared);
    const { how, output } = await superviseCommand(contained, recording, running, circumstances);
    const made = folder;
    return {
      ...how,
      ms: measureElapsedMs(circumstances.started),
      output,
      text: async (most) => readOutputText(output, most),
      forget: () => removeRunFolder(made),
    };
  } catch (error) {
    if (folder !== undefined) await removeRunFolder(folder);
    return nothing("not-started", error instanceof Error ? error.message : String(error));
  }
}

/** Returns nothing for truncated output: a reader would take the missing part for never written. */
function readOutputText({ file, isCut }: CommandOutput, most: number): string | undefined {
  if (isCut || (fs.statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > most) return undefined;
  return fs.readFileSync(file, "utf8");
}

const measureElapsedMs = (started: number): number => Math.round(performance.now() - started);

function prepareCommand(running: CommandRequest, own: EnvironmentVariables): PreparedCommand | MissingProgram {
  const { run, folder, root, passes, variables, input } = running;
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return { how: "not-started", why: `There is no folder ${folder}.` };
  }
  const bins = listProjectBins(folder, root);
  const [name = "", ...args] = "argv" in run ? run.argv : createShellArguments(run.shell);
  const file = findProgram(name, folder, bins, readPathVariable(own));
  if (typeof file !== "string") return file;
  return { file, args, folder, input, environment: createCheckEnvironment(own, { folder, bins, passes, variables }) };
}

const createShellArguments = (line: string): readonly string[] =>
  process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", line] : ["/bin/sh", "-c", line];

async function superviseCommand(
  { main, ask, end }: ContainedCommand,
  recording: OutputRecording,
  running: CommandRequest,
  { started, graceMs = DEFAULT_GRACE_MS }: StartedRunSettings,
): Promise<{ readonly how: CommandEnding; readonly output: CommandOutput }> {
  const closed = new Promise<void>((resolve) => void main.once("close", () => resolve()));
  const limits = new RunLimits(running, started, recording);
  recordCommandOutput(main, recording, limits);
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

function recordCommandOutput(main: ChildProcess, recording: OutputRecording, limits: RunLimits): void {
  const hear = (isOut: boolean) => (part: Buffer) => {
    limits.heard();
    recording.take(part, isOut);
  };
  main.stdout?.on("data", hear(true));
  main.stderr?.on("data", hear(false));
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

export type CommandEnding = Pick<CommandResult, "how" | "code" | "signal">;

const PROGRESS_INTERVAL_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_PROGRESS_LINE = 200;

export class RunLimits {
  readonly reached: Promise<CommandEnding>;
  readonly #running: CommandRequest;
  readonly #stops: (() => void)[] = [];
  #heard: number = performance.now();

  constructor(running: CommandRequest, started: number, recording: OutputRecording) {
    this.#running = running;
    this.reached = new Promise((resolve) => {
      const end = (how: CommandEnding["how"]): void => resolve({ how });
      this.#after(running.timeout_s * 1000 - (performance.now() - started), () => end("timed-out"));
      this.#silence(() => end("silent"));
      this.#cancellation(() => end("cancelled"));
    });
    this.#progress(started, recording);
  }

  heard(): void {
    this.#heard = performance.now();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(then, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    this.#stops.push(() => clearTimeout(timer));
  }

  #silence(then: () => void): void {
    const left = this.#running.silence_s * 1000 - (performance.now() - this.#heard);
    if (left <= 0) then();
    else this.#after(left, () => this.#silence(then));
  }

  #cancellation(then: () => void): void {
    const { cancelled } = this.#running;
    if (cancelled?.aborted) return then();
    cancelled?.addEventListener("abort", then, { once: true });
    this.#stops.push(() => cancelled?.removeEventListener("abort", then));
  }

  #progress(started: number, recording: OutputRecording): void {
    if (!this.#running.progress) return;
    let told = 0;
    const timer = setInterval(() => {
      const line = recording.bytes > told ? recording.lastLine() : undefined;
      told = recording.bytes;
      if (line !== undefined) {
        this.#running.progress?.(line.slice(0, LONGEST_PROGRESS_LINE), Math.round(performance.now() - started));
      }
    }, PROGRESS_INTERVAL_MS);
    this.#stops.push(() => clearInterval(timer));
  }
}
