import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { findProgram } from "./program-environment.ts";

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
const LONGEST_PROCESS_END_MS = 20_000;

const getCommandStreams = ({ input }: PreparedCommand): ["ignore" | "pipe", "pipe", "pipe"] => [
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

const POSIX_SHELL = "/bin/sh";
/** Shells name this limit either `-w` or `-x`. */
const MARKED_START_SCRIPT = '{ ulimit -w "$0" || ulimit -x "$0"; } 2>/dev/null; exec "$@"';
/** When its input ends because the engine is gone, kills the group and all marked processes. */
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
  const words = isLinux ? [POSIX_SHELL, "-c", MARKED_START_SCRIPT, mark, file, ...args] : [file, ...args];
  const [first = "", ...rest] = words;
  // Starts before the command, which could kill the engine at once.
  const watcher = spawn(POSIX_SHELL, ["-c", GROUP_WATCHER_SCRIPT, "sh", mark], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.stdin?.on("error", () => undefined);
  watcher.once("error", () => undefined);
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
      await (isLinux ? killMarkedProcesses(mark) : killTaggedProcesses(`TENON_RUN=${mark}`));
      watcher.kill("SIGKILL");
      await waitForProcessEnd(watcher);
    },
  };
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

/** A number that children inherit as a limit, as `randomInt` gives for checks. The same tag has the same number. */
const createTagMark = (tag: string): string =>
  String(2 ** 40 + (createHash("sha256").update(tag).digest().readUIntBE(0, 6) % 2 ** 46));

/**
 * The first argument is the mark, then the files for output, errors, input, process id and exit code, then the command.
 * Prints a line once it has the mark. Without its input it starts nothing.
 */
const DETACHED_SCRIPT = [
  MARKED_START_SCRIPT.replace('; exec "$@"', ""),
  "trap '' PIPE; echo; exec >/dev/null; trap - PIPE",
  "out=$1; shift",
  `/bin/sh -c 'echo "$$" >"$0.pid"; exec "$@"' "$out" "$@" >"$out" 2>"$out.err" <"$out.in"`,
  'echo "$?" >"$out.code.new" && mv "$out.code.new" "$out.code"',
].join("\n");

/** Starts a command that outlives Tenon. Resolves when its mark finds it, or with the error if it cannot start. */
export async function startDetached(
  tag: string,
  { file, args, folder, environment }: PreparedCommand,
  output: string,
): Promise<Error | undefined> {
  const words = ["-c", DETACHED_SCRIPT, createTagMark(tag), output, file, ...args];
  const env = { ...environment, TENON_ACTION: tag };
  const child = spawn(POSIX_SHELL, words, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  child.unref();
  const error = await new Promise<Error | undefined>((resolve) => {
    child.once("error", resolve);
    child.stdout.once("data", () => resolve(undefined)).once("close", () => resolve(undefined));
  });
  child.stdout.destroy();
  return error;
}

/** Asks the command itself to end, and none of its children. Its number may belong to another process by now. */
export function askDetached(tag: string, output: string): void {
  const pid = Number.parseInt(readFileIfThere(`${output}.pid`), 10);
  const isOwn =
    process.platform === "linux"
      ? listMarkedProcesses(createTagMark(tag)).includes(pid)
      : listTaggedLines(tag).some((line) => Number.parseInt(line, 10) === pid);
  if (isOwn) sendProcessSignal(pid, "SIGTERM");
}

export const hasTaggedProcesses = (tag: string): boolean =>
  (process.platform === "linux" ? listMarkedProcesses(createTagMark(tag)) : listTaggedLines(tag)).length > 0;

export const endTaggedProcesses = (tag: string): Promise<void> =>
  process.platform === "linux" ? killMarkedProcesses(createTagMark(tag)) : killTaggedProcesses(`TENON_ACTION=${tag}`);

/** The mark is a limit on file locks, which kernels ignore: children inherit it and cannot raise it again. */
async function killMarkedProcesses(mark: string): Promise<void> {
  let misses = 0;
  await pollUntilTrue(() => {
    const newest = readNewestProcessId();
    const left = listMarkedProcesses(mark);
    for (const pid of left) sendProcessSignal(pid, "SIGKILL");
    misses = left.length === 0 ? misses + 1 : 0;
    // A process that forks and ends at once can slip past one scan, but not past a scan during which no process
    // started. On a busy machine some process always starts, so many empty scans are enough.
    return left.length === 0 && (newest === readNewestProcessId() || misses >= 30);
  });
}

/** The process id that the kernel assigned last: the fifth field of `/proc/loadavg`. */
const readNewestProcessId = (): string => readProcFile(".", "loadavg").trim().split(" ")[4] ?? "";

function listMarkedProcesses(mark: string): number[] {
  const wanted = new RegExp(`^Max file locks +${mark} `, "m");
  // A dead process may wait long until its parent reaps it.
  const isDead = (pid: string): boolean => /^(?:.*\) [ZX]|$)/s.test(readProcFile(pid, "stat"));
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && wanted.test(readProcFile(name, "limits")) && !isDead(name))
    .map(Number);
}

