import { overridePort } from "../kit/override-port.ts";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { refusal } from "../kit/fault.ts";
import { type Answer, filesIn, type Stand, stand } from "./stand.ts";

/** A feature at implement, with its specify snapshot behind it and some work done since. */
async function atImplement(): Promise<Stand> {
  const it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.advance("AUTH-001");
  it.fill("AUTH-001");
  await it.advance("AUTH-001");
  it.write("src/login.ts", "export const login = 2;\n");
  it.write("src/code/check.ts", "export const check = 1;\n");
  return it;
}

/** A user who agrees that the presumed files are the workflow's. */
const plan = (it: Stand, more: object = {}): Promise<Answer> =>
  it.run("workflow.rollback", { id: "AUTH-001", stage: "specify", presumed: true, ...more });

test("shows a plan first and changes nothing", async () => {
  using it = await atImplement();
  const before = filesIn(it.root);
  const planned = await plan(it);
  expect(planned).toMatchObject({
    done: false,
    to: { stage: "specify" },
    restored: ["sdd/specs/AUTH-001.yaml", "src/login.ts"],
    deleted: ["src/code/check.ts"],
    kept: [],
    overlaps: [],
  });
  expect(filesIn(it.root)).toEqual(before);
});

test("rolls back stage, files and later snapshots with the plan's token (TC-050)", async () => {
  using it = await atImplement();
  const head = git(it.root, "rev-parse", "HEAD");
  const { token } = await plan(it);
  const done = await plan(it, { confirm: token });
  expect([done["done"], done.workflow?.stage]).toEqual([true, "specify"]);
  expect(it.read("src/login.ts")).toBe("export const login = 1;\n");
  expect(it.has("src/code")).toBe(false);
  expect(it.read("sdd/specs/AUTH-001.yaml")).toContain("status: draft");
  expect(git(it.root, "rev-parse", "HEAD")).toBe(head);
  expect(done.workflow?.snapshots.map(({ why }) => why)).toEqual(["start", "stage", "stage", "safety"]);
});

test("undoes a rollback, and can roll back again", async () => {
  using it = await atImplement();
  const before = filesIn(it.root);
  const { token } = await plan(it);
  const { undo } = (await plan(it, { confirm: token })) as unknown as { undo: { id: string; snapshot: number } };
  const again = await it.run("workflow.rollback", undo);
  const undone = await it.run("workflow.rollback", { ...undo, confirm: again["token"] });
  expect([undone.workflow?.stage, filesIn(it.root)]).toEqual(["implement", before]);
  expect((await plan(it))["restored"]).toEqual(["sdd/specs/AUTH-001.yaml", "src/login.ts"]);
});

test("voids a plan after any change", async () => {
  using it = await atImplement();
  const { token } = await plan(it);
  it.write("README.md", "Something else\n");
  const before = filesIn(it.root);
  expect((await refusal(plan(it, { confirm: token }))).code).toBe("rollback.void");
  expect((await refusal(plan(it, { confirm: "0123456789abcdef" }))).code).toBe("rollback.void");
  expect(filesIn(it.root)).toEqual(before);
});

test("never undoes later work of another workflow", async () => {
  using it = await atImplement();
  await it.waive();
  await it.run("workflow.snapshot", {});
  await it.run("workflow.bugfix", { description: "Login fails with special characters", id: "BUG-042" });
  it.write("src/token.ts", "// @spec BUG-042\nexport const token = 1;\n");
  it.write("tests/token.test.ts", '// @spec BUG-042\ntest("keeps it", () => undefined);\n');
  it.fill("BUG-042");
  for (let i = 0; i < 4; i++) await it.advance("BUG-042");
  git(it.root, "add", "src/token.ts", "tests");
  git(it.root, "commit", "-qm", "fix(BUG-042): Encode the password");
  const { token, kept, overlaps } = await plan(it);
  expect([kept, overlaps]).toEqual([
    ["sdd/config.yaml", "sdd/specs/BUG-042.yaml", "sdd/trace/BUG-042.json", "src/token.ts", "tests/token.test.ts"],
    [],
  ]);
  await plan(it, { confirm: token });
  expect(it.read("src/token.ts")).toContain("export const token = 1;\n");
  expect(it.read("tests/token.test.ts")).toContain('test("keeps it"');
  expect(it.read("src/login.ts")).toBe("export const login = 1;\n");
  expect(git(it.root, "log", "-1", "--format=%s")).toBe("fix(BUG-042): Encode the password\n");
});

