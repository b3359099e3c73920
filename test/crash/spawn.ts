import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Run, Struck } from "./injector.ts";

export const BIN = join(process.cwd(), "bin", "tenon.js");

/** Runs a program in the workspace of `run`, with nothing from our own environment that could change its calls. */
export function spawnIn(
  run: Run,
  [program = "", ...words]: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Promise<Omit<Struck, "hit">> {
  // Memory is struck by itself: behind other commands it would be shared by runs that are struck side by side.
  const memory = run.words[0] === "memory" ? {} : { TENON_MEMORY: "off" };
  const own = { HOME: run.home, TENON_HOME: run.home, TMPDIR: run.home };
  const env = { PATH: process.env["PATH"], ...own, ...memory, ...extra };
  const child = spawn(program, words, { cwd: run.root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = setTimeout(() => endAll(child.pid), LONGEST_RUN_MS);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(end);
      resolve({ code, signal, out, err });
    });
  });
}

/**
 * A strike that misses may hit the pipes by which Node hears of a child's end, and it waits for ever then. It is ended
 * with all it started, and struck again.
 */
const LONGEST_RUN_MS = 60_000;

function endAll(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
