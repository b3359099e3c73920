import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** The only file that sends signals: to what the runner started, and to nothing else. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // Somebody else's is alive too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export const isAlive = (pid: number): boolean => signal(pid, 0);

/** No leader is 0 or 1, which would mean our own group and everybody. */
export function signalGroup(leader: number | undefined, name: NodeJS.Signals): void {
  if (leader !== undefined && leader > 1) signal(-leader, name);
}

/** On Linux, where the kernel tells who they are. */
export function signalChildren(parent: number | undefined, name: NodeJS.Signals): void {
  const children = told(`${parent}/task/${parent}`, "children").split(" ").map(Number);
  for (const child of children) if (child > 1) signal(child, name);
}

/**
 * Ends whatever carries the mark, until none is left. The mark is a limit on file locks, which no kernel heeds: children
 * inherit it whatever they do to their environment, group or session, and nobody can raise it again.
 */
export async function endMarked(mark: string, withinMs: number): Promise<void> {
  let misses = 0;
  await until(() => {
    const newest = newestProcess();
    const left = marked(mark);
    for (const pid of left) signal(pid, "SIGKILL");
    misses = left.length === 0 ? misses + 1 : 0;
    // One that hands on to the next and ends may slip through a look; through one during which nobody began, it cannot.
    return left.length === 0 && (newest === newestProcess() || misses >= ENOUGH_MISSES);
  }, withinMs);
}

/** On a busy machine somebody always begins. */
const ENOUGH_MISSES = 30;

/** The id that was given out last: the fifth thing that the kernel tells of its load. */
const newestProcess = (): string => told(".", "loadavg").trim().split(" ")[4] ?? "";

function marked(mark: string): number[] {
  const wanted = new RegExp(`^Max file locks +${mark} `, "m");
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && wanted.test(told(name, "limits")) && !hasEnded(name))
    .map(Number);
}

/** It may wait long to be buried. */
const hasEnded = (pid: string): boolean => /^(?:.*\) [ZX]|$)/s.test(told(pid, "stat"));

/** What the kernel tells of a process; nothing of one that is gone. */
function told(pid: string, what: "children" | "limits" | "loadavg" | "stat"): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${what}`, "latin1");
  } catch {
    return "";
  }
}

/** For systems without `/proc`: what still has the variable in its environment. */
export async function endTagged(tag: string, withinMs: number): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  await until(() => {
    const { stdout } = spawnSync("/bin/ps", ["-axwwE", "-o", "pid=,command="], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    const left = (stdout ?? "").split("\n").filter((line) => line.includes(tag));
    for (const line of left) signal(Number.parseInt(line, 10), "SIGKILL");
    return left.length === 0;
  }, withinMs);
}

async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo() && performance.now() < end) await wait(1);
}
