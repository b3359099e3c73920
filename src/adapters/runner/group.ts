import { randomInt } from "node:crypto";
import { type ChildProcess, spawn } from "node:child_process";
import { type Contained, type Containment, ended, LONGEST_END_MS, type Prepared, streamsFor } from "./contained.ts";
import { endMarked, endTagged, signalGroup } from "./processes.ts";

const SHELL = "/bin/sh";
/** Shells call the limit by two names. */
const MARKED = '{ ulimit -w "$0" || ulimit -x "$0"; } 2>/dev/null; exec "$@"';
/** Is told who leads the group, and does what we would when its standard input ends because we did. */
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

/** Where no cell can be made: a group of processes, and a mark by which those are found that left it. */
export const groups: Containment = async (prepared) =>
  process.platform === "win32" ? startTree(prepared) : startGroup(prepared);

function startGroup(prepared: Prepared): Contained {
  const { file, args, folder, environment } = prepared;
  const isLinux = process.platform === "linux";
  const mark = String(randomInt(2 ** 40, 2 ** 47));
  const words = isLinux ? [SHELL, "-c", MARKED, mark, file, ...args] : [file, ...args];
  const [first = "", ...rest] = words;
  // Before the command, which may end us as soon as it is there.
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

/** Windows knows who started whom, as long as those live. */
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

/** For `cmd`, which reads a line and no words. What it would take for more than a word is refused. */
export function commandLine(file: string, args: readonly string[]): string {
  const words = [file, ...args];
  const strange = words.find((word) => /["%!\r\n\0]/.test(word));
  if (strange !== undefined) throw new Error(`${JSON.stringify(strange)} cannot be passed to a command script.`);
  return `"${words.map((word) => `"${word}"`).join(" ")}"`;
}
