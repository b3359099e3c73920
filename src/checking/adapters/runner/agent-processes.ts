import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type {
  AgentEnding,
  AgentProcesses,
  AgentStartRequest,
  AgentWatchRequest,
} from "#kernel/operations/ports/agent-processes.ts";
import { toSystemFault } from "#kernel/model/system-error.ts";
import { askDetached, endTaggedProcesses, hasTaggedProcesses, startDetached } from "./process-containment.ts";
import { type EnvironmentVariables, findProgram, readPathVariable } from "./program-environment.ts";

const POLL_MS = 100;
/** An agent that is asked to end may store its session first. */
const FAREWELL_POLLS = 30;
/** The mark is looked up less often, because that reads a file of each process of the machine. */
const POLLS_PER_LOOK = 20;
const ERROR_BYTES = 4096;
/** An agent that prints more has lost its way. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const ASK_TIMEOUT_MS = 30_000;
const MAX_EVENTS_BYTES = 16 * 1024 * 1024;

/** Variables of the process that started Tenon. They would lead an agent into the session of another. */
const FOREIGN_VARIABLE = /^(?:TENON_(?!HOME$)|CLAUDECODE$|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT)$|CLAUDE_PROJECT_DIR$)/;

/** Agents have the whole environment of the user: they need logins, proxies and tools. */
export function createAgentProcesses(own: EnvironmentVariables, acpClient: readonly string[]): AgentProcesses {
  const environment = Object.fromEntries(Object.entries(own).filter(([name]) => !FOREIGN_VARIABLE.test(name)));
  return {
    start: async (request) => startAgent(environment, request, acpClient),
    watch: watchAgent,
    end: endTaggedProcesses,
    keep: keepTranscript,
    read: async (output, most) => (fs.existsSync(output) ? readEnd(output, most) : undefined),
    note: appendLine,
    async follow(file, line, until) {
      const tail = new OutputTail(file, line);
      while (!until.aborted) if (!tail.read()) await pause(POLL_MS);
      while (tail.read());
    },
    async findTranscript(folder, name) {
      const runs = fs.existsSync(folder) ? fs.readdirSync(folder).toSorted().toReversed() : [];
      const places = runs.map((run) => join(folder, run, name));
      const files = places.flatMap((place) =>
        (fs.existsSync(place) ? fs.readdirSync(place) : [])
          .filter((file) => /^\d+\.jsonl$/.test(file))
          .toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))
          .map((file) => join(place, file)),
      );
      return files[0];
    },
    async ask([name = "", ...args], folder) {
      const file = findProgram(name, "/", [], readPathVariable(own));
      if (typeof file !== "string") return { code: null, out: file.why };
      const { status, stdout, stderr } = spawnSync(file, args, {
        cwd: folder,
        env: environment,
        encoding: "utf8",
        timeout: ASK_TIMEOUT_MS,
        killSignal: "SIGKILL",
        stdio: ["ignore", "pipe", "pipe"],
      });
      return { code: status, out: `${stdout ?? ""}${stderr ?? ""}` };
    },
  };
}

async function startAgent(
  own: NodeJS.ProcessEnv,
  { argv: [name = "", ...args], folder, input, tag, variables, output, acp }: AgentStartRequest,
  [client = "", ...clientWords]: readonly string[],
): Promise<{ readonly why: string } | undefined> {
  const file = findProgram(name, folder, [], readPathVariable(own));
  if (typeof file !== "string") return { why: file.why };
  fs.mkdirSync(dirname(output), { recursive: true, mode: 0o700 });
  for (const part of ["", ".err", ".pid", ".code", ".code.new"]) fs.rmSync(`${output}${part}`, { force: true });
  fs.writeFileSync(`${output}.in`, input, { mode: 0o600 });
  const environment = { ...own, PWD: folder, ...variables };
  const command = acp ? { file: client, args: [...clientWords, JSON.stringify(acp), file, ...args] } : { file, args };
  const error = await startDetached(tag, { ...command, folder, environment }, output);
  return error && { why: error.message };
}

