import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

export interface PreparedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
}

export interface ContainedCommand {
  /** Ends with the exit code or signal of the command. Leads its own process group and session. */
  readonly main: ChildProcess;
  readonly ask: () => void;
  /** Ends every remaining process and resolves when none is left. */
  readonly end: () => Promise<void>;
}

export type ProcessContainment = (prepared: PreparedCommand) => Promise<ContainedCommand>;

/** Longer than the kernel needs to end thousands of processes. */
export const LONGEST_PROCESS_END_MS = 20_000;

export const getCommandStreams = ({ input }: PreparedCommand): ["ignore" | "pipe", "pipe", "pipe"] => [
  input === undefined ? "ignore" : "pipe",
  "pipe",
  "pipe",
];

export const hasProcessEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves when the process ends, fails to start, or the time is up. */
export function waitForProcessEnd(child: ChildProcess, withinMs?: number): Promise<void> {
  return new Promise((resolve) => {
    if (hasProcessEnded(child)) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      child.off("exit", done).off("error", done);
      resolve();
    };
    const timer = withinMs === undefined ? undefined : setTimeout(done, withinMs);
    child.once("exit", done).once("error", done);
  });
}

const GROUP_SHELL = "/bin/sh";
/** Shells name this limit either `-w` or `-x`. */
const MARKED_START_SCRIPT = '{ ulimit -w "$0" || ulimit -x "$0"; } 2>/dev/null; exec "$@"';
/**
 * Reads the group leader from standard input. When that input ends because the engine is gone, kills the group and all
 * marked processes.
 */
const GROUP_WATCHER_SCRIPT = [
  "while read -r line; do leader=$line; done",
  '[ -z "$leader" ] || kill -KILL -- "-$leader"',
  "for round in 1 2 3 4 5",
  'do for at in $(grep -ls "^Max file locks *$1 " /proc/[0-9]*/limits)',
  '  do at=${at#/proc/}; kill -KILL "${at%/limits}"',
  "  done",
  "  sleep 0.1",
  "done",
].join("\n");

/** For systems without namespaces: a process group, plus a mark that finds processes which left the group. */
export const containInProcessGroup: ProcessContainment = async (prepared) =>
  process.platform === "win32" ? startWindowsTree(prepared) : startProcessGroup(prepared);

function startProcessGroup(prepared: PreparedCommand): ContainedCommand {
  const { file, args, folder, environment } = prepared;
  const isLinux = process.platform === "linux";
  const mark = String(randomInt(2 ** 40, 2 ** 47));
  const words = isLinux ? [GROUP_SHELL, "-c", MARKED_START_SCRIPT, mark, file, ...args] : [file, ...args];
  const [first = "", ...rest] = words;
  // Starts before the command, which could kill the engine at once.
  const watcher = startGroupWatcher(mark);
  const main = spawn(first, rest, {
    cwd: folder,
    env: isLinux ? environment : { ...environment, TENON_RUN: mark },
    stdio: getCommandStreams(prepared),
    detached: true,
  });
  const leader = main.pid;
  watcher.stdin?.write(`${leader ?? ""}\n`);
  return {
    main,
    ask() {
      signalProcessGroup(leader, "SIGTERM");
      signalProcessGroup(leader, "SIGCONT");
    },
    async end() {
      signalProcessGroup(leader, "SIGKILL");
      if (isLinux) await killMarkedProcesses(mark, LONGEST_PROCESS_END_MS);
      else await killTaggedProcesses(`TENON_RUN=${mark}`, LONGEST_PROCESS_END_MS);
      watcher.kill("SIGKILL");
      await waitForProcessEnd(watcher);
    },
  };
}

