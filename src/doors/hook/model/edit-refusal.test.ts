import { expect, test } from "vitest";
import { refuseProtectedFileEdit } from "./edit-refusal.ts";
import refusals from "./hook-refusals.json" with { type: "json" };

test.each([
  ["sdd/sdd.json", true],
  ["sdd/changes/fix-it/change.json", true],
  ["sdd/history/fix-it/spec.md", true],
  ["sdd/features/login/spec.yaml", true],
  ["sdd/features/login/reviews/B1.yaml", true],
  ["sdd/features/login/receipts.jsonl", true],
  ["sdd/features/login/tasks.yaml", false],
  ["sdd/reviews/B1.yaml", true],
  ["sdd/waves/1.yaml", true],
  ["sdd/receipts/AUTH-001.jsonl", true],
  ["sdd/approvals/fix-login.json", true],
  ["sdd/trace/AUTH-001.AC-2.json", true],
  ["sdd/roadmap.md", true],
  ["sdd/handover/buffer.md", true],
  ["sdd/knowledge/index.md", true],
  ["sdd/knowledge/pattern-api-parse.md", false],
  ["sdd/setup.json", true],
  [".sdd/state.yaml", true],
  [".sdd/journal/2026-01-31.jsonl", true],
  [".git/tenon/ledger.db", true],
  [".git/refs/tenon/AUTH-001/1", true],
  [".git/packed-refs", true],
  ["sdd/config.yaml", false],
  ["sdd/requirements.md", false],
  ["sdd/changes/fix-it/spec.md", false],
  ["sdd/features/login/design.md", false],
  ["sdd/specs/AUTH-001.yaml", false],
  [".sdd/worktrees/login/src/a.ts", false],
  ["receipts/AUTH-001.jsonl", false],
  ["other/sdd/sdd.json", false],
  ["src/sdd.json", false],
])("%s belongs to the engine: %s", (path, isOwn) => {
  expect(refuseProtectedFileEdit(path, false) !== undefined).toBe(isOwn);
});

test("ignores case where the file system does", () => {
  expect([refuseProtectedFileEdit("SDD/sdd.JSON", true)?.what, refuseProtectedFileEdit("SDD/sdd.JSON", false)]).toEqual(
    ["SDD/sdd.JSON must not be edited by hand.", undefined],
  );
});

test("names a tool in a refusal, and a command only for the user", () => {
  const texts = [...JSON.stringify(refusals).matchAll(/"instead":"([^"]*)"/g)].map(([, text = ""]) => text);
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter((text) => /\btenon [a-z]/.test(text) && !text.startsWith("Ask the user to run: "))).toEqual([]);
});
