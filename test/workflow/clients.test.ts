import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git } from "../kit/folder.ts";
import { startCompany } from "./concurrent-clients.ts";

const LOGIN = {
  "tests/login.mjs":
    'import { login } from "../src/login.mjs";\n// @spec AUTH-001.AC-1\ntest("lets the right code in", () => same(login("1"), true));\n',
  "src/login.mjs": '// @spec AUTH-001\nexport const login = (code) => code === "1";\n',
};
const SUBTRACT = {
  "tests/sub.mjs":
    'import { sub } from "../src/sub.mjs";\n// @spec BUG-042\ntest("subtracts", () => same(sub(3, 1), 2));\n',
  "src/sub.mjs": "// @spec BUG-042\nexport const sub = (a, b) => a - b;\n",
};
const BROKEN = { "src/sub.mjs": "export const sub = (a, b) => a + b;\n" };

test("gives two clients without session names a workflow each, and each gate judges its own", async () => {
  using it = startCompany(BROKEN);
  await using one = await it.client();
  await using other = await it.client();
  await one.build("AUTH-001");
  await other.build("BUG-042");
  for (const [path, text] of Object.entries({ ...LOGIN, ...SUBTRACT })) it.write(path, text);
  expect(await one.gate()).toEqual([]);
  expect(await other.gate()).toEqual([]);
  it.write("src/login.mjs", `${LOGIN["src/login.mjs"]}// TODO: later\n`);
  expect([await one.gate(), await other.gate()]).toEqual([
    ["shortcuts: src/login.mjs:3: TODO is left in the code."],
    [],
  ]);
  const names = (await one.call("sdd_workflow_status")) as unknown as { queue: { id: string; session: string }[] };
  expect(new Set(names.queue.map(({ session }) => session)).size).toBe(2);
});

test("keeps earlier files with the first client when a second one connects", async () => {
  using it = startCompany(BROKEN);
  await using one = await it.client();
  await using other = await it.client();
  await one.build("AUTH-001");
  it.write("src/helper.mjs", "// TODO: later\nexport const help = 1;\n");
  await other.build("BUG-042");
  for (const [path, text] of Object.entries({ ...LOGIN, ...SUBTRACT })) it.write(path, text);
  expect(await other.gate()).toEqual([]);
  expect(await one.gate()).toEqual(["shortcuts: src/helper.mjs:1: TODO is left in the code."]);
});

test("detects a killed client at once, and the next client continues with one call", async () => {
  using it = startCompany();
  await using one = await it.client();
  await using next = await it.client();
  await one.build("AUTH-001");
  it.write("src/login.mjs", LOGIN["src/login.mjs"]);
  const busy = await next.call("sdd_workflow_resume", { id: "AUTH-001" });
  expect(busy.fault).toBe("lease.lost");
  await one.kill();
  const status = await next.call("sdd_workflow_status");
  expect(status.queue).toMatchObject([{ id: "AUTH-001", interrupted: true }]);
  expect(status.text).toMatch(/AUTH-001 was interrupted at stage implement, .* ago: resume it\./);
  const greeting = it.hook("session-start", { session_id: "new", source: "startup" }).out;
  expect(greeting).toContain("AUTH-001 was interrupted at implement");
  expect(greeting).toContain('sdd_workflow_resume {\\"id\\":\\"AUTH-001\\"}');
  const resumed = await next.call("sdd_workflow_resume");
  expect(resumed).toMatchObject({
    workflow: { id: "AUTH-001", interrupted: false },
    since_snapshot: ["src/login.mjs"],
  });
});

test("continues with a client whose server restarted", async () => {
  using it = startCompany();
  await using one = await it.client();
  await one.build("AUTH-001");
  for (const [path, text] of Object.entries(LOGIN)) it.write(path, text);
  await one.kill();
  await using again = await it.client();
  expect(await again.gate()).toEqual([]);
  expect((await again.call("sdd_workflow_advance", { stage: "implement" })).passed).toBe(true);
});

