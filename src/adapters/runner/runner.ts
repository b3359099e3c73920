import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { CommandResult, CommandOutput, CommandRunner, CommandRequest } from "#operations/ports/runner.ts";
import { cells } from "./cell.ts";
import { type Contained, type Containment, ended, hasEnded, type Prepared } from "./contained.ts";
import { environmentFor, pathOf, type Variables } from "./environment.ts";
import { findProgram, type Missing, projectBins } from "./find-program.ts";
import { groups } from "./group.ts";
import { type How, Limits } from "./limits.ts";
import { makeFolder, removeFolder, removeLeftovers } from "./leftovers.ts";
import { Recording, silence } from "./recording.ts";

export interface RunnerSettings {
  /** `group` uses process groups even where namespaces work. */
  readonly way?: "cell" | "group";
  /** How long a command may clean up after it is asked to end. */
  readonly graceMs?: number;
  /** Byte limit of each output file. */
  readonly spoolLimit?: number;
}

type Run = Awaited<ReturnType<CommandRunner["run"]>>;

const GRACE_MS = 2000;
const SPOOL_LIMIT = 64 * 1024 * 1024;
/** After the last process ends, the remaining output is read for at most this long. */
const LONGEST_DRAIN_MS = 2000;

/** Probed once per process: the system and its permissions do not change. */
let allowed: Promise<Containment> | undefined;

export function processRunner(own: Variables, settings: RunnerSettings = {}): CommandRunner {
  const best = (): Promise<Containment> =>
    (allowed ??= cells(pathOf(own)).then((containment) => containment ?? groups));
  return {
    async run(running) {
      const tidied = removeLeftovers();
      const started = performance.now();
      const containment = settings.way === "group" ? groups : await best();
      const done = await runIn(containment, running, own, { started, ...settings });
      await tidied;
      return done;
    },
  };
}

interface Circumstances extends RunnerSettings {
  readonly started: number;
}

async function runIn(
  containment: Containment,
  running: CommandRequest,
  own: Variables,
  circumstances: Circumstances,
): Promise<Run> {
  const nothing = (how: CommandResult["how"], why?: string): Run => ({
    how,
    ...(why === undefined ? {} : { why }),
    ms: msSince(circumstances.started),
    output: silence(),
    text: async () => "",
    forget: async () => undefined,
  });
  if (running.cancelled?.aborted) return nothing("cancelled");
  const prepared = prepare(running, own);
  if ("how" in prepared) return nothing(prepared.how, prepared.why);
  let folder: string | undefined;
  try {
    folder = await makeFolder();
    const recording = new Recording(folder, circumstances.spoolLimit ?? SPOOL_LIMIT);
    const contained = await containment(prepared);
    const { how, output } = await follow(contained, recording, running, circumstances);
    const made = folder;
    return {
      ...how,
      ms: msSince(circumstances.started),
      output,
      text: async (most) => textOf(output, most),
      forget: () => removeFolder(made),
    };
  } catch (error) {
    if (folder !== undefined) await removeFolder(folder);
    return nothing("not-started", error instanceof Error ? error.message : String(error));
  }
}

/** Returns nothing for truncated output: a reader would take the missing part for never written. */
function textOf({ file, isCut }: CommandOutput, most: number): string | undefined {
  if (isCut || (fs.statSync(file, { throwIfNoEntry: false })?.size ?? Infinity) > most) return undefined;
  return fs.readFileSync(file, "utf8");
}

const msSince = (started: number): number => Math.round(performance.now() - started);

function prepare(running: CommandRequest, own: Variables): Prepared | Missing {
  const { run, folder, root, passes, variables, input } = running;
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return { how: "not-started", why: `There is no folder ${folder}.` };
  }
  const bins = projectBins(folder, root);
  const [name = "", ...args] = "argv" in run ? run.argv : shellWords(run.shell);
  const file = findProgram(name, folder, bins, pathOf(own));
  if (typeof file !== "string") return file;
  return { file, args, folder, input, environment: environmentFor(own, { folder, bins, passes, variables }) };
}

const shellWords = (line: string): readonly string[] =>
  process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", line] : ["/bin/sh", "-c", line];

async function follow(
  { main, ask, end }: Contained,
  recording: Recording,
  running: CommandRequest,
  { started, graceMs = GRACE_MS }: Circumstances,
): Promise<{ readonly how: How; readonly output: CommandOutput }> {
  const closed = new Promise<void>((resolve) => void main.once("close", () => resolve()));
  const limits = new Limits(running, started, recording);
  listen(main, recording, limits);
  // A command may end without reading all of its input.
  main.stdin?.on("error", () => undefined).end(running.input);
  try {
    const how = await Promise.race([exitOf(main), limits.reached]);
    limits.stop();
    if (!hasEnded(main)) {
      ask();
      await ended(main, graceMs);
    }
    await end();
    await Promise.race([closed, wait(LONGEST_DRAIN_MS, undefined, { ref: false })]);
    return { how, output: close(main, recording) };
  } catch (error) {
    limits.stop();
    await end();
    close(main, recording);
    throw error;
  }
}

function listen(main: ChildProcess, recording: Recording, limits: Limits): void {
  const hear = (isOut: boolean) => (part: Buffer) => {
    limits.heard();
    recording.take(part, isOut);
  };
  main.stdout?.on("data", hear(true));
  main.stderr?.on("data", hear(false));
}

/** Removes the listeners, so no output arrives after the recording has ended. */
function close(main: ChildProcess, recording: Recording): CommandOutput {
  main.stdin?.destroy();
  for (const stream of [main.stdout, main.stderr]) stream?.removeAllListeners("data").destroy();
  return recording.end();
}

function exitOf(main: ChildProcess): Promise<How> {
  return new Promise((resolve, reject) => {
    main.once("error", reject);
    main.once("exit", (code, signal) => {
      resolve(code === null ? { how: "signalled", signal: signal ?? "" } : { how: "exited", code });
    });
  });
}
