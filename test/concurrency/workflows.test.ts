import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { put } from "../kit/repository.ts";
import {
  ask,
  atImplement,
  createSessionEnv,
  crowdedRepository,
  askAndRequire,
  judgeWorkOnDisk,
} from "./workflow-crowd.ts";

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test("starts ten of twelve concurrent workflows, each with its own id, spec and lock", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  const told = await Promise.all(
    range(12).map((i) => {
      const kind = i % 2 === 0 ? "feature" : "bugfix";
      return ask(root, `s${i}`, kind, "Login fails with special characters", "--files", `src/own-${i}.ts`);
    }),
  );
  const begun = told.flatMap(({ answer }) => answer.workflow ?? []);
  expect(told.map(({ fault }) => fault ?? "begun").toSorted()).toEqual([
    ...Array(10).fill("begun"),
    ...Array(2).fill("workflow.too-many"),
  ]);
  const ids = begun.map(({ id }) => id).toSorted();
  expect(new Set(ids).size).toBe(10);
  const { queue = [] } = await askAndRequire(root, undefined, "workflow", "status");
  expect(queue.map(({ id }) => id).toSorted()).toEqual(ids);
  expect(fs.readdirSync(join(root, "sdd/specs")).toSorted()).toEqual(ids.map((id) => `${id}.yaml`));
  const { locks = [] } = await askAndRequire(root, undefined, "lock", "list");
  const claimed = told.flatMap(({ answer }, i) => (answer.workflow ? [`${answer.workflow.id} src/own-${i}.ts`] : []));
  expect(locks.map(({ workflow, path }) => `${workflow} ${path}`).toSorted()).toEqual(claimed.toSorted());
  // Those who were refused leave no snapshots behind.
  const refs = git(root, "for-each-ref", "--format=%(refname)", "refs/tenon").split("\n").slice(0, -1);
  expect(refs.toSorted()).toEqual(ids.flatMap((id) => [`refs/tenon/${id}/0`, `refs/tenon/${id}/1`]));
});

test("gives each file one holder when eight sessions claim overlapping files, and grants each claim completely or not at all", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  const workflows = range(8).map((i) => `W-00${i + 1}`);
  for (const [i, id] of workflows.entries())
    await askAndRequire(root, `s${i}`, "feature", `Something known as ${id}`, "--id", id);
  // Each wants one file that nobody else wants, and two that its neighbours want.
  const wanted = range(8).map((i) => [`src/own-${i}.ts`, `src/shared-${i}.ts`, `src/shared-${(i + 1) % 8}.ts`]);
  const told = await Promise.all(wanted.map((paths, i) => ask(root, `s${i}`, "lock", "claim", ...paths)));
  expect(new Set(told.map(({ fault }) => fault ?? "claimed"))).toEqual(new Set(["claimed", "lock.held"]));
  const { locks = [] } = await askAndRequire(root, undefined, "lock", "list");
  const held = locks.map(({ workflow, path }) => `${workflow} ${path}`);
  const granted = told.flatMap(({ code }, i) =>
    code === 0 ? (wanted[i] ?? []).map((path) => `${workflows[i]} ${path}`) : [],
  );
  expect(held.toSorted()).toEqual(granted.toSorted());
  expect(new Set(locks.map(({ path }) => path)).size).toBe(locks.length);
});

test.each([1, 2])("one of two sessions gets the workflow, and the other gets a reason (%i)", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  await askAndRequire(root, undefined, "feature", "Second factor at login", "--id", "AUTH-001");
  await askAndRequire(root, undefined, "feature", "Something on the screen", "--id", "UI-001");
  const told = await Promise.all(["one", "two"].map((name) => ask(root, name, "workflow", "switch", "AUTH-001")));
  expect(told.map(({ fault }) => fault ?? "switched").toSorted()).toEqual(["lease.lost", "switched"]);
  const winner = told[0]?.code === 0 ? "one" : "two";
  const { workflow } = await askAndRequire(root, winner, "workflow", "advance", "AUTH-001", "--approve", "Ann");
  expect(workflow?.stage).toBe("specify");
});

test.each([1, 2, 3])(
  "one of two sessions that confirm one plan rolls back, and the other is rejected (%i)",
  async () => {
    using repository = crowdedRepository();
    const { path: root } = repository;
    await atImplement(root);
    const back = ["workflow", "rollback", "AUTH-001", "specify"];
    const { token = "" } = await askAndRequire(root, undefined, ...back);
    const told = await Promise.all([1, 2].map(() => ask(root, undefined, ...back, "--confirm", token)));
    const [done, refusal] = told.map(({ fault }) => fault ?? "done").toSorted();
    expect(done).toBe("done");
    // It comes while the rollback is under way, or after it.
    expect(["rollback.void", "store.claimed"]).toContain(refusal);
    expect(judgeWorkOnDisk(root)).toBe("undone");
    const { workflow } = await askAndRequire(root, undefined, "workflow", "status", "AUTH-001");
    expect(workflow?.snapshots.map(({ why }) => why)).toEqual(["start", "stage", "stage", "safety"]);
    // What was there before comes back whole.
    const undo = ["workflow", "rollback", "AUTH-001", "--snapshot", String(workflow?.snapshots.at(-1)?.n)];
    const plan = await askAndRequire(root, undefined, ...undo);
    await askAndRequire(root, undefined, ...undo, "--confirm", plan.token ?? "");
    expect(judgeWorkOnDisk(root)).toBe("done");
  },
);

