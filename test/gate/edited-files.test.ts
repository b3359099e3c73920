import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGate } from "#checking/operations/gate/run-gate.ts";
import { overridePort } from "../kit/override-port.ts";
import { filesIn, type Answer } from "../workflow/stand.ts";
import { NEW_CODE, NEW_TEST, openIn, projectStand, typescriptStand } from "./project.ts";
import { LOGIN, TINY, tinyStand, type TinyStand, WITH_VAR } from "./tiny.ts";

/** As `eslint --fix`: rewrites the code and is content with it. */
const FIXING_LINT = `import fs from "node:fs";

for (const file of fs.readdirSync("src"))
  fs.writeFileSync("src/" + file, fs.readFileSync("src/" + file, "utf8").replaceAll("var ", "let "));
`;

const WITHOUT_FIX = {
  "sdd/stacks/tiny.yaml": (TINY["sdd/stacks/tiny.yaml"] ?? "").replace(/^ +fix: .*\n/m, ""),
  "tools/lint.mjs": FIXING_LINT,
};

/** A program that does whatever it likes with the files. */
const HOSTILE_LINT = `import fs from "node:fs";

fs.writeFileSync("src/login.mjs", "// " + Math.random());
fs.rmSync("src/add.mjs");
fs.mkdirSync("src/add.mjs");
fs.writeFileSync("src/add.mjs/inner.mjs", "");
fs.writeFileSync("new.txt", "mine");
fs.chmodSync("run.sh", 0o644);
fs.rmSync("link");
fs.symlinkSync("elsewhere", "link");
fs.mkdirSync("node_modules", { recursive: true });
fs.writeFileSync("node_modules/free", "ignored files are free");
`;

/** Writes through the given engine while a check runs in the working files. */
const gateDuringEdit = (it: TinyStand, edit: () => void): ReturnType<typeof runGate.run> => {
  const { runner } = it.engine;
  const run: typeof runner.run = async (request) => {
    if (request.root === it.root) edit();
    return runner.run(request);
  };
  return runGate.run({ ...it.engine, runner: overridePort(runner, { run }) }, { id: "AUTH-001" });
};

test("restores files that a fixing linter changed, and rejects its pass", async () => {
  using it = await tinyStand({ files: WITHOUT_FIX });
  it.write("src/login.mjs", WITH_VAR);
  const gate = await it.gate();
  expect(it.read("src/login.mjs")).toBe(WITH_VAR);
  expect(gate.open).toEqual(["lint: It changed src/login.mjs, so its result does not count."]);
  expect(gate.notes).toEqual([
    "lint changed src/login.mjs; Tenon restored it. A check must not edit files: remove --fix, --write or -w from its command, or set its argv in sdd/stacks/tiny.yaml.",
  ]);
});

test("passes with a check that would fix files, once it has nothing to fix", async () => {
  using it = await tinyStand({ files: WITHOUT_FIX });
  it.write("src/login.mjs", LOGIN);
  expect(await it.gate()).toMatchObject({ open: [], passed: true, notes: [] });
});

test("does not charge the work for edits that a check makes without it too", async () => {
  using it = await tinyStand({ files: { ...WITHOUT_FIX, "src/old.mjs": "var old = 1;\n" } });
  it.write("src/login.mjs", LOGIN);
  const gate = await it.gate();
  expect([gate.open, it.read("src/old.mjs")]).toEqual([[], "var old = 1;\n"]);
  expect(gate.notes).toEqual([
    expect.stringMatching(/^lint changed src\/old\.mjs; Tenon restored it\./),
    "Already failing without this work: lint: It changed src/old.mjs, so its result does not count.",
  ]);
});

