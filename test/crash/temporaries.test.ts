import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { tenon } from "../kit/process.ts";

const RECORD = ["adr", "record", "--title", "Use SQLite", "--context", "C", "--decision", "D", "--rationale", "R"];

test("git sees no temporary file while a command writes", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  expect(tenon(["init"], settings).code).toBe(0);
  const frozen = await freezeTenon(RECORD, settings, "renameSync .*ADR-0001-.*\\.md$");
  const seen = git(repository.path, "status", "--porcelain", "--untracked-files=all");
  git(repository.path, "add", "-A");
  const { code } = await frozen.thaw();
  expect(seen.split("\n").filter((line) => /tenon-|\.tmp/.test(line))).toEqual([]);
  expect([code, fs.readdirSync(join(repository.path, "sdd/adrs"))]).toEqual([0, ["ADR-0001-use-sqlite.md"]]);
});
