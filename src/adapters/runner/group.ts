import { randomInt } from "node:crypto";
import { type ChildProcess, spawn } from "node:child_process";
import { type Contained, type Containment, ended, LONGEST_END_MS, type Prepared, streamsFor } from "./contained.ts";
import { endMarked, endTagged, signalGroup } from "./processes.ts";

const SHELL = "/bin/sh";
/** Shells name this limit either `-w` or `-x`. */
const MARKED = '{ ulimit -w "$0" || ulimit -x "$0"; } 2>/dev/null; exec "$@"';
/**
 * Reads the group leader from standard input. When that input ends because the engine is gone, kills the group and all
 * marked processes.
 */
const WATCH = [
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
export const groups: Containment = async (prepared) =>
  process.platform === "win32" ? startTree(prepared) : startGroup(prepared);

function startGroup(prepared: Prepared): Contained {
  const { file, args, folder, environment } = prepared;
  const isLinux = process.platform === "linux";
  const mark = String(randomInt(2 ** 40, 2 ** 47));
  const words = isLinux ? [SHELL, "-c", MARKED, mark, file, ...args] : [file, ...args];
  const [first = "", ...rest] = words;
  // Starts before the command, which could kill the engine at once.
  const watcher = watch(mark);
  const main = spawn(first, rest, {
    cwd: folder,
    env: isLinux ? environment : { ...environment, TENON_RUN: mark },
    stdio: streamsFor(prepared),
    detached: true,
  });
  const leader = main.pid;
  watcher.stdin?.write(`${leader ?? ""}\n`);
  return {
    main,
    ask() {
      signalGroup(leader, "SIGTERM");
      signalGroup(leader, "SIGCONT");
    },
    async end() {
      signalGroup(leader, "SIGKILL");
      if (isLinux) await endMarked(mark, LONGEST_END_MS);
      else await endTagged(`TENON_RUN=${mark}`, LONGEST_END_MS);
      watcher.kill("SIGKILL");
      await ended(watcher);
    },
  };
}

function watch(mark: string): ChildProcess {
  const watcher = spawn(SHELL, ["-c", WATCH, "sh", mark], {
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
function startTree(prepared: Prepared): Contained {
  const { file, args, folder, environment } = prepared;
  const isScript = /\.(?:cmd|bat)$/i.test(file);
  const main = spawn(isScript ? "cmd.exe" : file, isScript ? ["/d", "/s", "/c", commandLine(file, args)] : args, {
    cwd: folder,
    env: environment,
    stdio: streamsFor(prepared),
    windowsHide: true,
    windowsVerbatimArguments: isScript,
  });
  return {
    main,
    ask: () => undefined,
    async end() {
      const ending = spawn("taskkill", ["/T", "/F", "/PID", String(main.pid)], { stdio: "ignore", windowsHide: true });
      await ended(ending, LONGEST_END_MS);
    },
  };
}

/** `cmd` reads one line instead of separate words. Rejects words that it would interpret. */
export function commandLine(file: string, args: readonly string[]): string {
  const words = [file, ...args];
  const strange = words.find((word) => /["%!\r\n\0]/.test(word));
  if (strange !== undefined) throw new Error(`${JSON.stringify(strange)} cannot be passed to a command script.`);
  return `"${words.map((word) => `"${word}"`).join(" ")}"`;
}
