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
  listRefs,
  readCliAnswer,
  judgeWorkOnDisk,
} from "./workflow-crowd.ts";

/** The write that a snapshot was taken for. */
const THE_WRITE = "spawn update-ref>exec BEGIN";
const MIDWAY = "renameSync .*src/login.ts$";

const everything = (root: string): string =>
  git(root, "stash", "list") + git(root, "status", "--porcelain=v2", "-uall");

test("a frozen session writes nothing when it wakes after a takeover", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  await askAndRequire(root, "one", "feature", "Second factor at login", "--id", "AUTH-001", "--files", "src/login.ts");
  const words = ["workflow", "advance", "AUTH-001", "--approve", "Ann", "--json"];
  const frozen = await freezeTenon(words, { cwd: root, env: createSessionEnv("one") }, THE_WRITE);
  await askAndRequire(root, "two", "workflow", "resume", "AUTH-001", "--take-over");
  const before = [await askAndRequire(root, "two", "workflow", "status", "AUTH-001"), everything(root)];
  const told = readCliAnswer(await frozen.thaw());
  expect([told.code, told.fault]).toEqual([1, "lease.lost"]);
  const after = [await askAndRequire(root, "two", "workflow", "status", "AUTH-001"), everything(root)];
  expect(JSON.stringify(after).replace(/"age":"[^"]*"/g, "")).toBe(
    JSON.stringify(before).replace(/"age":"[^"]*"/g, ""),
  );
  // 0 holds the files of the start.
  expect(listRefs(root, "AUTH-001")).toEqual([0, 1]);
});

test("a frozen rollback keeps the other session's work when it wakes", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  await atImplement(root, "one");
  const back = ["workflow", "rollback", "AUTH-001", "specify"];
  const { token = "" } = await askAndRequire(root, "one", ...back);
  const words = [...back, "--confirm", token, "--json"];
  const frozen = await freezeTenon(words, { cwd: root, env: createSessionEnv("one") }, THE_WRITE);
  await askAndRequire(root, "two", "workflow", "resume", "AUTH-001", "--take-over");
  const told = readCliAnswer(await frozen.thaw());
  expect([told.code, told.fault]).toEqual([1, "lease.lost"]);
  expect(judgeWorkOnDisk(root)).toBe("done");
});

test("reports that a confirmed plan was already applied", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  await atImplement(root);
  const back = ["workflow", "rollback", "AUTH-001", "specify"];
  const { token = "" } = await askAndRequire(root, undefined, ...back);
  const words = [...back, "--confirm", token, "--json"];
  const frozen = await freezeTenon(words, { cwd: root, env: createSessionEnv(undefined) }, THE_WRITE);
  const { undo } = await askAndRequire(root, undefined, ...back, "--confirm", token);
  const told = readCliAnswer(await frozen.thaw());
  expect([told.code, told.fault, judgeWorkOnDisk(root)]).toEqual([1, "rollback.void", "undone"]);
  expect(listRefs(root, "AUTH-001").at(-1)).toBe(undo?.snapshot);
});

test("a second rollback waits and reports why", async () => {
  using repository = crowdedRepository();
  const { path: root } = repository;
  await atImplement(root);
  const back = ["workflow", "rollback", "AUTH-001", "specify"];
  const { token = "" } = await askAndRequire(root, undefined, ...back);
  const words = [...back, "--confirm", token, "--json"];
  const frozen = await freezeTenon(words, { cwd: root, env: createSessionEnv(undefined) }, MIDWAY);
  const other = await ask(root, undefined, "workflow", "snapshot", "AUTH-001");
  expect([other.code, other.fault, judgeWorkOnDisk(root)]).toEqual([1, "store.claimed", "mixed"]);
  expect((await ask(root, undefined, "workflow", "status")).code).toBe(0);
  const told = readCliAnswer(await frozen.thaw());
  expect([told.code, judgeWorkOnDisk(root)]).toEqual([0, "undone"]);
  await askAndRequire(root, undefined, "workflow", "snapshot", "AUTH-001");
});

test.each([["advance", "--approve", "Ann"], ["snapshot"]])(
  "rejects a write for a workflow during its rollback: %s",
  async (...verb) => {
    using repository = crowdedRepository();
    const { path: root } = repository;
    await atImplement(root);
    await askAndRequire(root, undefined, "workflow", "rollback", "AUTH-001", "specify").then(({ token = "" }) =>
      askAndRequire(root, undefined, "workflow", "rollback", "AUTH-001", "specify", "--confirm", token),
    );
    for (const name of ["login", "code", "new/a", "new/b"]) put(root, `src/${name}.ts`, "worked on\n");
    const settings = { cwd: root, env: createSessionEnv(undefined) };
    const writer = await freezeTenon(["workflow", ...verb, "--json"], settings, THE_WRITE);
    const back = ["workflow", "rollback", "AUTH-001", "discover"];
    const { token = "" } = await askAndRequire(root, undefined, ...back);
    const roller = await freezeTenon([...back, "--confirm", token, "--json"], settings, MIDWAY);
    expect(readCliAnswer(await writer.thaw())).toMatchObject({ code: 1, fault: "store.claimed" });
    expect(readCliAnswer(await roller.thaw())).toMatchObject({ code: 0, answer: { workflow: { stage: "discover" } } });
    expect(judgeWorkOnDisk(root)).toBe("undone");
  },
);