test("stops at a file that both changed, and can leave it out", async () => {
  using it = await atImplement();
  await it.run("workflow.snapshot", {});
  await it.run("workflow.bugfix", { description: "Login fails", id: "BUG-042" });
  await it.run("workflow.lock", { action: "claim", paths: ["src/login.ts"], id: "BUG-042", force: true });
  it.write("src/login.ts", "export const login = 42;\n");
  const { token, overlaps } = await plan(it);
  expect(overlaps).toEqual([{ path: "src/login.ts", with: ["BUG-042"] }]);
  expect((await refusal(plan(it, { confirm: token }))).code).toBe("rollback.overlap");
  expect(it.read("src/code/check.ts")).toBe("export const check = 1;\n");
  await plan(it, { confirm: token, keep_overlaps: true });
  expect([it.read("src/login.ts"), it.has("src/code/check.ts")]).toEqual(["export const login = 42;\n", false]);
});

test("keeps foreign specs and records from a commit that names the workflow", async () => {
  using it = await atImplement();
  await it.run("workflow.bugfix", { description: "Login fails", id: "BUG-042" });
  await it.run("change.start", { type: "fix", size: "small", description: "Fix it", concurrent: true });
  it.commit("feat(AUTH-001): Ask for a code");
  const { token, kept } = await plan(it);
  const change = ["change.json", "context-check.md", "describe.md", "tasks.md", "verify.md"];
  expect(kept).toEqual([...change.map((name) => `sdd/changes/fix-it/${name}`), "sdd/specs/BUG-042.yaml"]);
  await plan(it, { confirm: token });
  expect([it.has("sdd/specs/BUG-042.yaml"), it.has("sdd/changes/fix-it/change.json")]).toEqual([true, true]);
});

test("does not count a merge of others' commits as the workflow's", async () => {
  using it = await stand();
  git(it.root, "checkout", "-q", "-b", "colleague");
  it.write("src/theirs.ts", "theirs\n");
  it.commit("Their work");
  git(it.root, "checkout", "-q", "main");
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  git(it.root, "merge", "-q", "--ff-only", "colleague");
  await it.run("workflow.snapshot", {});
  expect((await it.run("workflow.rollback", { id: "AUTH-001", snapshot: 1 }))["kept"]).toEqual(["src/theirs.ts"]);
});

test("keeps a teammate's lines that a merge or a rebase brought into a file of the workflow", async () => {
  for (const words of [
    ["merge", "-q", "--no-edit", "mate"],
    ["rebase", "-q", "--autostash", "mate"],
  ]) {
    using it = await stand();
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}\n`);
    it.write("src/shared.ts", lines.join(""));
    it.commit("Lines");
    git(it.root, "checkout", "-qb", "mate");
    it.write("src/shared.ts", `${lines.join("")}the teammate's\n`);
    it.commit("The teammate's");
    git(it.root, "checkout", "-q", "main");
    await it.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
    git(it.root, ...words);
    await it.run("workflow.lock", { action: "claim", paths: ["src/shared.ts", "src/own.ts"], id: "AUTH-001" });
    it.write("src/shared.ts", `the agent's\n${it.read("src/shared.ts")}`);
    it.write("src/own.ts", "the agent's\n");
    const planned = await it.run("workflow.rollback", { id: "AUTH-001", stage: "discover" });
    expect([planned["mixed"], planned["deleted"]]).toEqual([["src/shared.ts"], ["src/own.ts"]]);
    await it.run("workflow.rollback", { id: "AUTH-001", stage: "discover", confirm: planned["token"] });
    expect([it.read("src/shared.ts").endsWith("the teammate's\n"), it.has("src/own.ts")]).toEqual([true, false]);
  }
});

test("blocks no session during git's cleanup", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  for (let i = 0; i < 6; i++) {
    it.write("src/login.ts", `export const login = ${i};\n`);
    await it.run("workflow.snapshot", {});
  }
  git(it.root, "gc", "-q", "--prune=now");
  await it.run("workflow.snapshot", {});
  expect((await it.run("workflow.bugfix", { description: "Login fails" })).workflow?.id).toBe("BUG-001");
});

test("keeps an edit that is made between plan and rollback", async () => {
  using it = await atImplement();
  const { token } = await plan(it);
  const { snapshots } = it.engine;
  const meddling = {
    ...it.engine,
    snapshots: overridePort(snapshots, {
      take: (...of) => (it.write("src/login.ts", "late\n"), snapshots.take(...of)),
    }),
  };
  const { rollbackWorkflowOperation: rollback } = await import("#planning/operations/workflow/roll-back-workflow.ts");
  const call = rollback.run(meddling, { id: "AUTH-001", stage: "specify", confirm: token as string });
  expect((await refusal(call)).code).toBe("rollback.void");
  expect(it.read("src/login.ts")).toBe("late\n");
});