test("assigns the hooks of a client to its connection", async () => {
  using it = startCompany(BROKEN);
  it.run("feature", "Something else", "--id", "ELSE-001");
  it.hook("session-start", { session_id: "hooked", source: "startup" });
  await using one = await it.client();
  await one.call("sdd_feature", { description: "Second factor at login", id: "AUTH-001" });
  const { queue } = (await one.call("sdd_workflow_status", { id: "AUTH-001" })) as unknown as { queue: unknown };
  expect(queue).toMatchObject([{ id: "AUTH-001", session: "hooked" }]);
});

test("assigns a hook after the first call to the same client", async () => {
  using it = startCompany(BROKEN);
  await using one = await it.client();
  await one.build("AUTH-001");
  for (const [path, text] of Object.entries(LOGIN)) it.edit("hooked", path, text);
  expect(await one.gate()).toEqual([]);
  expect((await one.call("sdd_workflow_advance", { stage: "implement" })).passed).toBe(true);
  const { locks } = (await one.call("sdd_lock", { action: "list" })) as unknown as { locks: unknown };
  expect(locks).toMatchObject([
    { path: "src/login.mjs", workflow: "AUTH-001", how: "edit" },
    { path: "tests/login.mjs", workflow: "AUTH-001", how: "edit" },
  ]);
});

test("assigns a command in a client's shell to its session", async () => {
  using it = startCompany();
  await using one = await it.client();
  await one.build("AUTH-001");
  const { session } = JSON.parse(it.run("workflow", "status", "--json").out) as { session: string };
  expect(session).toMatch(/^mcp-/);
  // A second connection of the same client: which of them ran the command is unknown.
  await using other = await it.client();
  await other.build("BUG-042");
  expect(JSON.parse(it.run("workflow", "status", "--json").out)).toMatchObject({ session: "default" });
});

test("assigns files that changed during a shell command to it, and others to the user", async () => {
  using it = startCompany({ "src/old.mjs": "export const old = 1;\n", "src/gone.mjs": "export const gone = 1;\n" });
  await using one = await it.client();
  await one.build("AUTH-001");
  for (const [path, text] of Object.entries(LOGIN)) it.edit("hooked", path, text);
  it.write("NOTES.md", "The user's own.\n");
  it.write("src/old.mjs", "// TODO: the user's\nexport const old = 2;\n");
  it.shell("hooked", "node generate.js", () => {
    it.write("src/made.mjs", "// TODO: mine\nexport const made = 1;\n");
    fs.rmSync(join(it.root, "src/gone.mjs"));
  });
  expect(await one.gate()).toEqual(["shortcuts: src/made.mjs:1: TODO is left in the code."]);
  const { locks } = (await one.call("sdd_lock", { action: "list" })) as unknown as { locks: { path: string }[] };
  expect(locks.map(({ path }) => path).toSorted()).toEqual([
    "src/gone.mjs",
    "src/login.mjs",
    "src/made.mjs",
    "tests/login.mjs",
  ]);
});

test("still knows a command's files after the user saved, committed and rebased them", async () => {
  using it = startCompany();
  await using one = await it.client();
  await one.build("AUTH-001");
  it.shell("hooked", "node generate.js", () => {
    for (const path of ["src/made.mjs", "src/more/made.mjs"]) it.write(path, "// TODO: mine\nexport const made = 1;\n");
  });
  it.write("src/users.mjs", "// TODO: the user's\nexport const user = 1;\n");
  git(it.root, "add", "-A");
  git(it.root, "commit", "-qm", "All of it");
  git(it.root, "checkout", "-qb", "topic", "HEAD~1");
  git(it.root, "cherry-pick", "main");
  it.write("src/made.mjs", `${it.read("src/made.mjs")}// Saved again by an editor.\n`);
  const { files } = JSON.parse(it.run("work", "show", "AUTH-001", "--json").out) as { files: { path: string }[] };
  expect(files.map(({ path }) => path)).toEqual(["src/made.mjs", "src/more/made.mjs"]);
});

