import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { BIN, environment, tenon } from "../kit/process.ts";
import { hasStrace } from "./strace.ts";

/** A power cut would leave an unsynced ref empty, and then git reads nothing in the whole repository. */
test.runIf(hasStrace())("git syncs the ref of a snapshot before it is in place", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const { path: root } = repository;
  const env = { TENON_HOME: home.path };
  git(
    root,
    "-c",
    "user.name=Ann",
    "-c",
    "user.email=ann@example.com",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "Begin",
  );
  expect(tenon(["feature", "Log in", "--id", "AUTH-001"], { cwd: root, env }).code).toBe(0);
  fs.writeFileSync(join(root, "login.ts"), "export const login = 1;\n");

  const log = join(home.path, "calls");
  const words = ["-f", "-y", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,rename", process.execPath, BIN];
  const { status } = spawnSync("strace", [...words, "workflow", "snapshot"], { cwd: root, env: environment(env) });

  const calls = fs.readFileSync(log, "utf8").split("\n");
  const ref = /refs\/tenon\/AUTH-001\/\d+\.lock/;
  const synced = calls.filter((call) => /\bf(?:data)?sync\(/.test(call)).flatMap((call) => ref.exec(call)?.[0] ?? []);
  const placed = calls.filter((call) => /\brename\(/.test(call)).flatMap((call) => ref.exec(call)?.[0] ?? []);
  expect([status, placed.length > 0]).toEqual([0, true]);
  expect(synced).toEqual(placed);
});
