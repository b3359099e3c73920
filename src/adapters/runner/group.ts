import { randomInt } from "node:crypto";
import { type ChildProcess, spawn } from "node:child_process";
import {
  type ContainedCommand,
  type ProcessContainment,
  waitForProcessEnd,
  LONGEST_PROCESS_END_MS,
  type PreparedCommand,
  getCommandStreams,
} from "./contained.ts";
import { killMarkedProcesses, killTaggedProcesses, signalProcessGroup } from "./processes.ts";

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
