import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder } from "../kit/folder.ts";
import { LOGIN, TINY, tinyStand, type TinyStand } from "./tiny.ts";

/** A finished feature whose gate passes, before the company comes. */
async function built(files: Readonly<Record<string, string>> = {}): Promise<TinyStand> {
  const it = await tinyStand({ files });
  it.write("src/login.mjs", LOGIN);
  return it;
}

/** A teammate's clone, which commits on its own and is pulled from. */
function teammate(it: TinyStand) {
  const folder = temporaryFolder();
  const clone = join(folder.path, "clone");
  git(folder.path, "clone", "-q", it.root, clone);
  return {
    commit(files: Readonly<Record<string, string | undefined>>): void {
      for (const [path, text] of Object.entries(files)) {
        if (text === undefined) fs.rmSync(join(clone, path));
        else fs.writeFileSync(join(clone, path), text);
      }
      git(clone, "add", "-A");
      git(clone, "commit", "-qm", "Work of a teammate");
    },
    path: clone,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const CARELESS = {
  // TODO and an untested function, and the only test renamed.
  "src/mate.mjs": "// TODO: later\nexport const mate = () => 1;\n",
  "tests/add.mjs": 'import { add } from "../src/add.mjs";\n\ntest("adds two", () => same(add(1, 2), 3));\n',
};

const PULLS: readonly (readonly [string, (it: TinyStand, path: string) => void])[] = [
  ["merge", (it, path) => git(it.root, "pull", "-q", "--no-rebase", "--no-edit", path, "HEAD")],
  ["rebase", (it, path) => git(it.root, "pull", "-q", "--rebase", "--autostash", path, "HEAD")],
];

test.each(PULLS)("does not charge the work for a pull by %s", async (_, pull) => {
  using it = await built();
  using mate = teammate(it);
  expect((await it.gate()).open).toEqual([]);
  mate.commit(CARELESS);
  pull(it, mate.path);
  expect((await it.gate()).open).toEqual([]);
});

test.each(PULLS)("charges committed work that a pull by %s joins", async (_, pull) => {
  using it = await built();
  using mate = teammate(it);
  it.commit("AUTH-001: Log in");
  mate.commit(CARELESS);
  pull(it, mate.path);
  expect((await it.gate()).open).toEqual([]);
  it.write("src/login.mjs", `${LOGIN}// TODO: later\n`);
  it.commit("AUTH-001: More");
  expect((await it.gate()).open).toEqual(["shortcuts: src/login.mjs:3: TODO is left in the code."]);
});

test.each(["--ff-only", "--no-ff"])(
  "does not charge the work for the user's own branch, merged with %s",
  async (how) => {
    using it = await built();
    it.commit("AUTH-001: Log in");
    const branch = git(it.root, "branch", "--show-current").trim();
    git(it.root, "checkout", "-qb", "mate");
    for (const [path, text] of Object.entries(CARELESS)) it.write(path, text);
    it.commit("Another day's work");
    git(it.root, "checkout", "-q", branch);
    git(it.root, "merge", "-q", "--no-edit", how, "mate");
    expect((await it.gate()).open).toEqual([]);
  },
);

test("charges the work for its own lines in a file that a merge also changes", async () => {
  const numbers = Array.from({ length: 12 }, (_, i) => `export const n${i} = ${i};`);
  using it = await built({ "src/numbers.mjs": `${numbers.join("\n")}\n` });
  using mate = teammate(it);
  it.write("src/numbers.mjs", `// TODO: mine\n${numbers.join("\n")}\n`);
  it.commit("AUTH-001: Numbers");
  mate.commit({ "src/numbers.mjs": `${numbers.join("\n")}\n// TODO: theirs\n` });
  git(it.root, "pull", "-q", "--no-rebase", "--no-edit", mate.path, "HEAD");
  expect((await it.gate()).open).toEqual(["shortcuts: src/numbers.mjs:1: TODO is left in the code."]);
});

test("does not charge the work for uncommitted files from before it", async () => {
  using it = await tinyStand();
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "Another one begins" });
  it.write("src/queue.mjs", "// TODO: mine\nexport const queue = () => 1;\n");
  await it.begin("PEEK-001");
  it.write(
    "tests/peek.mjs",
    'import { peek } from "../src/peek.mjs";\n// @spec PEEK-001.AC-1\ntest("peeks", () => same(peek(), 1));\n',
  );
  it.write("src/peek.mjs", "// @spec PEEK-001\nexport const peek = () => 1;\n");
  expect((await it.gate("PEEK-001")).open).toEqual([]);
});