const readProcFile = (pid: string, what: "children" | "limits" | "loadavg" | "stat"): string =>
  readFileIfThere(`/proc/${pid}/${what}`);

function readFileIfThere(file: string): string {
  try {
    return fs.readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function listTaggedLines(tag: string): string[] {
  const words = ["-axwwE", "-o", "pid=,command="];
  const { stdout } = spawnSync("/bin/ps", words, { encoding: "utf8", maxBuffer: 2 ** 26 });
  return (stdout ?? "").split("\n").filter((line) => line.includes(tag));
}

/** For systems without `/proc`: finds processes by a variable in their environment. */
async function killTaggedProcesses(tag: string): Promise<void> {
  await pollUntilTrue(() => {
    const left = listTaggedLines(tag);
    for (const line of left) sendProcessSignal(Number.parseInt(line, 10), "SIGKILL");
    return left.length === 0;
  });
}

async function pollUntilTrue(isSo: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_PROCESS_END_MS;
  while (!isSo() && performance.now() < end) await wait(1);
}

/** `setsid` keeps the command from signalling its entrance. `setpriv` ends the namespace when the engine ends. */
type NamespaceTools = Readonly<Record<"unshare" | "nsenter" | "setsid" | "setpriv", string>>;

/** Flags of `unshare`. Users other than root need a user namespace; a private `/proc` hides the engine. */
type NamespaceFlags = readonly string[];

const ROOT_NAMESPACE_FLAGS: readonly NamespaceFlags[] = [["--pid", "--mount-proc"], ["--pid"]];
const USER_NAMESPACE_FLAGS: readonly NamespaceFlags[] = ROOT_NAMESPACE_FLAGS.map((form) => [
  "--user",
  "--map-current-user",
  ...form,
]);

/**
 * The first process of a namespace reaps orphans. Its child reads lines from the engine: each line asks every process
 * of the namespace to end. When the input ends, because the engine is done or gone, the first process ends too. Killing
 * the child also ends the namespace. Outside a namespace `kill -1` reaches the whole machine, so the script first
 * checks that it is process 1.
 */
const NAMESPACE_INIT_SCRIPT = [
  '[ "$$" -eq 1 ] || exit 1',
  "exec 3<&0",
  "while read -r line; do kill -TERM -1; kill -CONT -1; done <&3 &",
  "echo",
  'wait "$!"',
].join("\n");
/** A process that enters a namespace starts at its root folder. */
const NAMESPACE_ENTRY_SCRIPT = 'cd -- "$0" && unset OLDPWD && exec "$@"';

/**
 * In a PID namespace the kernel ends all other processes with the first, which is Tenon's, so that signals reach the
 * command normally.
 */
export async function findNamespaceContainment(path: string): Promise<ProcessContainment | undefined> {
  if (process.platform !== "linux") return undefined;
  const [unshare, nsenter, setsid, setpriv] = ["unshare", "nsenter", "setsid", "setpriv"].map((name) => {
    const found = findProgram(name, "/", [], path);
    return typeof found === "string" ? found : undefined;
  });
  if (!unshare || !nsenter || !setsid || !setpriv) return undefined;
  for (const form of process.getuid?.() === 0
    ? [...ROOT_NAMESPACE_FLAGS, ...USER_NAMESPACE_FLAGS]
    : USER_NAMESPACE_FLAGS) {
    const tools = { unshare, nsenter, setsid, setpriv };
    const containment: ProcessContainment = (prepared) => startNamespaceCommand(tools, form, prepared);
    if (await canContainCommands(containment)) return containment;
  }
  return undefined;
}

/** A system may have the programs and still forbid namespaces, fully or in part. */
async function canContainCommands(containment: ProcessContainment): Promise<boolean> {
  const probe = { file: POSIX_SHELL, args: ["-c", 'exit "$((6 * 7))"'], folder: "/", environment: {} };
  try {
    const { main, end } = await containment(probe);
    main.stdout?.resume();
    main.stderr?.resume();
    await waitForProcessEnd(main);
    await end();
    return main.exitCode === 42;
  } catch {
    return false;
  }
}

async function startNamespaceCommand(
  tools: NamespaceTools,
  form: NamespaceFlags,
  prepared: PreparedCommand,
): Promise<ContainedCommand> {
  const dieWithUs = ["--pdeathsig", "KILL", "--"];
  const hold = [tools.unshare, ...form, "--fork", "--kill-child", "--", POSIX_SHELL, "-c", NAMESPACE_INIT_SCRIPT];
  const holder = spawn(tools.setpriv, [...dieWithUs, ...hold], { cwd: "/", env: {}, stdio: "pipe", detached: true });
  await waitUntilNamespaceReady(holder);
  const at = `/proc/${holder.pid}/ns`;
  const doors = [
    ...(form.includes("--user") ? [`--user=${at}/user`, "--preserve-credentials"] : []),
    ...(form.includes("--mount-proc") ? [`--mount=${at}/mnt`] : []),
    `--pid=${at}/pid_for_children`,
  ];
  const command = [POSIX_SHELL, "-c", NAMESPACE_ENTRY_SCRIPT, prepared.folder, prepared.file, ...prepared.args];
  const enter = [tools.nsenter, ...doors, "--", tools.setsid, ...command];
  try {
    const main = spawn(tools.setpriv, [...dieWithUs, ...enter], {
      cwd: "/",
      env: prepared.environment,
      stdio: getCommandStreams(prepared),
      detached: true,
    });
    return { main, ask: () => void holder.stdin?.write("\n"), end: () => closeNamespace(holder, main) };
  } catch (error) {
    await closeNamespace(holder);
    throw error;
  }
}

function waitUntilNamespaceReady(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    holder.stdin?.on("error", () => undefined);
    holder.stderr?.on("data", (part: Buffer) => void (said = (said + part.toString()).slice(-500)));
    holder.stdout?.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("close", () => reject(new Error(said.trim() || "No cell could be made.")));
  });
}

/** The holder ends after every other process. A stopped command stops the entrance, so each round continues it. */
async function closeNamespace(holder: ChildProcess, main?: ChildProcess): Promise<void> {
  holder.stdin?.end();
  const last = performance.now() + LONGEST_PROCESS_END_MS;
  for (let round = 1; !hasProcessEnded(holder) && performance.now() < last; round++) {
    main?.kill("SIGCONT");
    await waitForProcessEnd(holder, Math.min(round * 5, 100));
    // A process of the command may have stopped the listening child.
    if (round !== 20) continue;
    const children = readProcFile(`${holder.pid}/task/${holder.pid}`, "children").split(" ").map(Number);
    for (const child of children) if (child > 1) sendProcessSignal(child, "SIGKILL");
  }
  holder.kill("SIGKILL");
  if (!main) return;
  await waitForProcessEnd(main, 1000);
  main.kill("SIGKILL");
}
