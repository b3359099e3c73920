import fs from "node:fs";
import { homedir } from "node:os";
import { answerHook } from "#doors/hook/answer-hook.ts";
import type { HookServices } from "#doors/hook/hook-workspace.ts";
import { FILE_CLOCK_TICK_MS, listFilesChangedBetween } from "#git/adapters/changed-files.ts";
import {
  appendJournalLines,
  findShellNote,
  readJournalFiles,
  tryParseLockPath,
} from "#planning/adapters/journal-files.ts";
import { readBootId, locateDataFolder } from "#kernel/adapters/machine-environment.ts";
import { isProcessGone, isProcessRunning, markClients } from "#kernel/adapters/process-marks.ts";
import { listOwnHookFiles, translateHookAnswer } from "#doors/hook/model/hook-call.ts";
import { formatUtcTime } from "#kernel/model/utc-time.ts";
import { findWorkspaceRoot } from "#kernel/adapters/workspace-root.ts";
import { readCheckoutName, locateLedgerFile } from "#kernel/adapters/git-checkout.ts";

/** Bytes. A longer payload does not come from a hook. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
const GIT_TIMEOUT_MS = 1500;
/** Exit code that rejects a tool call in clients that read only the exit code. */
const REJECTED_EXIT_CODE = 2;

/** Reads standard input to its end. Returns undefined for a terminal or a payload that is too long. */
function readHookPayload(): string | undefined {
  if (fs.fstatSync(0).isCharacterDevice()) return undefined;
  const chunks: Buffer[] = [];
  for (let length = 0; ;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const read = readStdinChunk(chunk);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
    if (length > MAX_PAYLOAD_BYTES) return undefined;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

function readStdinChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return fs.readSync(0, chunk);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

const formatUtcNow = (): string => formatUtcTime(new Date());
const hookSteadyClock = { boot: readBootId(), nowMs: (): number => Number(process.hrtime.bigint() / 1_000_000n) };

/** Unique: no two processes share both the time and the process id. */
const createNoteId = (): string => `${process.hrtime.bigint().toString(36)}-${process.pid.toString(36)}`;

/** Undefined instead of an error. One call asks for the same folders several times. */
function readOnce<T>(read: (folder: string) => T): (folder: string) => T | undefined {
  const known = new Map<string, T | undefined>();
  return (folder) => {
    if (!known.has(folder))
      known.set(
        folder,
        attempt(() => read(folder)),
      );
    return known.get(folder);
  };
}

const hookHost: HookServices = {
  get cwd() {
    return process.cwd();
  },
  environment: process.env,
  get dataFolder() {
    return locateDataFolder(process.env, homedir);
  },
  now: formatUtcNow,
  steady: () => ({ boot: hookSteadyClock.boot, ms: hookSteadyClock.nowMs() }),
  rootAt: readOnce((folder) => findWorkspaceRoot({ cwd: folder, home: homedir() })),
  ledgerOf: readOnce((root) => ({ file: locateLedgerFile(root), checkout: readCheckoutName(root) })),
  append(root, { paths = [], changed = [], ...what }) {
    const edited = paths.flatMap((said, i) => {
      const path = tryParseLockPath(said);
      return path === undefined ? [] : [{ path, time: changed[i] ?? 0 }];
    });
    return appendJournalLines(root, {
      id: createNoteId(),
      ...what,
      at: formatUtcNow(),
      steady: hookSteadyClock.nowMs(),
      boot: hookSteadyClock.boot,
      paths: edited.map(({ path }) => path),
      ...(edited.length > 0 ? { changed: edited.map(({ time }) => time) } : {}),
      client: markClients(process.ppid, 1)[0],
      // Milliseconds since the process began. Loading `performance` would cost time.
      ms: Math.round(process.uptime() * 1000),
    });
  },
  changesBefore(root, session, time) {
    return listFilesChangedBetween(root, findShellNote(root, { at: formatUtcNow(), session }) ?? 0, time);
  },
  changesDuring(root, session, [time, call]) {
    const begun = findShellNote(root, { at: formatUtcNow(), session, call });
    return begun === undefined ? [] : listFilesChangedBetween(root, begun, time);
  },
  // A tool ends before its hook begins. The uptime is read first, so that a busy machine never moves the end before it.
  toolTime: (hasEnded) => {
    const uptimeMs = Math.floor(process.uptime() * 1000);
    return Date.now() - (hasEnded ? uptimeMs : FILE_CLOCK_TICK_MS);
  },
  isGone: isProcessGone,
  isRunning: isProcessRunning,
  kept: async (file) => (await import("#store/adapters/sqlite-ledger.ts")).readLedgerSnapshot(file, hookSteadyClock),
  unread: async (root, checkout, places) =>
    readJournalFiles({ root, checkout, clock: { now: formatUtcNow }, steadyClock: hookSteadyClock }, places),
  settings: async (text) => (await import("#store/adapters/workspace-settings.ts")).parseWorkspaceSettings(text),
  uncommitted: async (root) =>
    (await import("#git/adapters/git-command.ts")).listUncommittedFiles(root, process.env, GIT_TIMEOUT_MS),
  asset: (name) => fs.readFileSync(`${import.meta.dirname}/../assets/${name}`, "utf8"),
};

/** Never interrupts the user's session: prints only intended answers, and exits with 0 unless it rejects a call. */
async function runHookEntry([event, dialect]: readonly string[]): Promise<void> {
  try {
    const { answer, refusal } = translateHookAnswer(await answerHookSafely(event, dialect), event, dialect);
    if (answer) fs.writeSync(1, `${JSON.stringify(answer)}\n`);
    if (refusal === undefined) return;
    fs.writeSync(2, `${refusal}\n`);
    process.exitCode = REJECTED_EXIT_CODE;
  } catch {
    // An error gives no answer.
  }
}

async function answerHookSafely(event: string | undefined, dialect: string | undefined): ReturnType<typeof answerHook> {
  try {
    const payload = readHookPayload();
    if (payload === undefined) return undefined;
    const isRepeated = dialect === undefined && listOwnHookFiles(payload, process.env).some(hasTenonHook);
    return isRepeated ? undefined : await answerHook(event, payload, hookHost);
  } catch {
    return undefined;
  }
}

const hasTenonHook = (file: string): boolean =>
  attempt(() => fs.readFileSync(file, "utf8").includes("tenon hook")) ?? false;

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

// Without this, V8 may collect garbage first: the answer is written, and the client waits for the end.
void runHookEntry(process.argv.slice(3)).then(() => process.exit());
