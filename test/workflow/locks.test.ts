import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { type Stand, stand } from "./stand.ts";

async function two(): Promise<Stand> {
  const it = await stand();
  await it.run("workflow.feature", { description: "Login", id: "AUTH-001", files: ["src/auth/login.ts", "src/new/"] });
  await it.run("workflow.bugfix", { description: "Token", id: "BUG-042", files: ["src/token.ts"] });
  return it;
}

const lock = (it: Stand, action: string, paths: string[], more: object = {}) =>
  it.run("workflow.lock", { action, paths, ...more });
const paths = async (it: Stand) =>
  ((await it.run("workflow.lock", { action: "list" }))["locks"] as { workflow: string; path: string }[]).map(
    ({ workflow, path }) => `${workflow} ${path}`,
  );

test("locks files that do not exist yet, and whole folders", async () => {
  using it = await two();
  expect(await paths(it)).toEqual(["AUTH-001 src/auth/login.ts", "AUTH-001 src/new/**", "BUG-042 src/token.ts"]);
  expect((await refusal(lock(it, "claim", ["src/new/deep/x.ts"]))).code).toBe("lock.held");
});

test("rejects a held file with its holder, time and stage; force shares it", async () => {
  using it = await two();
  const refused = await refusal(lock(it, "claim", ["src/auth/*.ts"]));
  expect(refused.message).toMatch(/src\/auth\/\*\.ts: AUTH-001 at stage discover, since 2026-01-31T/);
  expect((await lock(it, "claim", ["src/auth/*.ts"], { force: true }))["changed"]).toEqual(["src/auth/*.ts"]);
  expect(await it.run("workflow.conflicts", { a: "AUTH-001", b: "BUG-042" })).toMatchObject({
    conflict: true,
    conflicting_files: ["src/auth/login.ts"],
    current_workflow: "AUTH-001",
    target_workflow: "BUG-042",
  });
});

test("does not start a workflow on held files", async () => {
  using it = await two();
  const begun = it.run("workflow.feature", { description: "More", id: "MORE-001", files: ["src/token.ts"] });
  expect((await refusal(begun)).code).toBe("lock.held");
  expect(it.has("sdd/specs/MORE-001.yaml")).toBe(false);
});

test("releases only own locks, and all at the end of the workflow", async () => {
  using it = await two();
  expect((await lock(it, "release", ["src/auth/login.ts"]))["changed"]).toEqual([]);
  expect((await lock(it, "release", ["src/token.ts"]))["changed"]).toEqual(["src/token.ts"]);
  const { released } = (await it.run("workflow.abandon", { id: "AUTH-001", reason: "No" })) as unknown as {
    released: string[];
  };
  expect([released, await paths(it)]).toEqual([["src/auth/login.ts", "src/new/**"], []]);
});

test("assigns a shell's changes to the current workflow", async () => {
  using it = await two();
  it.write("src/seen.ts", "1\n");
  it.write("src/auth/login.ts", "somebody else's\n");
  it.write("ignored.log", "1\n");
  await it.run("workflow.snapshot", { id: "BUG-042" });
  expect((await paths(it)).filter((line) => line.startsWith("BUG"))).toEqual([
    "BUG-042 src/seen.ts",
    "BUG-042 src/token.ts",
  ]);
});

test("does not assign a change when two sessions share a folder", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "One", id: "ONE-001", session: "one" });
  await it.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  it.write("src/whose.ts", "1\n");
  await it.run("workflow.snapshot", { session: "one" });
  expect(await paths(it)).toEqual([]);
});

test.each([["../x"], ["/etc/passwd"], [".git/config"], [""]])("rejects %j as a path to lock", async (path) => {
  using it = await two();
  expect((await refusal(lock(it, "claim", [path]))).code).toBe("lock.bad-path");
});
