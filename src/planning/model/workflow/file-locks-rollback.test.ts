import { expect, test } from "vitest";
import type { FileLock } from "./workflow-record.ts";
import { findMessageIds, planRollback, type RollbackFacts } from "./file-locks.ts";

const lock = (workflow: string, path: string, released_at?: string): FileLock => ({
  workflow,
  path,
  at: "2026-01-31T10:00:00Z",
  how: "claim",
  ...(released_at ? { released_at } : {}),
});

const facts = (more: Partial<RollbackFacts>): RollbackFacts => ({
  id: "AUTH-001",
  since: "2026-01-31T12:00:00Z",
  differences: [
    { path: "src/login.ts", wasThere: true },
    { path: "src/mfa.ts", wasThere: false },
    { path: "src/token.ts", wasThere: true },
    { path: "sdd/specs/AUTH-001.yaml", wasThere: true },
  ],
  locks: [lock("AUTH-001", "src/login.ts"), lock("AUTH-001", "src/mfa.ts")],
  commits: [],
  spec: "sdd/specs/AUTH-001.yaml",
  ...more,
});

test("restores or removes own paths and leaves everything else alone", () => {
  expect(planRollback(facts({}))).toEqual({
    restored: ["src/login.ts", "sdd/specs/AUTH-001.yaml"],
    deleted: ["src/mfa.ts"],
    presumed: [],
    mixed: [],
    unknown: [],
    kept: ["src/token.ts"],
    overlaps: [],
  });
});

test.each<[string, Partial<RollbackFacts>]>([
  [
    "another workflow holds a lock on it",
    { locks: [lock("AUTH-001", "src/login.ts"), lock("BUG-042", "src/login.ts")] },
  ],
  ["another's pattern covers it", { locks: [lock("AUTH-001", "src/login.ts"), lock("BUG-042", "src/**")] }],
  [
    "another workflow held it and has ended since",
    { locks: [lock("AUTH-001", "src/login.ts"), lock("BUG-042", "src/login.ts", "2026-01-31T12:30:00Z")] },
  ],
  ["another's commit touched it", { commits: [{ paths: ["src/login.ts"], ids: ["BUG-042"] }] }],
])("reports an overlap when %s", (_, more) => {
  const { restored, overlaps } = planRollback(facts(more));
  expect([restored, overlaps]).toEqual([["sdd/specs/AUTH-001.yaml"], [{ path: "src/login.ts", with: ["BUG-042"] }]]);
});

test.each(["sdd/specs/BUG-042.yaml", "sdd/changes/fix-it/change.json", "sdd/adrs/ADR-0001-x.md", ".sdd/x"])(
  "%s never belongs to this workflow, whatever pattern covers it",
  (path) => {
    const commits = [{ paths: [path], ids: ["AUTH-001"] }];
    const differences = [{ path, wasThere: false }];
    expect(planRollback(facts({ differences, commits, locks: [lock("AUTH-001", "**")] })).kept).toEqual([path]);
  },
);

test("treats an edited file as one file, though its name looks like a pattern", () => {
  const locks: FileLock[] = [{ ...lock("AUTH-001", "**"), how: "edit" }];
  expect(planRollback(facts({ locks })).restored).toEqual(["sdd/specs/AUTH-001.yaml"]);
});

test("a released file no longer belongs to the workflow", () => {
  const locks = [lock("AUTH-001", "src/login.ts", "2026-01-31T12:30:00Z")];
  expect(planRollback(facts({ locks })).kept).toContain("src/login.ts");
});

test("keeps a spec that did not exist at the snapshot", () => {
  const differences = [{ path: "sdd/specs/AUTH-001.yaml", wasThere: false }];
  expect(planRollback(facts({ differences }))).toEqual({
    restored: [],
    deleted: [],
    presumed: [],
    mixed: [],
    unknown: [],
    kept: ["sdd/specs/AUTH-001.yaml"],
    overlaps: [],
  });
});

test("ignores a holder that released a path before the snapshot", () => {
  const locks = [lock("AUTH-001", "src/login.ts"), lock("BUG-042", "src/login.ts", "2026-01-31T11:59:59Z")];
  expect(planRollback(facts({ locks })).overlaps).toEqual([]);
});

test("assigns the files of a commit that names the workflow to the workflow", () => {
  const commits = [{ paths: ["src/token.ts"], ids: ["AUTH-001"] }];
  expect(planRollback(facts({ commits })).restored).toContain("src/token.ts");
});

const edited = (path: string, more: Partial<FileLock> = {}): FileLock => ({
  ...lock("AUTH-001", path),
  how: "edit",
  ...more,
});
const differences = [{ path: "src/login.ts", wasThere: true }];

test.each<[string, Partial<RollbackFacts>, string]>([
  ["a reported edit", { locks: [edited("src/login.ts")] }, "restored"],
  ["a reported edit of a file with others' changes", { locks: [edited("src/login.ts", { is_mixed: true })] }, "mixed"],
  ["a reported edit and others since then", { locks: [edited("src/login.ts")], isChangedSince: () => true }, "mixed"],
  [
    "a reported edit that the user claimed",
    { locks: [edited("src/login.ts", { is_mixed: true })], claimed: ["src/login.ts"] },
    "restored",
  ],
  ["the only session at that time", { locks: [{ ...lock("AUTH-001", "src/login.ts"), how: "git" }] }, "presumed"],
  [
    "a commit that names the workflow",
    { locks: [], commits: [{ paths: ["src/login.ts"], ids: ["AUTH-001"] }] },
    "restored",
  ],
  [
    "a commit that names the workflow, and later changes",
    { locks: [], commits: [{ paths: ["src/login.ts"], ids: ["AUTH-001"] }], uncommitted: ["src/login.ts"] },
    "presumed",
  ],
  ["no known session", { locks: [], uncommitted: ["src/login.ts"] }, "unknown"],
  ["a commit without an id", { locks: [] }, "kept"],
  ["a reported edit, which the user wants to keep", { locks: [edited("src/login.ts")], except: ["src/**"] }, "kept"],
  ["the rollback that is undone", { locks: [], undone: ["src/login.ts"] }, "restored"],
  ["a session after the rollback that is undone", { locks: [edited("src/login.ts")], undone: [] }, "kept"],
])("judges a path changed by %s", (_, more, group) => {
  const plan = planRollback(facts({ differences, ...more }));
  const groups = Object.entries(plan).filter(([, paths]) => (paths as unknown[]).length > 0);
  expect(groups.map(([name]) => name)).toEqual([group]);
});

test.each([
  ["feat(AUTH-001): Add a code by mail", ["AUTH-001"]],
  ["Mend it\n\nSpec: BUG-042\nSpec: V2-001", ["BUG-042", "V2-001"]],
  ["AUTH-0010 is not XAUTH-00", ["AUTH-0010"]],
  ["nothing: here-001", []],
])("%j names %j", (message, ids) => {
  expect(findMessageIds(message)).toEqual(ids);
});
