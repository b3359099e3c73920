import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import { findLockConflicts, formatLockKey, parseLockPath, listSharedPaths } from "./file-locks.ts";
import type { FileLock } from "./workflow-record.ts";

const lock = (workflow: string, path: string, more: Partial<FileLock> = {}): FileLock => ({
  workflow,
  path,
  at: "2026-01-31T12:00:00Z",
  how: "edit",
  ...more,
});

test.each([
  ["src/a.ts", "src/a.ts"],
  ["./src//a.ts", "src/a.ts"],
  ["src/b/../a.ts", "src/a.ts"],
  ["src\\a.ts", "src/a.ts"],
  ["src/auth/", "src/auth/**"],
  ["not/there/yet.ts", "not/there/yet.ts"],
  ["src/cafe\u0301.ts", "src/café.ts"],
  [".github/x.yml", ".github/x.yml"],
])("locks %j as %j", (said, path) => {
  expect(parseLockPath(said)).toBe(path);
});

test.each([
  "",
  ".",
  "/",
  "../x",
  "a/../../x",
  "/etc/passwd",
  "C:\\x",
  "a\nb",
  "a\0b",
  ".git/config",
  ".SDD/x",
  "x".repeat(2000),
  `${"*a".repeat(20)}`,
  `${"a".repeat(300)}*`,
  "sdd/sdd.json",
  "sdd/changes/fix-it/change.json",
  "sdd/features/login/spec.yaml",
  "sdd/waves/1.yaml",
])("does not lock %j", (said) => {
  expect(() => parseLockPath(said)).toThrow(Fault);
});

const LOCKS = [
  lock("AUTH-001", "src/auth/login.ts"),
  lock("AUTH-001", "src/auth/mfa.ts"),
  lock("BUG-042", "src/auth/token.ts"),
  lock("BUG-042", "src/auth/login.ts"),
  lock("UI-001", "src/ui/**", { how: "claim" }),
  lock("OLD-001", "src/auth/mfa.ts", { released_at: "2026-01-31T11:00:00Z" }),
];

test("locks without a common file do not conflict", () => {
  expect(listSharedPaths("AUTH-001", "UI-001", LOCKS)).toEqual([]);
});

test("reports locks on one file as a conflict over that file, in either order", () => {
  expect([listSharedPaths("AUTH-001", "BUG-042", LOCKS), listSharedPaths("BUG-042", "AUTH-001", LOCKS)]).toEqual([
    ["src/auth/login.ts"],
    ["src/auth/login.ts"],
  ]);
});

test("matches a pattern with a path by the path's name", () => {
  const locks = [...LOCKS, lock("NAV-001", "src/ui/nav.ts")];
  expect([listSharedPaths("UI-001", "NAV-001", locks), listSharedPaths("NAV-001", "UI-001", locks)]).toEqual([
    ["src/ui/nav.ts"],
    ["src/ui/nav.ts"],
  ]);
});

test("every other holder blocks a lock, except an ended workflow and the caller itself", () => {
  const holders = (path: string, workflow: string) =>
    findLockConflicts([path], workflow, LOCKS).map(({ lock: { workflow: holder } }) => holder);
  expect(holders("src/auth/login.ts", "RES-001")).toEqual(["AUTH-001", "BUG-042"]);
  expect(holders("src/auth/mfa.ts", "AUTH-001")).toEqual([]);
  expect(holders("src/ui/deep/x.tsx", "AUTH-001")).toEqual(["UI-001"]);
  expect(formatLockKey(lock("A-001", "x"))).toBe("A-001 x");
});
