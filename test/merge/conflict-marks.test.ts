import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

const MARKS = "# A page\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n";
const RECORD = ["adr", "record", "--title", "Use SQLite", "--context", "C", "--decision", "D", "--rationale", "R"];

test("validate and ci report conflict marks and repeated numbers in documents without a seal", () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  expect(tenon(["init"], settings).code).toBe(0);
  expect(tenon(RECORD, settings).code).toBe(0);
  expect(tenon(["validate"], settings).code).toBe(0);
  const adr = "sdd/adrs/ADR-0001-use-sqlite.md";
  const write = (path: string, text: string): void => {
    fs.mkdirSync(dirname(join(repository.path, path)), { recursive: true });
    fs.writeFileSync(join(repository.path, path), text);
  };
  write(adr, `${fs.readFileSync(join(repository.path, adr), "utf8")}\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n`);
  const pages = ["handover/session.md", "handover/sessions/2026-01-31.md", "knowledge/index.md", "steering/product.md"];
  for (const page of pages) write(`sdd/${page}`, MARKS);
  write(
    "sdd/handover/decisions.md",
    "# Decisions\n\n[2026-01-31T12:00:00Z] D1: USER_DECISION | One\n\n[2026-01-31T12:00:00Z] D1: USER_DECISION | Other\n",
  );
  const { out } = tenon(["validate", "--json"], settings);
  const { problems } = JSON.parse(out) as { problems: { path: string; problem: string }[] };
  const found = problems.map(({ path, problem }) => `${path}: ${problem.split(":")[0]}`).toSorted();
  const marks = [adr, ...pages.map((page) => `sdd/${page}`)].map((path) => `${path}: A merge left conflict marks here`);
  expect(found).toEqual([...marks, "sdd/handover/decisions.md: D1 exists 2 times"].toSorted());
  expect(tenon(["ci"], settings).code).toBe(1);
});