test("restores files exactly after a hostile check: contents, modes, links, folders, new files", async () => {
  using it = await tinyStand({
    files: { ...WITHOUT_FIX, "tools/lint.mjs": HOSTILE_LINT, "run.sh": "echo\n" },
  });
  it.write("src/login.mjs", LOGIN);
  fs.chmodSync(join(it.root, "run.sh"), 0o755);
  fs.symlinkSync("src", join(it.root, "link"));
  const before = filesIn(it.root);
  const gate = await it.gate();
  expect(filesIn(it.root)).toEqual({ ...before, "node_modules/free": "ignored files are free" });
  expect([fs.readlinkSync(join(it.root, "link")), fs.statSync(join(it.root, "run.sh")).mode & 0o111]).toEqual([
    "src",
    0o111,
  ]);
  expect(gate.notes?.[0]).toMatch(
    /^lint changed link, new\.txt, run\.sh, src\/add\.mjs, src\/add\.mjs\/inner\.mjs and 1 more; Tenon restored them\./,
  );
  expect(gate.passed).toBe(false);
});

test("passes with tests that write data files, and restores these", async () => {
  const writes =
    'import fs from "node:fs";\nfs.writeFileSync("count.txt", String(Math.random()));\nfs.writeFileSync("out.txt", "x");\ntest("writes", () => same(1, 1));\n';
  using it = await tinyStand({ files: { "tests/writes.mjs": writes, "count.txt": "0" } });
  it.write("src/login.mjs", LOGIN);
  const gate = await it.gate();
  expect([gate.open, gate.passed, it.read("count.txt"), it.has("out.txt")]).toEqual([[], true, "0", false]);
  expect(gate.notes).toEqual([
    "tests changed count.txt, out.txt; Tenon restored them. Have git ignore them, or let the tests write to a temporary folder.",
  ]);
});

test("rejects a test that rewrites the code it tests, and restores the code", async () => {
  using it = await tinyStand();
  const wrong = LOGIN.replace("===", "!==");
  it.write("src/login.mjs", wrong);
  it.write(
    "tests/a.mjs",
    'import fs from "node:fs";\nconst code = "src/login.mjs";\nfs.writeFileSync(code, fs.readFileSync(code, "utf8").replace("!==", "==="));\n',
  );
  const gate = await it.gate();
  expect([gate.passed, it.read("src/login.mjs")]).toEqual([false, wrong]);
  expect(gate.open).toContain("tests: It changed src/login.mjs, so its result does not count.");
});

test("keeps an edit that the user makes while a check runs", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  const mine = `${LOGIN}// mine\n`;
  const gate = await gateDuringEdit(it, () => it.write("src/login.mjs", mine));
  expect([gate.passed, it.read("src/login.mjs")]).toEqual([false, mine]);
  expect(openIn(gate as Answer)).toEqual([
    "files-unchanged: src/login.mjs changed while the checks ran, and no check wrote it, so it was not checked. Run the gate again.",
  ]);
});

test("keeps the user's edit of one file and restores the check's edit of another", async () => {
  using it = await tinyStand({ files: { ...WITHOUT_FIX, "notes.md": "" } });
  it.write("src/login.mjs", WITH_VAR);
  const gate = await gateDuringEdit(it, () => it.write("notes.md", "mine"));
  expect([gate.passed, it.read("src/login.mjs"), it.read("notes.md")]).toEqual([false, WITH_VAR, "mine"]);
});

test("runs oxlint --fix of the project's own script without changing a file", async () => {
  using it = await typescriptStand();
  const manifest = it.read("package.json").replace('"lint":"oxlint"', '"lint":"oxlint --fix"');
  it.write("package.json", manifest);
  it.commit("Fix by lint");
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  const code = `${NEW_CODE}export var later = 1;\n`;
  it.write("src/login.ts", code);
  // Only a look: no fix may run, so the file must stay as it is.
  const seen = await it.run("workflow.advance", { id: "AUTH-001", check: true });
  expect([seen.passed, it.read("src/login.ts")]).toEqual([false, code]);
});

const RUFF = join(process.cwd(), "test/fixtures/python-fastapi/.venv");

