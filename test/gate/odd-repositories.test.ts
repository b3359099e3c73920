import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import { git, temporaryRepository } from "../kit/folder.ts";
import { featureSpec } from "../kit/specs.ts";
import { stand } from "../workflow/stand.ts";
import { openIn } from "./project.ts";
import { LOGIN, TINY, tinyStand } from "./tiny.ts";

const LOGIN_TEST = `import { login } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("lets the right code in", () => same(login("123456"), true));
`;

test("judges the submodule's own files inside a git submodule", async () => {
  using inner = temporaryRepository();
  using outer = temporaryRepository();
  for (const [path, text] of Object.entries(TINY)) {
    fs.mkdirSync(join(inner.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(inner.path, path), text);
  }
  fs.writeFileSync(join(inner.path, ".gitignore"), ".sdd/\n*.log\n");
  git(inner.path, "add", "--all");
  git(inner.path, "commit", "--quiet", "--message", "Begin");
  execFileSync("git", ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "parts/tiny"], {
    cwd: outer.path,
    stdio: "pipe",
  });
  git(outer.path, "commit", "--quiet", "--message", "Take in tiny");
  const root = join(outer.path, "parts/tiny");
  git(root, "config", "user.name", "Tester");
  git(root, "config", "user.email", "tester@example.com");
  expect(fs.statSync(join(root, ".git")).isFile()).toBe(true);
  const { PATH, HOME } = process.env;
  using it = await stand({ path: root, [Symbol.dispose]: () => undefined }, true, { environment: { PATH, HOME } });
  const definitions = await it.engine.stacks.definitions();
  if (!definitions) throw new Error("There is nothing to trust.");
  const surface = createTrustedSurface(definitions, (text) => it.engine.digest(text));
  await it.engine.trust.grant({ surface, at: it.engine.clock.now(), passes: [] });
  await it.run("workflow.feature", { description: "Log in with a code", id: "AUTH-001" });
  it.write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
  for (const stage of ["discover", "specify"]) expect((await it.advance("AUTH-001", { stage })).passed).toBe(true);
  it.write("tests/login.mjs", LOGIN_TEST);
  it.write("src/login.mjs", LOGIN);
  // What somebody does in the outer repository is none of this work.
  fs.writeFileSync(join(outer.path, "outside.mjs"), "var outside = eval('1'); // TODO\n");
  const gate = await it.run("gate.run", { id: "AUTH-001" });
  expect([openIn(gate), gate.passed]).toEqual([[], true]);
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message", "AUTH-001");
  git(outer.path, "add", "--all");
  git(outer.path, "commit", "--quiet", "--message", "Move tiny on");
  const again = await it.run("gate.run", { id: "AUTH-001" });
  expect([openIn(again), again.passed]).toEqual([[], true]);
});

test("does not count stashed work until it is restored", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  it.write("src/add.mjs", "export const add = (a, b) => b + a;\n");
  expect(await it.gate()).toMatchObject({ open: [], passed: true });
  git(it.root, "stash", "push", "--quiet", "--include-untracked", "--", "src", "tests");
  const without = await it.gate();
  expect(without.passed).toBe(false);
  expect(without.notes).toContain(
    "No code changed, but a git stash is newer than this work. To restore it: git stash pop",
  );
  // Somebody commits something else meanwhile.
  it.write("other.txt", "other\n");
  git(it.root, "add", "other.txt");
  git(it.root, "commit", "--quiet", "--message", "Other");
  git(it.root, "stash", "pop", "--quiet");
  expect(await it.gate()).toMatchObject({ open: [], passed: true });
});
