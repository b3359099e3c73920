import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoreOccurrence } from "#store/operations/ports/store.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

const of = (kind: string, subject: string, data: Record<string, unknown> = {}): StoreOccurrence => ({
  kind,
  subject,
  data,
});
const gate = "gate-3-implement";

/** What a repository with two worktrees saw, in order. */
const HERE: readonly StoreOccurrence[] = [
  of("workflow.started", "AUTH-001", { kind: "feature", title: "Log in", priority: 3 }),
  of("gate.checked", "AUTH-001", { gate, passed: false, failed: ["lint", "tests"], unknown: ["types"], waived: [] }),
  of("gate.retried", "AUTH-001", { gate, attempt: 1, of: 3, success: false }),
  of("gate.retried", "AUTH-001", { gate, attempt: 2, of: 3, success: true }),
  of("gate.checked", "AUTH-001", { gate, passed: true, failed: [], unknown: [], waived: [] }),
  of("workflow.completed", "AUTH-001"),
  of("journal.folded", "main", { lines: 9, hooks: 8, hook_ms: 260 }),
];
const THERE: readonly StoreOccurrence[] = [
  of("workflow.started", "BUG-042", { kind: "bugfix", title: "It fails", priority: 0 }),
  of("lock.overlap", "BUG-042", { paths: ["src/login.ts"], holder: "AUTH-002" }),
  of("workflow.resumed", "BUG-042", { session: "two", taken_over: true }),
  of("workflow.rolled-back", "BUG-042", { stage: "fix", n: 1, safety: 2 }),
];

test("counts every worktree and writes nothing", async () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  git(repository.path, "commit", "--quiet", "--allow-empty", "--message=First");
  const worktree = join(folder.path, "worktree");
  git(repository.path, "worktree", "add", "--quiet", worktree);
  using house = testHouse(repository.path, { newId: () => crypto.randomUUID() });
  for (const [root, occurrences] of [
    [repository.path, HERE],
    [worktree, THERE],
  ] as const) {
    const { store } = await house.house.open({ argument: root });
    for (const each of occurrences) await store.write(() => ({ steps: [], occurrences: [each], result: undefined }));
  }
  const { code, out } = await house.run("stats", "--workspace", worktree);
  expect([code, out.replaceAll(/(?<=writes: .*)\d+(?:\.\d)? ms/g, "<time>")]).toEqual([
    0,
    `1 of 2 workflows completed.

since: 2026-01-31T12:00:01Z
retries: 2 after 1 failure that could be retried; 1 recovered (100 %)
conflicts: 1 overlap, 0 refusals
rollbacks: 1
resumes: 1, 1 of them taken over
hooks: 32.5 ms on average over 8 calls
state writes: <time> on average over 11; 95 % within <time>, 99 % within <time>

kind	started	completed	abandoned	unfinished	rate	median	mean	longest
feature	1	1	0	0	100 %	5 s	5 s	5 s
bugfix	1	0	0	1	0 %	-	-	-

- gate-3-implement failed 1 of 2 times (50 %) and blocked 1 of 1 workflow; most often lint 1, tests 1, types 1 unknown.
`,
  ]);
  expect(git(worktree, "status", "--porcelain")).toBe("");
});