test.skipIf(!fs.existsSync(RUFF))("runs ruff with fix = true without changing a file", async () => {
  const profile = "extends: generic\nchecks:\n  - { kind: lint, tool: ruff, argv: [ruff, check, .] }\n";
  using it = await projectStand({
    "pyproject.toml": "[project]\nname = 'small'\nversion = '1'\n[tool.ruff]\nfix = true\n",
    "sdd/stacks/own.yaml": `${profile}source_files: ["**/*.py"]\ntest_files: ["tests/**"]\nborrowed: [.venv]\n`,
    "sdd/config.yaml": "stack:\n  directories: { '.': own }\n",
    "src/old.py": "import os\n",
  });
  fs.symlinkSync(RUFF, join(it.root, ".venv"));
  await it.trust();
  await it.begin();
  const code = "import sys\n\n# @spec AUTH-001\ndef login():\n    return True\n";
  it.write("src/login.py", code);
  const gate = await it.gate();
  expect([it.read("src/login.py"), it.read("src/old.py")]).toEqual([code, "import os\n"]);
  expect(gate.open.filter((each) => each.startsWith("lint"))).toEqual([
    "lint: It changed src/login.py, so its result does not count.",
  ]);
});

test.skipIf(!fs.existsSync(RUFF))("does not charge the work for earlier findings of ruff", async () => {
  using it = await projectStand({
    "pyproject.toml": "[project]\nname = 'small'\nversion = '1'\n[tool.ruff]\n",
    "sdd/config.yaml": "gates:\n  waived: { types: None here, coverage: None here, tests: None here }\n",
    "src/old.py": "import os\n",
  });
  fs.symlinkSync(RUFF, join(it.root, ".venv"));
  await it.trust();
  await it.begin();
  it.write("src/login.py", "# @spec AUTH-001\ndef login():\n    return True\n");
  const gate = await it.gate();
  expect(gate.open.filter((each) => each.startsWith("lint"))).toEqual([]);
  expect(gate.notes?.join("\n")).toContain("Already failing without this work: lint: ");
});

test("runs checks that only read at the same time, and tests by themselves", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  const { runner } = it.engine;
  const events: string[] = [];
  let startOther: () => void = () => undefined;
  const other = new Promise<void>((resolve) => void (startOther = resolve));
  const run: typeof runner.run = async (request) => {
    const [, tool = ""] = /tools\/(\w+)\.mjs/.exec(JSON.stringify(request)) ?? [];
    events.push(`${tool} starts`);
    if (tool === "format") startOther();
    // The linter never ends if the formatter waits for it.
    if (tool === "lint") await other;
    const ended = await runner.run(request);
    events.push(`${tool} ends`);
    return ended;
  };
  const { passed } = await runGate.run({ ...it.engine, runner: overridePort(runner, { run }) }, { id: "AUTH-001" });
  expect(passed).toBe(true);
  expect(events.slice(0, 2)).toEqual(["test starts", "test ends"]);
});

test("runs a check again that another check may have misled by changing files", async () => {
  using it = await tinyStand({ files: WITHOUT_FIX });
  it.write("src/login.mjs", WITH_VAR);
  const { runner } = it.engine;
  const formatted: string[] = [];
  let edited: () => void = () => undefined;
  const isEdited = new Promise<void>((resolve) => void (edited = resolve));
  const run: typeof runner.run = async (request) => {
    const [, tool = ""] = /tools\/(\w+)\.mjs/.exec(JSON.stringify(request)) ?? [];
    if (tool === "format" && request.root === it.root) {
      await isEdited;
      formatted.push(it.read("src/login.mjs"));
    }
    const ended = await runner.run(request);
    if (tool === "lint") edited();
    return ended;
  };
  await runGate.run({ ...it.engine, runner: overridePort(runner, { run }) }, { id: "AUTH-001" });
  expect(formatted.at(-1)).toBe(WITH_VAR);
});