test("charges a session that stashes nothing for the user's edits, and its rollback keeps them", async () => {
  using it = startCompany({ "src/old.mjs": "export const old = 1;\n" });
  await using one = await it.client();
  await one.build("AUTH-001");
  it.edit("hooked", "src/login.mjs", LOGIN["src/login.mjs"]);
  it.write("src/old.mjs", "// TODO: the user's\nexport const old = 2;\n");
  it.write("NOTES.md", "The user's.\n");
  it.shell("hooked", "git stash -u && npm test; git stash pop", () => {
    git(it.root, "stash", "push", "-q", "-u");
    git(it.root, "stash", "pop", "-q");
  });
  const { files } = JSON.parse(it.run("work", "show", "AUTH-001", "--json").out) as { files: { path: string }[] };
  expect(files.map(({ path }) => path)).toEqual(["src/login.mjs"]);
  const back = { id: "AUTH-001", stage: "specify" };
  const planned = await one.call("sdd_workflow_rollback", back);
  await one.call("sdd_workflow_rollback", { ...back, confirm: planned["token"] });
  expect([it.read("src/old.mjs"), it.read("NOTES.md")]).toEqual([
    "// TODO: the user's\nexport const old = 2;\n",
    "The user's.\n",
  ]);
});

test("keeps the user's lines in files that a session's formatter wrote again", async () => {
  const old = (name: string) => ({ [`src/${name}.mjs`]: `export const ${name} = 1;\n` });
  using it = startCompany({ ...old("cart"), ...old("own"), ...old("gone"), ...old("removed") });
  await using one = await it.client();
  await one.build("AUTH-001");
  it.edit("hooked", "src/login.mjs", LOGIN["src/login.mjs"]);
  it.write("src/cart.mjs", "export const cart = 'user'\n");
  it.write("src/user.mjs", "export const user = 1\n");
  it.write("src/login.mjs", `${LOGIN["src/login.mjs"]}// The user's.\n`);
  fs.rmSync(join(it.root, "src/gone.mjs"));
  it.shell("hooked", "npx prettier --write .", () => {
    fs.rmSync(join(it.root, "src/removed.mjs"));
    for (const path of ["src/cart.mjs", "src/user.mjs", "src/login.mjs"]) it.write(path, `${it.read(path)}// nice\n`);
    it.write("src/own.mjs", "export const own = 2;\n");
    it.write("src/made.mjs", "export const made = 1;\n");
  });
  it.shell("hooked", "npx prettier --write src/own.mjs", () => it.write("src/own.mjs", "export const own = 3;\n"));
  const back = { id: "AUTH-001", stage: "specify" };
  const planned = await one.call("sdd_workflow_rollback", back);
  expect([planned["mixed"], planned["restored"], planned["deleted"], planned["unknown"]]).toEqual([
    ["src/cart.mjs", "src/login.mjs", "src/user.mjs"],
    ["sdd/specs/AUTH-001.yaml", "src/own.mjs", "src/removed.mjs"],
    ["src/made.mjs"],
    ["src/gone.mjs"],
  ]);
  await one.call("sdd_workflow_rollback", { ...back, confirm: planned["token"] });
  expect([it.read("src/cart.mjs"), it.read("src/user.mjs")]).toEqual([
    "export const cart = 'user'\n// nice\n",
    "export const user = 1\n// nice\n",
  ]);
});

test("assigns files that two concurrent commands could have changed to neither", async () => {
  using it = startCompany(BROKEN);
  it.run("feature", "The first", "--id", "AUTH-001", "--session", "one");
  it.run("bugfix", "The second", "--id", "BUG-042", "--session", "other");
  it.shell("one", "npm test", () => it.shell("other", "npm run build", () => it.write("src/unknown.mjs", "1\n")));
  it.shell("other", "npm run make", () => it.write("src/theirs.mjs", "1\n"));
  it.run("gate", "AUTH-001");
  it.run("gate", "BUG-042");
  const { locks } = JSON.parse(it.run("lock", "list", "--json").out) as { locks: { path: string; workflow: string }[] };
  expect(locks).toMatchObject([{ path: "src/theirs.mjs", workflow: "BUG-042" }]);
});