function appendLine(file: string, line: string): void {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_EVENTS_BYTES) return;
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    fs.appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch (error) {
    // A line for those who watch is no reason to end the work. What must be kept says so itself.
    if (!toSystemFault(error)) throw error;
  }
}

async function watchAgent(request: AgentWatchRequest): Promise<AgentEnding> {
  const { tag, output, cancelled } = request;
  const tail = new OutputTail(output, request.line);
  const started = performance.now();
  let heard = started;
  let how: AgentEnding["how"] | undefined;
  let code: number | undefined;
  for (let polls = 0; how === undefined; polls++) {
    if (tail.read()) heard = performance.now();
    code = readExitCode(output);
    const now = performance.now();
    if (code !== undefined) how = "exited";
    else if (cancelled.aborted) how = "cancelled";
    else if (now - started > request.timeout_s * 1000) how = "timed-out";
    else if (now - heard > request.silence_s * 1000) how = "silent";
    else if (tail.bytes > MAX_OUTPUT_BYTES) how = "too-much-output";
    else if (polls % POLLS_PER_LOOK === 1 && !hasTaggedProcesses(tag)) how = "vanished";
    else await pause(POLL_MS);
  }
  if (how === "silent" || how === "timed-out" || how === "cancelled") {
    askDetached(tag, output);
    for (let polls = 0; polls < FAREWELL_POLLS && readExitCode(output) === undefined; polls++) await pause(POLL_MS);
  }
  // A shell that has no mark yet starts nothing now: its run may have been killed just before.
  fs.rmSync(`${output}.in`, { force: true });
  // Also after a normal end: children that an agent started go on otherwise.
  await endTaggedProcesses(tag);
  tail.read();
  tail.end();
  // The exit code may have been written just before the processes were gone.
  code ??= how === "vanished" ? readExitCode(output) : undefined;
  const errors = readEnd(`${output}.err`);
  return { how: code === undefined ? how : "exited", errors, ...(code === undefined ? {} : { code }) };
}

function readExitCode(output: string): number | undefined {
  const text = readEnd(`${output}.code`).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The raw output is gone once the transcript exists. Until then a crash leaves it, and the next end replaces it. */
async function keepTranscript(output: string, most: number, change: (text: string) => Promise<string>): Promise<void> {
  // A run that was killed before it started the agent left nothing to keep.
  if (!fs.existsSync(output)) return;
  const errors = readEnd(`${output}.err`, most);
  const text = readEnd(output, most);
  const kept = await change(errors === "" ? text : `${text}\n${errors}`);
  fs.writeFileSync(`${output}.new`, kept, { mode: 0o600 });
  fs.renameSync(`${output}.new`, output);
  for (const part of [".err", ".in", ".pid"]) fs.rmSync(`${output}${part}`, { force: true });
}

function readEnd(file: string, most = ERROR_BYTES): string {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return "";
  const bytes = Buffer.alloc(Math.min(size, most));
  const open = fs.openSync(file, "r");
  try {
    fs.readSync(open, bytes, 0, bytes.length, size - bytes.length);
  } finally {
    fs.closeSync(open);
  }
  return bytes.toString("utf8");
}

class OutputTail {
  readonly #file: string;
  readonly #line: (text: string) => void;
  #rest: Buffer = Buffer.alloc(0);
  bytes = 0;

  constructor(file: string, line: (text: string) => void) {
    this.#file = file;
    this.#line = line;
  }

  /** Whether there was more. */
  read(): boolean {
    const size = fs.statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= this.bytes) return false;
    const more = Buffer.alloc(Math.min(size - this.bytes, 2 ** 24));
    const open = fs.openSync(this.#file, "r");
    try {
      fs.readSync(open, more, 0, more.length, this.bytes);
    } finally {
      fs.closeSync(open);
    }
    this.bytes += more.length;
    const all = Buffer.concat([this.#rest, more]);
    const last = all.lastIndexOf(10);
    for (const line of all
      .subarray(0, last + 1)
      .toString("utf8")
      .split("\n")
      .slice(0, -1))
      this.#line(line);
    this.#rest = all.subarray(last + 1);
    return true;
  }

  end(): void {
    while (this.read());
    if (this.#rest.length > 0) this.#line(this.#rest.toString("utf8"));
  }
}
