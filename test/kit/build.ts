import { execFileSync } from "node:child_process";

/** Tests that start the program start what users start: the bundle, fresh from the source. */
export function setup(): void {
  execFileSync(process.execPath, ["--conditions=tenon-source", "scripts/build.ts"], { stdio: "inherit" });
}
