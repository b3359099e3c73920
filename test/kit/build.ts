import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { HOME } from "./process.ts";

/** Tests that start the program start what users start: the bundle, fresh from the source, with nothing remembered. */
export function setup(): void {
  execFileSync(process.execPath, ["--conditions=tenon-source", "scripts/build.ts"], { stdio: "inherit" });
  for (const end of ["", "-wal", "-shm"]) fs.rmSync(`${HOME}/memory.db${end}`, { force: true });
}
