import fs from "node:fs";
import { homedir } from "node:os";
import { runCli } from "#doors/cli/run-cli.ts";
import { readBootId, locateDataFolder } from "#kernel/adapters/machine-environment.ts";
import { ApplicationHost, type ProcessContext } from "./application-host.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatUtcTime } from "#kernel/model/utc-time.ts";
import { createCallingProgram } from "#planning/adapters/calling-program.ts";

/** Reading `process.stdout` creates a stream, which costs a tenth of Node's start. Only a terminal needs one. */
const isStdoutTerminal = fs.fstatSync(1).isCharacterDevice() && process.stdout.isTTY;
/** NO_COLOR wins. FORCE_COLOR also colours what a pipe or a file gets, as CI logs need it. */
const isColourForced = /^(?!0$|false$)/.test(process.env["FORCE_COLOR"] ?? "0") && !process.env["NO_COLOR"];
const isColourWanted =
  !process.env["NO_COLOR"] && !/^(?:0|false)$/.test(process.env["FORCE_COLOR"] ?? "") && process.env["TERM"] !== "dumb";

/** Columns where the terminal's are unknown, as in a pipe. */
const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;

/** Writes all bytes. A reader that closed the pipe, as `head` does, is not a failure. */
function writeToStream(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw createOutputFault(fd, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function createOutputFault(fd: 1 | 2, error: unknown): Fault {
  return new Fault("output.unwritable", {
    what: `The answer could not be written to standard ${fd === 1 ? "output" : "error"}.`,
    why: `The command finished its work, but: ${error instanceof Error ? error.message : String(error)}.`,
    fix: { operation: "workspace.status" },
  });
}

let isAnsweredByKey = false;

/** People press Enter after a key too. It must not answer the next question. */
async function dropEnterAfterKey(): Promise<void> {
  if (!isAnsweredByKey) return;
  isAnsweredByKey = false;
  const { stdin } = process;
  const chunk = await new Promise<Buffer | undefined>((resolve) => {
    const finish = (typed?: Buffer): void => {
      stdin.off("data", finish);
      clearTimeout(timer);
      stdin.pause();
      resolve(typed);
    };
    const timer = setTimeout(finish, TYPED_AHEAD_MS);
    stdin.once("data", finish);
    stdin.resume();
  });
  const rest = chunk?.toString().replace(/^(?:\r\n|\r|\n)/, "") ?? "";
  if (rest !== "") stdin.unshift(Buffer.from(rest));
}

/** Time to receive keys that were pressed before the question. */
const TYPED_AHEAD_MS = 50;

/** Reads a line. Ctrl-D means no, and Ctrl-C ends the call as an interrupt does. */
async function askYesNo(question: string): Promise<boolean> {
  await dropEnterAfterKey();
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    writeToStream(1, "\n");
    if (error.message.includes("Ctrl+C")) throw createCancelledFault();
    return false;
  } finally {
    lines.close();
  }
}

/** Reads one key without Enter. Ctrl-C ends the call as an interrupt does. */
async function askYesNoKey(question: string): Promise<boolean> {
  const { stdin } = process;
  await dropEnterAfterKey();
  writeToStream(1, `${question} [y/N] `);
  stdin.setRawMode(true);
  try {
    const key = await new Promise<Buffer>((resolve) => {
      const resolveEmpty = (): void => resolve(Buffer.alloc(0));
      // An ended stream sends no further event.
      if (stdin.readableEnded) return resolveEmpty();
      stdin.once("data", resolve);
      stdin.once("end", resolveEmpty);
      // The question before paused it.
      stdin.resume();
    });
    const isYes = /^y/i.test(key.toString());
    isAnsweredByKey = key.length === 1 && !/[\r\n]/.test(key.toString());
    writeToStream(1, `${isYes ? "yes" : "no"}\n`);
    if (key[0] === INTERRUPT_KEY) throw createCancelledFault();
    return isYes;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

const INTERRUPT_KEY = 3;

const createCancelledFault = (): Fault =>
  new Fault("call.cancelled", {
    what: "Interrupted.",
    why: "All earlier steps are done.",
    fix: { operation: "workspace.status" },
  });

/** Bytes. Far more than any argument needs; it cuts off endless input such as `/dev/zero`. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** Rejects input that is not UTF-8, so that no text is stored altered. */
async function readUtf8Input(input: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_INPUT_BYTES) break;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** 128 random bits. Nothing secret depends on them, so a start does not load `crypto`, which takes milliseconds. */
const createUniqueId = (): string =>
  Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("-");

/** Renames a temporary neighbour, so that no reader sees half a file. Writes through a link, as a shell does. */
async function replaceUserFile(path: string, text: string): Promise<void> {
  const place = fs.existsSync(path) ? fs.realpathSync(path) : path;
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  // A pipe or a device cannot be replaced, so the text goes to it directly.
  if (stat && !stat.isFile()) return fs.writeFileSync(place, text);
  const neighbour = `${place}.${createUniqueId()}`;
  try {
    fs.writeFileSync(neighbour, text, { flag: "wx" });
    fs.renameSync(neighbour, place);
  } finally {
    fs.rmSync(neighbour, { force: true });
  }
}

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

const processContext: ProcessContext = {
  // Read on demand: only a command that needs a missing folder or home fails.
  get cwd() {
    return process.cwd();
  },
  get home() {
    return homedir();
  },
  environment: process.env,
  clock: {
    now: () => formatUtcTime(new Date()),
    steady: () => ({ boot: readBootId(), ms: Number(process.hrtime.bigint() / 1_000_000n) }),
  },
  wait: async (ms, cancelled) => {
    const { setTimeout } = await import("node:timers/promises");
    await setTimeout(ms, undefined, { signal: cancelled }).catch(() => undefined);
  },
  steadyClock: {
    get boot() {
      return readBootId();
    },
    nowMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  },
  newId: createUniqueId,
  io: {
    isTerminal: isStdoutTerminal,
    hasColour: isColourForced || (isStdoutTerminal && isColourWanted),
    get hasErrorColour() {
      if (isColourForced) return true;
      return isColourWanted && fs.fstatSync(2).isCharacterDevice() && process.stderr.isTTY;
    },
    get width() {
      const wanted = Number(process.env["COLUMNS"]) || (isStdoutTerminal && process.stdout.columns) || DEFAULT_WIDTH;
      return Math.max(wanted, MIN_WIDTH);
    },
    get errorWidth() {
      return fs.fstatSync(2).isCharacterDevice() && process.stderr.isTTY ? process.stderr.columns : undefined;
    },
    // The second signal has no listener, so it ends the process as usual.
    onInterrupt: (then) => {
      for (const signal of STOP_SIGNALS) process.once(signal, then);
      return () => STOP_SIGNALS.forEach((signal) => void process.off(signal, then));
    },
    out: (text) => writeToStream(1, text),
    err: (text) => writeToStream(2, text),
    get canAsk() {
      return isStdoutTerminal && process.stdin.isTTY;
    },
    ask: (question) => askYesNo(question),
    askKey: (question) => askYesNoKey(question),
    stdin: () => readUtf8Input(process.stdin),
    file: (path) => readUtf8Input(fs.createReadStream(path)),
    save: replaceUserFile,
  },
  streams: () => ({ input: process.stdin, output: process.stdout, log: (text) => writeToStream(2, text) }),
  packageFolder: new URL("../", import.meta.url),
  caller: createCallingProgram,
  ancestors: async () => (await import("#kernel/adapters/agent-signs.ts")).readAncestorCommands(process.ppid),
  get dataFolder() {
    return locateDataFolder(process.env, homedir);
  },
};

export async function runProgram(words: readonly string[]): Promise<void> {
  const { version } = JSON.parse(fs.readFileSync(new URL("package.json", processContext.packageFolder), "utf8")) as {
    version: string;
  };
  const house = new ApplicationHost(processContext, version);
  // A call in progress still needs its ledger after an MCP client disconnects.
  process.once("beforeExit", () => house.close());
  process.exitCode = await runCli(words, house);
}

void runProgram(process.argv.slice(2));
