import { dirname } from "node:path";
import { isSafeSqliteVersion } from "../model/sqlite-version.ts";
import type { MachineInfo } from "../operations/engine.ts";

/** The program search may include the current folder, so it must not be a repository. */
const NODE_FOLDER = dirname(process.execPath);

export const hostMachine: MachineInfo = {
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  sqlite: process.versions["sqlite"] ?? "none",
  isSqliteSound: isSafeSqliteVersion(process.versions["sqlite"] ?? "0"),
  async git() {
    const { spawnSync } = await import("node:child_process");
    const { status, stdout } = spawnSync("git", ["--version"], { cwd: NODE_FOLDER, encoding: "utf8", timeout: 5000 });
    return status === 0 ? stdout.trim().replace(/^git version /, "") : undefined;
  },
};