test("lists earlier failures once and does not block the work for them", async () => {
  using it = await built({
    "src/old.mjs": "var old = eval('1');\nexport { old };\n",
    "tests/old.mjs": 'import { old } from "../src/old.mjs";\n\ntest("is old", () => same(old, 2));\n',
  });
  const gate = await it.gate();
  expect([gate.open, gate["notes"]]).toEqual([
    [],
    [
      "Already failing without this work: tests: tests/old.mjs: is old: Error: expect(1) is not 2",
      "Already failing without this work: lint: old.mjs: var",
      "Already failing without this work: lint: old.mjs: eval(",
    ],
  ]);
  const listTimes = (times: unknown): string[] => (times as { check: string }[]).map(({ check }) => check);
  const base = ["tests without the work", "lint without the work"];
  expect(listTimes(gate["took"])).toEqual(["tests", "lint", "format", ...base, "tests-seen-to-fail", "mutation-check"]);
  // No fix was tried on what is not the work's, and no retry.
  expect([it.fixes(), it.waits]).toEqual([[], []]);
  it.write("src/login.mjs", `${LOGIN}export const more = () => eval("1");\n`);
  const again = await it.gate();
  expect(again.open).toEqual(["lint: login.mjs: eval("]);
  // The files without the work are the same, so nothing runs on them again.
  expect(listTimes(again["took"])).toEqual(["tests", "lint", "format"]);
});

/** A type checker and a formatter that find the words ANY and UGLY. */
const STRICT_TOOLS = {
  "tools/find.mjs": `import fs from "node:fs";
const [word, message] = process.argv.slice(2);
const found = fs.readdirSync("src").filter((file) => fs.readFileSync("src/" + file, "utf8").includes(word));
for (const file of found) console.log("src/" + file + ": " + message);
process.exit(found.length > 0 ? 1 : 0);
`,
  "sdd/stacks/tiny.yaml": (TINY["sdd/stacks/tiny.yaml"] ?? "").replace(
    /  - kind: format[^]*?silence_s: 3\n/,
    `  - { kind: types, tool: types, argv: [node, tools/find.mjs, ANY, "error TS7006: implicit any"] }
  - { kind: format, tool: format, argv: [node, tools/find.mjs, UGLY, "not formatted"] }
`,
  ),
  "sdd/config.yaml": (TINY["sdd/config.yaml"] ?? "").replace(/ +types: .*\n/, ""),
};

test("does not block the work for earlier failures of types and format, but for new ones", async () => {
  using it = await built({ ...STRICT_TOOLS, "src/old.mjs": "// ANY UGLY\nexport const old = 1;\n" });
  const gate = await it.gate();
  expect([gate.open, gate["notes"]]).toEqual([
    [],
    [
      "Already failing without this work: types: src/old.mjs: error TS7006: implicit any",
      "Already failing without this work: format: src/old.mjs: not formatted",
    ],
  ]);
  it.write("src/login.mjs", `${LOGIN}// ANY UGLY\n`);
  expect((await it.gate()).open).toEqual([
    "types: src/login.mjs: error TS7006: implicit any",
    "format: src/login.mjs: not formatted",
  ]);
});

test("charges the work for a new failure of a failing test", async () => {
  using it = await built({
    "tests/old.mjs": 'import { add } from "../src/add.mjs";\n\ntest("is old", () => same(add(1, 1), 3));\n',
  });
  it.write("src/add.mjs", "export const add = (a, b) => a - b;\n");
  expect((await it.gate()).open).toEqual(["tests: tests/add.mjs: adds: Error: expect(-1) is not 3"]);
});

test("passes a bugfix beside a paused feature with failing tests", async () => {
  using it = await tinyStand({ files: { "src/sub.mjs": "export const sub = (a, b) => a + b;\n" } });
  await it.run("workflow.bugfix", { description: "Subtraction adds", id: "BUG-042" });
  it.fill("BUG-042");
  for (const stage of ["investigate", "specify-fix"]) await it.advance("BUG-042", { stage });
  it.write(
    "tests/sub.mjs",
    'import { sub } from "../src/sub.mjs";\n// @spec BUG-042\ntest("subtracts", () => same(sub(3, 1), 2));\n',
  );
  it.write("src/sub.mjs", "// @spec BUG-042\nexport const sub = (a, b) => a - b;\n");
  const gate = await it.gate("BUG-042");
  expect([gate.open, gate["notes"]]).toEqual([
    [],
    [
      expect.stringMatching(
        /^Already failing without this work: tests: tests\/login\.mjs could not be tested: .* \(AUTH-001 holds it\)$/,
      ),
      "To work apart from AUTH-001, start the next workflow with --worktree (worktree: true).",
    ],
  ]);
});

test.each<[string, (it: TinyStand) => void]>([
  ["the user commits the work in their editor", (it) => it.commit("Save")],
  [
    "the work is committed on a detached HEAD",
    (it) => {
      git(it.root, "checkout", "-q", "--detach");
      it.commit("AUTH-001: Log in");
    },
  ],
  [
    "the work is stashed and comes back",
    (it) => {
      git(it.root, "stash", "push", "-q", "-u");
      git(it.root, "stash", "pop", "-q");
    },
  ],
])("finds the same work when %s", async (_, move) => {
  using it = await built();
  move(it);
  expect((await it.gate()).open).toEqual([]);
  it.write("src/login.mjs", `${LOGIN}// TODO: later\n`);
  expect((await it.gate()).open).toEqual(["shortcuts: src/login.mjs:3: TODO is left in the code."]);
});
