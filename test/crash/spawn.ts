import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Run, Struck } from "./injector.ts";

export const BIN = join(process.cwd(), "bin", "tenon.js");

/** Runs a program in the workspace of `run`, with nothing from our own environment that could change its calls. */
export function spawnIn(
  { root, home }: Run,
  [program = "", ...words]: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Promise<Omit<Struck, "hit">> {
  const env = { PATH: process.env["PATH"], HOME: home, TENON_HOME: home, ...extra };
  const child = spawn(program, words, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}
