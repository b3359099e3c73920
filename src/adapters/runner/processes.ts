import fs from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

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
export function signalProcessGroup(leader: number | undefined, name: NodeJS.Signals): void {
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
export async function killMarkedProcesses(mark: string, withinMs: number): Promise<void> {
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
export async function killTaggedProcesses(tag: string, withinMs: number): Promise<void> {
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