test("restores in a rollback what the session edited and nothing that the user edited", async () => {
  using it = startCompany({
    "src/discount.mjs": "export const discount = 1;\n",
    "src/cart.mjs": "export const cart = 1;\n",
  });
  await using one = await it.client();
  await one.build("AUTH-001");
  const built = Date.now();
  const back = (more = {}) => one.call("sdd_workflow_rollback", { id: "AUTH-001", stage: "specify", ...more });
  for (const [path, text] of Object.entries(LOGIN)) it.edit("hooked", path, text);
  it.write("NOTES.md", "The user's own.\n");
  it.write("src/cart.mjs", "export const cart = 'user';\n");
  // The agent edits a file in which the user is at work, and the user one of the agent's.
  // The record of a workflow gives its start to the second. A change is the user's only after that second.
  await vi.waitUntil(() => Date.now() > built + 1000, { timeout: 5000 });
  it.write("src/discount.mjs", "export const discount = 'user';\n");
  it.edit("hooked", "src/discount.mjs", "export const discount = 'user and agent';\n");
  it.shell("hooked", "node generate.js", () => it.write("src/made.mjs", "export const made = 1;\n"));
  it.edit("hooked", "src/kept.mjs", "export const kept = 1;\n");
  it.write("src/kept.mjs", "export const kept = 'user';\n");
  const planned = await back();
  expect(planned).toMatchObject({
    restored: ["sdd/specs/AUTH-001.yaml"],
    deleted: ["src/login.mjs", "src/made.mjs", "tests/login.mjs"],
    presumed: [],
    mixed: ["src/discount.mjs", "src/kept.mjs"],
    unknown: ["NOTES.md", "src/cart.mjs"],
  });
  expect(planned.text).toContain("Not changed by a known session, left unchanged: NOTES.md, src/cart.mjs");
  const done = await back({ confirm: planned["token"] });
  expect([done["done"], it.has("src/login.mjs"), it.read("NOTES.md")]).toEqual([true, false, "The user's own.\n"]);
  expect([it.read("src/cart.mjs"), it.read("src/discount.mjs"), it.read("src/kept.mjs")]).toEqual([
    "export const cart = 'user';\n",
    "export const discount = 'user and agent';\n",
    "export const kept = 'user';\n",
  ]);
});

test("suggests calls for a worktree that work as given, and names missing packages", async () => {
  using it = startCompany({ ...BROKEN, "package.json": "{}\n", "package-lock.json": "{}\n" });
  fs.mkdirSync(join(it.root, "node_modules"));
  await using one = await it.client();
  const begun = await one.call("sdd_bugfix", { description: "Subtraction adds", id: "BUG-042", worktree: true });
  expect(begun.text).toContain("node_modules is missing. Run in that folder: npm ci");
  const calls = [...begun.text.matchAll(/^Next: (sdd_\w+) (.+)$/gm)].map(([, tool = "", input = ""]) => ({
    tool,
    input,
  }));
  expect(calls).toHaveLength(2);
  for (const { tool, input } of calls) {
    const answer = await one.call(tool, JSON.parse(input) as Record<string, unknown>);
    expect([tool, answer.fault]).toEqual([tool, undefined]);
  }
});

test("suggests a call to resume the work of an ended session", async () => {
  using it = startCompany();
  it.run("feature", "Log in", "--id", "AUTH-001", "--session", "hooked");
  it.edit("hooked", "src/login.mjs", LOGIN["src/login.mjs"]);
  it.hook("session-end", { session_id: "hooked", reason: "exit" });
  const greeting = it.hook("session-start", { session_id: "new", source: "startup" }).out;
  expect(greeting).toContain('Next: sdd_workflow_resume {\\"id\\":\\"AUTH-001\\"}');
  await using one = await it.client({ TENON_SESSION: "new" });
  expect((await one.call("sdd_workflow_resume", { id: "AUTH-001" })).fault).toBeUndefined();
});