test("moves no branch for a symbolic ref among snapshots", async () => {
  using it = await stand();
  const head = git(it.root, "rev-parse", "main");
  for (let n = 1; n < 9; n++) git(it.root, "symbolic-ref", `refs/tenon/AUTH-001/${n}`, "refs/heads/main");
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.run("workflow.snapshot", {});
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "No" });
  expect(git(it.root, "rev-parse", "main")).toBe(head);
});

test("refuses during a merge", async () => {
  using it = await atImplement();
  it.commit("feat(AUTH-001): Ask for a code");
  git(it.root, "checkout", "-q", "-b", "other", "HEAD~1");
  it.write("src/login.ts", "export const login = 3;\n");
  it.commit("Another login");
  git(it.root, "checkout", "-q", "main");
  expect(() => git(it.root, "merge", "-q", "other")).toThrow("merge");
  const before = filesIn(it.root);
  expect(await refusal(plan(it))).toMatchObject({ code: "rollback.obstacle" });
  expect(filesIn(it.root)).toEqual(before);
});

test("reports a missing snapshot", async () => {
  using it = await atImplement();
  for (const where of [{ stage: "verify" }, { snapshot: 99, stage: undefined }, { stage: undefined }]) {
    expect((await refusal(plan(it, where))).code).toBe("snapshot.unknown");
  }
  git(it.root, "update-ref", "-d", "refs/tenon/AUTH-001/3");
  git(it.root, "reflog", "expire", "--expire=now", "--all");
  git(it.root, "gc", "-q", "--prune=now");
  expect(await refusal(plan(it))).toMatchObject({ code: "snapshot.unknown" });
});

test("keeps five requested snapshots of a workflow, besides those of its stages and of rollbacks", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  for (let i = 0; i < 7; i++) {
    it.write("src/login.ts", `export const login = ${i};\n`);
    await it.run("workflow.snapshot", {});
  }
  const { workflow } = await it.run("workflow.status", { id: "AUTH-001" });
  expect(workflow?.snapshots.map(({ n }) => n)).toEqual([1, 4, 5, 6, 7, 8]);
  // The files that the work began with are kept besides.
  expect(git(it.root, "for-each-ref", "--format=%(refname)", "refs/tenon").trim().split("\n")).toHaveLength(7);
  expect(workflow?.snapshots.at(-1)?.files_modified).toEqual(["src/login.ts"]);
});

test("keeps the stage snapshots while switches, fixes and requests come and go", async () => {
  using it = await atImplement();
  await it.run("workflow.bugfix", { description: "Login fails", id: "BUG-042" });
  for (let i = 0; i < 7; i++) {
    await it.run("workflow.switch", { id: "AUTH-001" });
    it.write("src/code/check.ts", `export const check = ${i};\n`);
    await it.run("workflow.switch", { id: "BUG-042" });
  }
  await it.run("workflow.switch", { id: "AUTH-001" });
  const { workflow } = await it.run("workflow.status", { id: "AUTH-001" });
  const reasons = workflow?.snapshots.map(({ why }) => why) ?? [];
  expect(reasons.slice(0, 3)).toEqual(["start", "stage", "stage"]);
  expect(reasons.filter((why) => why === "switch")).toHaveLength(5);
  expect((await plan(it))["to"]).toMatchObject({ stage: "specify" });
});

test("restores files from a snapshot of an abandoned workflow, which stays abandoned", async () => {
  using it = await atImplement();
  it.write("NOTES.md", "The user's own.\n");
  await it.run("workflow.lock", { action: "claim", paths: ["src/login.ts", "src/code/check.ts"] });
  const { snapshot } = (await it.run("workflow.snapshot", {})) as unknown as { snapshot: number };
  it.write("src/login.ts", "export const login = 3;\n");
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "Solved upstream" });
  git(it.root, "checkout", "-q", "--", "src/login.ts");
  const planned = await it.run("workflow.rollback", { id: "AUTH-001", snapshot });
  const done = await it.run("workflow.rollback", { id: "AUTH-001", snapshot, confirm: planned["token"] });
  expect([done["done"], done.workflow?.status]).toEqual([true, "abandoned"]);
  expect(it.read("src/login.ts")).toBe("export const login = 2;\n");
  expect(it.read("NOTES.md")).toBe("The user's own.\n");
  const back = { ...(done["undo"] as object) };
  const undo = await it.run("workflow.rollback", back);
  await it.run("workflow.rollback", { ...back, confirm: undo["token"] });
  expect(it.read("src/login.ts")).toBe("export const login = 1;\n");
});