test("shares the queue and locks between workflows in two worktrees", async () => {
  using repository = crowdedRepository();
  const main = join(repository.path, ".");
  const side = join(repository.path, ".sdd-side");
  git(main, "worktree", "add", "--quiet", "-b", "side", side);
  put(side, "src/token.ts", "another branch\n");
  git(side, "commit", "-qam", "Another branch");
  await askAndRequire(main, "one", "feature", "Second factor at login", "--id", "AUTH-001", "--files", "src/login.ts");
  await askAndRequire(side, "two", "bugfix", "Login fails", "--id", "BUG-001", "--files", "src/code.ts");
  const queues = await Promise.all([main, side].map((root) => askAndRequire(root, undefined, "workflow", "status")));
  expect(queues.map(({ queue = [] }) => queue.map(({ id }) => id))).toEqual(Array(2).fill(["BUG-001", "AUTH-001"]));
  expect((await ask(side, "two", "lock", "claim", "src/login.ts")).fault).toBe("lock.held");
  expect((await ask(main, "one", "lock", "claim", "src/code.ts")).fault).toBe("lock.held");
});

test("does not count differences between worktrees as work", async () => {
  using repository = crowdedRepository();
  const [main, side] = [repository.path, join(repository.path, ".sdd-side")];
  git(main, "worktree", "add", "--quiet", "-b", "side", side);
  put(side, "src/token.ts", "another branch\n");
  git(side, "commit", "-qam", "Another branch");
  await askAndRequire(
    main,
    undefined,
    "feature",
    "Second factor at login",
    "--id",
    "AUTH-001",
    "--files",
    "src/login.ts",
  );
  await askAndRequire(side, undefined, "workflow", "snapshot", "AUTH-001");
  const { locks = [] } = await askAndRequire(main, undefined, "lock", "list");
  expect(locks.map(({ path }) => path)).toEqual(["src/login.ts"]);
});

/** Kills a command before the first call of that kind. */
async function killIn(root: string, words: readonly string[], call: string): Promise<void> {
  const frozen = await freezeTenon(words, { cwd: root, env: createSessionEnv(undefined) }, call);
  frozen.process.kill("SIGKILL");
  expect((await frozen.ended).signal).toBe("SIGKILL");
}

test.each([
  ["a rollback", "renameSync .*src/login.ts$"],
  ["a stage", "renameSync .*AUTH-001.yaml$"],
])("finishes %s that was interrupted in one worktree from the other", async (what, call) => {
  using repository = crowdedRepository();
  const [main, side] = [repository.path, join(repository.path, ".sdd-side")];
  await atImplement(main);
  await askAndRequire(main, undefined, "feature", "Something on the screen", "--id", "UI-001");
  await askAndRequire(main, undefined, "workflow", "switch", "AUTH-001");
  git(main, "worktree", "add", "--quiet", "-b", "side", side);
  // In the other worktree the very same was done, by hand.
  for (const name of ["login", "code", "new/a", "new/b"]) put(side, `src/${name}.ts`, "worked on\n");
  const back = ["workflow", "rollback", "AUTH-001", "specify"];
  const { token = "" } = await askAndRequire(main, undefined, ...back);
  const confirm = [...back, "--confirm", token];
  if (what === "a stage") await askAndRequire(main, undefined, ...confirm);
  await killIn(main, what === "a stage" ? ["workflow", "advance", "AUTH-001", "--approve", "Ann"] : confirm, call);
  await askAndRequire(side, undefined, "workflow", "abandon", "UI-001", "--reason", "Solved upstream");
  const { workflow } = await askAndRequire(side, undefined, "workflow", "status", "AUTH-001");
  expect([workflow?.stage, judgeWorkOnDisk(main), judgeWorkOnDisk(side)]).toEqual([
    what === "a stage" ? "implement" : "specify",
    "undone",
    "done",
  ]);
});

test("an unfinished rollback of a removed worktree blocks no session", async () => {
  using repository = crowdedRepository();
  const [main, side] = [repository.path, join(repository.path, ".sdd-side")];
  git(main, "worktree", "add", "--quiet", "-b", "side", side);
  await atImplement(side);
  const back = ["workflow", "rollback", "AUTH-001", "specify"];
  const { token = "" } = await askAndRequire(side, undefined, ...back);
  await killIn(side, [...back, "--confirm", token], "renameSync .*src/login.ts$");
  git(main, "worktree", "remove", "--force", side);
  for (const name of ["login", "code", "new/a", "new/b"]) put(main, `src/${name}.ts`, "worked on\n");
  const { workflow } = await askAndRequire(main, undefined, "workflow", "switch", "AUTH-001");
  expect([workflow?.stage, judgeWorkOnDisk(main)]).toEqual(["implement", "done"]);
});
