import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { CommandResult, CommandOutput, CommandRunner, CommandRequest } from "#kernel/operations/ports/runner.ts";
import {
  type ContainedCommand,
  type ProcessContainment,
  waitForProcessEnd,
  hasProcessEnded,
  type PreparedCommand,
  containInProcessGroup,
  findNamespaceContainment,
} from "./process-containment.ts";
import { stripTerminalColours } from "../../model/report/test-report.ts";
import type { EnvironmentVariables, MissingProgram } from "./program-environment.ts";
import { createCheckEnvironment, readPathVariable, findProgram, listProjectBins } from "./program-environment.ts";
import { createRunFolder, removeRunFolder, removeLeftoverFolders } from "./scratch-folder.ts";

export interface RunnerSettings {
  /** `group` uses process groups even where namespaces work. */
  readonly way?: "cell" | "group";
  /** How long a command may clean up after it is asked to end. */
  readonly graceMs?: number;
  /** Byte limit of each output file. */
  readonly spoolLimit?: number;
}

type RunnerResult = Awaited<ReturnType<CommandRunner["run"]>>;

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
  { graceMs = 2000, spoolLimit = 64 * 1024 * 1024 }: RunnerSettings,
  started: number,
): Promise<RunnerResult> {
  const measureMs = (): number => Math.round(performance.now() - started);
  const nothing = (how: CommandResult["how"], why?: string): RunnerResult => ({
    how,
    ...(why === undefined ? {} : { why }),
    ms: measureMs(),
    output: { bytes: 0, hash: createHash("sha256").digest("hex"), tail: "", isCut: false, file: "", spool: "" },
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
    // Truncated output gives no text: a reader would take the missing part for never written.
    const text = async (most: number, both?: "both"): Promise<string | undefined> => {
      const file = both ? output.spool : output.file;
      const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? Infinity;
      return output.isCut || size > most ? undefined : fs.readFileSync(file, "utf8");
    };
    return { ...how, ms: measureMs(), output, text, forget };
  } catch (error) {
    await forget();
    return nothing("not-started", error instanceof Error ? error.message : String(error));
  }
}

function prepareCommand(running: CommandRequest, own: EnvironmentVariables): PreparedCommand | MissingProgram {
  const { run, folder, root, input } = running;
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return { how: "not-started", why: `There is no folder ${folder}.` };
  }
  const bins = listProjectBins(folder, root);
  const shell = process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c"] : ["/bin/sh", "-c"];
  const [name = "", ...args] = "argv" in run ? run.argv : [...shell, run.shell];
  const file = findProgram(name, folder, bins, readPathVariable(own));
  if (typeof file !== "string") return file;
  return { file, args, folder, input, environment: createCheckEnvironment(own, bins, running) };
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
    const quiet_s = Math.floor((performance.now() - lastHeard) / 1000);
    const silence = quiet_s > 0 && quiet_s % 10 === 0 ? `no output for ${quiet_s} s` : undefined;
    const shown = line?.slice(0, LONGEST_PROGRESS_LINE) ?? silence;
    if (shown !== undefined) progress?.(shown, Math.round(performance.now() - started));
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

const TAIL_BYTES = 64 * 1024;
const LAST_LINE_BYTES = 2048;

/** Hashes all output, spools it to disk up to a limit, and keeps the tail in memory. */
class OutputRecording {
  readonly #hash = createHash("sha256");
  readonly #ring = Buffer.alloc(TAIL_BYTES);
  readonly #both: OutputSpool;
  readonly #out: OutputSpool;
  #bytes = 0;

  constructor(folder: string, limit: number) {
    this.#both = new OutputSpool(join(folder, "output"), limit);
    this.#out = new OutputSpool(join(folder, "stdout"), limit);
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(part: Buffer, isOut: boolean): void {
    this.#hash.update(part);
    this.#both.write(part);
    if (isOut) this.#out.write(part);
    const end = part.subarray(-TAIL_BYTES);
    const at = (this.#bytes + part.length - end.length) % TAIL_BYTES;
    const fits = Math.min(end.length, TAIL_BYTES - at);
    end.copy(this.#ring, at, 0, fits);
    end.copy(this.#ring, 0, fits);
    this.#bytes += part.length;
  }

  lastLine(): string | undefined {
    const lines = stripTerminalColours(new TextDecoder().decode(this.#last(LAST_LINE_BYTES))).split(/[\r\n]+/);
    return lines.findLast((line) => line.trim() !== "")?.trim();
  }

  end(): CommandOutput {
    this.#both.close();
    this.#out.close();
    return {
      bytes: this.#bytes,
      hash: this.#hash.digest("hex"),
      tail: decodeOutputTail(this.#last(TAIL_BYTES), this.#bytes > TAIL_BYTES),
      isCut: this.#both.isCut || this.#out.isCut,
      file: this.#out.file,
      spool: this.#both.file,
    };
  }

  #last(count: number): Buffer {
    const length = Math.min(count, this.#bytes, TAIL_BYTES);
    const from = (this.#bytes - length) % TAIL_BYTES;
    const first = this.#ring.subarray(from, Math.min(from + length, TAIL_BYTES));
    return Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
  }
}

/** An invalid byte decodes to a replacement character of three bytes, so the text may be longer than the bytes. */
function decodeOutputTail(bytes: Buffer, isCut: boolean): string {
  const text = new TextDecoder().decode(isCut ? bytes.subarray(findCharacterStart(bytes)) : bytes);
  const encoded = Buffer.from(text);
  if (encoded.length <= TAIL_BYTES) return text;
  const end = encoded.subarray(-TAIL_BYTES);
  return end.subarray(findCharacterStart(end)).toString("utf8");
}

/** Skips the rest of a cut character. */
function findCharacterStart(bytes: Buffer): number {
  const at = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return at === -1 ? 0 : at;
}

/** A file with a size limit. A full disk only truncates it. */
class OutputSpool {
  readonly file: string;
  readonly #limit: number;
  #open: number | undefined;
  #size = 0;
  isCut = false;

  constructor(file: string, limit: number) {
    this.file = file;
    this.#limit = limit;
    this.#open = fs.openSync(file, "wx", 0o600);
  }

  /** Synchronous, so that a noisy command waits instead of filling memory. */
  write(part: Buffer): void {
    if (this.#open === undefined || this.isCut) return;
    const taken = part.subarray(0, this.#limit - this.#size);
    try {
      for (let at = 0; at < taken.length;) at += fs.writeSync(this.#open, taken, at);
      this.#size += taken.length;
      this.isCut = taken.length < part.length;
    } catch {
      this.isCut = true;
    }
  }

  close(): void {
    if (this.#open !== undefined) fs.closeSync(this.#open);
    this.#open = undefined;
  }
}