test("keeps the snapshots of an ended workflow for 30 days", async () => {
  using it = await atImplement();
  // A killed process had just made one.
  git(it.root, "update-ref", "refs/tenon/AUTH-001/99", "HEAD");
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "Solved upstream" });
  const refs = (): string[] =>
    git(it.root, "for-each-ref", "--format=%(refname)", "refs/tenon/AUTH-001").trim().split("\n");
  expect(refs()).toHaveLength(5);
  it.pass(29 * 24 * 60);
  await it.run("workflow.feature", { description: "Sign up", id: "SIGN-001" });
  expect(refs()).toHaveLength(5);
  expect((await plan(it))["restored"]).toContain("src/login.ts");
  it.pass(2 * 24 * 60);
  await it.run("workflow.abandon", { id: "SIGN-001", reason: "Solved upstream" });
  expect(refs()).toEqual([""]);
  expect(await refusal(plan(it))).toMatchObject({ code: "snapshot.unknown" });
  expect(it.read("src/login.ts")).toBe("export const login = 2;\n");
});

test("completes a command although a ref cannot be deleted", async () => {
  using it = await atImplement();
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "Solved upstream" });
  it.pass(31 * 24 * 60);
  it.write(".git/packed-refs.lock", "");
  await it.run("workflow.feature", { description: "Sign up", id: "SIGN-001" });
  expect(git(it.root, "for-each-ref", "refs/tenon/AUTH-001")).not.toBe("");
});

const asked = (it: Stand, more: object = {}): Promise<Answer> => plan(it, { presumed: false, ...more });

test("lists presumed files separately without hooks, and leaves them alone", async () => {
  using it = await atImplement();
  it.write("NOTES.md", "The user's own.\n");
  const planned = await asked(it);
  expect(planned).toMatchObject({
    restored: ["sdd/specs/AUTH-001.yaml"],
    deleted: [],
    presumed: ["NOTES.md", "src/code/check.ts", "src/login.ts"],
  });
  await asked(it, { confirm: planned["token"] });
  expect([it.read("NOTES.md"), it.read("src/login.ts"), it.has("src/code/check.ts")]).toEqual([
    "The user's own.\n",
    "export const login = 2;\n",
    true,
  ]);
});

test("restores presumed files that the user accepts, except one", async () => {
  using it = await atImplement();
  it.write("NOTES.md", "The user's own.\n");
  const { token } = await plan(it, { except: ["NOTES.md"] });
  await plan(it, { except: ["NOTES.md"], confirm: token });
  expect([it.read("NOTES.md"), it.read("src/login.ts"), it.has("src/code/check.ts")]).toEqual([
    "The user's own.\n",
    "export const login = 1;\n",
    false,
  ]);
});

test("does not take a released file back during a rollback", async () => {
  using it = await atImplement();
  it.write("NOTES.md", "The user's own.\n");
  await it.run("workflow.snapshot", {});
  await it.run("workflow.lock", { action: "release", paths: ["NOTES.md", "src/login.ts"] });
  const planned = await plan(it);
  expect(planned).toMatchObject({ deleted: ["src/code/check.ts"], unknown: ["NOTES.md", "src/login.ts"] });
  await plan(it, { confirm: planned["token"] });
  expect([it.read("NOTES.md"), it.read("src/login.ts")]).toEqual(["The user's own.\n", "export const login = 2;\n"]);
});

test("undoing a rollback keeps files that changed since", async () => {
  using it = await atImplement();
  const { token } = await plan(it);
  const { undo } = (await plan(it, { confirm: token })) as unknown as { undo: { id: string; snapshot: number } };
  it.write("src/login.ts", "export const login = 7;\n");
  it.write("src/code/check.ts", "the user's\n");
  const again = await it.run("workflow.rollback", undo);
  expect(again).toMatchObject({ restored: ["sdd/specs/AUTH-001.yaml"], mixed: ["src/code/check.ts", "src/login.ts"] });
  await it.run("workflow.rollback", { ...undo, confirm: again["token"] });
  expect([it.read("src/login.ts"), it.read("src/code/check.ts")]).toEqual([
    "export const login = 7;\n",
    "the user's\n",
  ]);
});