function startGroupWatcher(mark: string): ChildProcess {
  const watcher = spawn(GROUP_SHELL, ["-c", GROUP_WATCHER_SCRIPT, "sh", mark], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.stdin?.on("error", () => undefined);
  watcher.once("error", () => undefined);
  return watcher;
}

/** Windows knows the parent of a process only while the parent lives. */
function startWindowsTree(prepared: PreparedCommand): ContainedCommand {
  const { file, args, folder, environment } = prepared;
  const isScript = /\.(?:cmd|bat)$/i.test(file);
  const main = spawn(isScript ? "cmd.exe" : file, isScript ? ["/d", "/s", "/c", quoteCmdLine(file, args)] : args, {
    cwd: folder,
    env: environment,
    stdio: getCommandStreams(prepared),
    windowsHide: true,
    windowsVerbatimArguments: isScript,
  });
  return {
    main,
    ask: () => undefined,
    async end() {
      const ending = spawn("taskkill", ["/T", "/F", "/PID", String(main.pid)], { stdio: "ignore", windowsHide: true });
      await waitForProcessEnd(ending, LONGEST_PROCESS_END_MS);
    },
  };
}

/** `cmd` reads one line instead of separate words. Rejects words that it would interpret. */
export function quoteCmdLine(file: string, args: readonly string[]): string {
  const words = [file, ...args];
  const strange = words.find((word) => /["%!\r\n\0]/.test(word));
  if (strange !== undefined) throw new Error(`${JSON.stringify(strange)} cannot be passed to a command script.`);
  return `"${words.map((word) => `"${word}"`).join(" ")}"`;
}

/** Signals only processes that the runner started. Returns whether the process exists. */
function sendProcessSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export const isProcessAlive = (pid: number): boolean => sendProcessSignal(pid, 0);

/** A leader of 0 or 1 would mean the engine's own group or every process. */
function signalProcessGroup(leader: number | undefined, name: NodeJS.Signals): void {
  if (leader !== undefined && leader > 1) sendProcessSignal(-leader, name);
}

export function signalProcessChildren(parent: number | undefined, name: NodeJS.Signals): void {
  const children = readProcFile(`${parent}/task/${parent}`, "children").split(" ").map(Number);
  for (const child of children) if (child > 1) sendProcessSignal(child, name);
}

/**
 * Kills processes with the mark until none is left. The mark is a limit on file locks, which kernels ignore: children
 * inherit it whatever they do to their environment, group or session, and cannot raise it again.
 */
async function killMarkedProcesses(mark: string, withinMs: number): Promise<void> {
  let misses = 0;
  await pollUntilTrue(() => {
    const newest = readNewestProcessId();
    const left = listMarkedProcesses(mark);
    for (const pid of left) sendProcessSignal(pid, "SIGKILL");
    misses = left.length === 0 ? misses + 1 : 0;
    // A process that forks and ends at once can slip past one scan, but not past a scan during which no process
    // started.
    return left.length === 0 && (newest === readNewestProcessId() || misses >= ENOUGH_EMPTY_SCANS);
  }, withinMs);
}

/** On a busy machine some process always starts. */
const ENOUGH_EMPTY_SCANS = 30;

/** The process id that the kernel assigned last: the fifth field of `/proc/loadavg`. */
const readNewestProcessId = (): string => readProcFile(".", "loadavg").trim().split(" ")[4] ?? "";

function listMarkedProcesses(mark: string): number[] {
  const wanted = new RegExp(`^Max file locks +${mark} `, "m");
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && wanted.test(readProcFile(name, "limits")) && !isProcessDead(name))
    .map(Number);
}

/** A dead process may wait long until its parent reaps it. */
const isProcessDead = (pid: string): boolean => /^(?:.*\) [ZX]|$)/s.test(readProcFile(pid, "stat"));

function readProcFile(pid: string, what: "children" | "limits" | "loadavg" | "stat"): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${what}`, "latin1");
  } catch {
    return "";
  }
}

/** For systems without `/proc`: finds processes by a variable in their environment. */
async function killTaggedProcesses(tag: string, withinMs: number): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  await pollUntilTrue(() => {
    const { stdout } = spawnSync("/bin/ps", ["-axwwE", "-o", "pid=,command="], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    const left = (stdout ?? "").split("\n").filter((line) => line.includes(tag));
    for (const line of left) sendProcessSignal(Number.parseInt(line, 10), "SIGKILL");
    return left.length === 0;
  }, withinMs);
}

async function pollUntilTrue(isSo: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo() && performance.now() < end) await wait(1);
}
