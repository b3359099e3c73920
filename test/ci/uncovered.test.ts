import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCiOperation } from "#onboarding/operations/ci/run-ci.ts";
import { stage, lock } from "../kit/at-work.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { LOGIN, tinyStand, type TinyStand } from "../gate/tiny.ts";

const uncovered = async (it: TinyStand): Promise<(string | undefined)[]> => {
  const { findings } = await runCiOperation.run(it.engine, { strict: true });
  return findings.filter(({ kind, level }) => kind === "uncovered" && level === "error").map(({ path }) => path);
};

/** A feature whose gate passed, on a branch of its own. */
async function passed(): Promise<TinyStand> {
  const it = await tinyStand();
  git(it.root, "checkout", "-qb", "login");
  it.write("src/login.mjs", LOGIN);
  expect((await it.gate()).open).toEqual([]);
  return it;
}

test("counts code that a gate judged as covered, committed or not", async () => {
  using it = await passed();
  expect(await uncovered(it)).toEqual([]);
  it.commit("AUTH-001: Log in");
  expect(await uncovered(it)).toEqual([]);
});

test("reports code that changed after its gate as uncovered, and --strict fails", async () => {
  using it = await passed();
  it.write("src/login.mjs", `${LOGIN}export const late = 1;\n`);
  it.commit("AUTH-001: Log in");
  expect(await uncovered(it)).toEqual(["src/login.mjs"]);
  const { code, out } = await it.tenon.run("ci", "--strict");
  expect(code).not.toBe(0);
  expect(out).toMatch(
    /error verify: src\/login\.mjs changed since [0-9a-f]{12}, and no receipt covers it\. Claim it for its workflow \(tenon work claim\), then run the gate\./,
  );
});

test.each<[string, (it: TinyStand) => Promise<void>]>([
  [
    "merging a branch",
    async (it) => {
      it.commit("AUTH-001: Log in");
      git(it.root, "checkout", "-qb", "aside");
      it.write("src/hidden.mjs", "// TODO: later\nexport const hidden = () => eval('1');\n");
      it.commit("Refactor");
      git(it.root, "checkout", "-q", "login");
      git(it.root, "merge", "-q", "aside");
    },
  ],
  [
    "committing under another name",
    async (it) => {
      it.write("src/hidden.mjs", "// TODO: later\nexport const hidden = () => eval('1');\n");
      git(it.root, "add", "-A");
      git(it.root, "-c", "user.name=Mate", "-c", "user.email=mate@example.com", "commit", "-qm", "Refactor");
    },
  ],
  [
    "renaming a file",
    async (it) => {
      fs.renameSync(join(it.root, "src/add.mjs"), join(it.root, "src/hidden.mjs"));
      fs.appendFileSync(join(it.root, "src/hidden.mjs"), "export const more = () => eval('1');\n");
      it.write("src/add.mjs", 'export { add } from "./hidden.mjs";\n');
    },
  ],
])("detects a liar who moves code out of the work by %s", async (_, hide) => {
  using it = await passed();
  await hide(it);
  const gate = await it.gate();
  const caught = gate.open.length > 0;
  const left = await uncovered(it);
  // The gate judges it, or no receipt covers it.
  expect(caught || left.includes("src/hidden.mjs")).toBe(true);
});

test("lists an edit by a shell without a session, which no receipt covers", async () => {
  using it = await tinyStand();
  await it.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  await stage(it.engine, {
    locks: ["src/login.mjs", "tests/login.mjs"].map((path) => lock("AUTH-001", path, { how: "edit" })),
  });
  git(it.root, "checkout", "-qb", "login");
  it.write("src/login.mjs", LOGIN);
  it.write("src/shell.mjs", "// TODO: later\nexport const shell = 1;\n");
  const gate = await it.gate();
  expect([gate.open, gate["unattributed"]]).toEqual([[], ["src/shell.mjs"]]);
  expect(gate["notes"]).toContain(
    "Not changed by a session of AUTH-001, so not checked and not in a receipt: src/shell.mjs.",
  );
  expect(await uncovered(it)).toEqual(["src/shell.mjs"]);
  await it.run("workflow.lock", { action: "claim", id: "AUTH-001", paths: ["src/shell.mjs"] });
  expect((await it.gate()).open).toEqual(["shortcuts: src/shell.mjs:1: TODO is left in the code."]);
});

test("lists code deleted outside a workflow, but not a deletion that a gate judged", async () => {
  using it = await tinyStand({
    files: { "tests/old.mjs": 'test("is old", () => same(1, 1));\n', "src/old.mjs": "export const old = 1;\n" },
  });
  await it.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  await stage(it.engine, {
    locks: ["src/login.mjs", "src/old.mjs", "tests/login.mjs"].map((path) => lock("AUTH-001", path, { how: "edit" })),
  });
  git(it.root, "checkout", "-qb", "login");
  it.write("src/login.mjs", LOGIN);
  for (const path of ["src/old.mjs", "tests/old.mjs"]) fs.rmSync(join(it.root, path));
  const gate = await it.gate();
  expect([gate.open, gate["unattributed"]]).toEqual([[], ["tests/old.mjs"]]);
  expect(await uncovered(it)).toEqual(["tests/old.mjs"]);
});

test("shows an excluded file on the receipt with its reason, and as uncovered", async () => {
  using it = await tinyStand();
  git(it.root, "checkout", "-qb", "login");
  it.write("src/login.mjs", LOGIN);
  it.write("src/mine.mjs", "// TODO: later\nexport const mine = 1;\n");
  expect((await it.gate()).open).toEqual(["shortcuts: src/mine.mjs:1: TODO is left in the code."]);
  await it.run("workflow.work", { action: "exclude", id: "AUTH-001", paths: ["src/mine.mjs"], reason: "My own" });
  expect((await it.gate()).open).toEqual([]);
  const [last] = it.read("sdd/receipts/AUTH-001.jsonl").trimEnd().split("\n").slice(-1);
  expect(JSON.parse(last ?? "")).toMatchObject({
    work: {
      files: [
        { path: "src/login.mjs", why: "presumed", blob: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
        { path: "tests/login.mjs", why: "presumed", blob: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
      ],
      excluded: [{ path: "src/mine.mjs", reason: "My own" }],
    },
  });
  expect(await uncovered(it)).toEqual(["src/mine.mjs"]);
});

const BAD = "// TODO: later\nexport const hidden = () => 1;\n";
/** Honest work of another feature. */
async function beginCode(it: TinyStand): Promise<void> {
  await it.begin("AUTH-002");
  it.write(
    "tests/code.mjs",
    'import { code } from "../src/code.mjs";\n// @spec AUTH-002.AC-1\ntest("makes a code", () => same(code(), 6));\n',
  );
  it.write("src/code.mjs", "// @spec AUTH-002\nexport const code = () => 6;\n");
}
const startDecoy = (it: TinyStand) => it.run("workflow.feature", { description: "Decoy", id: "DECOY-001" });
const holdForDecoy = async (it: TinyStand, ...paths: string[]): Promise<void> => {
  await startDecoy(it);
  await it.run("workflow.lock", { action: "claim", id: "DECOY-001", paths, force: true });
};

/** Each is a way to keep bad code out of what the gate of AUTH-001 judges. */
const ATTRIBUTION_LIES: readonly (readonly [
  string,
  (it: TinyStand) => unknown,
  refused: readonly RegExp[],
  found: readonly string[],
])[] = [
  [
    "lets a decoy claim the file",
    async (it) => {
      await holdForDecoy(it, "src/hidden.mjs");
      it.write("src/hidden.mjs", BAD);
    },
    [],
    ["src/hidden.mjs"],
  ],
  [
    "claims the file for a decoy afterwards, and abandons the decoy",
    async (it) => {
      await startDecoy(it);
      it.write("src/hidden.mjs", BAD);
      await it.run("workflow.work", { action: "claim", id: "DECOY-001", paths: ["src/hidden.mjs"] });
      await it.run("workflow.abandon", { id: "DECOY-001", reason: "Not needed" });
    },
    [],
    ["src/hidden.mjs"],
  ],
  [
    "lets a decoy hold the test that the work breaks",
    async (it) => {
      await holdForDecoy(it, "tests/add.mjs");
      await it.run("workflow.switch", { id: "AUTH-001", force: true });
      it.write("src/add.mjs", "export const add = (a, b) => a - b;\n");
    },
    [/tests\/add\.mjs: adds: Error: expect\(-1\) is not 3/],
    [],
  ],
  [
    "lets a decoy hold the code that breaks a test",
    async (it) => {
      await holdForDecoy(it, "src/add.mjs");
      it.write("src/add.mjs", "export const add = (a, b) => a - b;\n");
    },
    [],
    ["src/add.mjs"],
  ],
  [
    "commits the file before the work begins again",
    async (it) => {
      await it.run("workflow.abandon", { id: "AUTH-001", reason: "Begin again" });
      it.write("src/hidden.mjs", BAD);
      it.commit("Prepare");
      await beginCode(it);
    },
    [],
    ["src/hidden.mjs"],
  ],
  [
    "writes the file before the work begins, and commits nothing",
    async (it) => {
      await it.run("workflow.abandon", { id: "AUTH-001", reason: "Begin again" });
      it.write("src/hidden.mjs", BAD);
      await beginCode(it);
    },
    [],
    ["src/hidden.mjs"],
  ],
  [
    "commits the file on a branch that nobody worked on, and switches to another",
    (it) => {
      it.commit("AUTH-001: Log in");
      git(it.root, "checkout", "-qb", "aside");
      it.write("src/hidden.mjs", BAD);
      it.commit("Refactor");
      git(it.root, "checkout", "-qb", "further");
    },
    [/src\/hidden\.mjs:1: TODO is left/],
    [],
  ],
];

test.each(ATTRIBUTION_LIES)("a liar who %s is refused or found", async (_, hide, refused, found) => {
  using it = await tinyStand();
  git(it.root, "checkout", "-qb", "login");
  it.write("src/login.mjs", LOGIN);
  await hide(it);
  const id = it.has("sdd/specs/AUTH-002.yaml") ? "AUTH-002" : "AUTH-001";
  const { open } = await it.gate(id);
  expect(open).toEqual(refused.map((each) => expect.stringMatching(each) as string));
  git(it.root, "add", "-A");
  git(it.root, "commit", "-q", "--allow-empty", "-m", `${id}: Log in`);
  expect(await uncovered(it)).toEqual(expect.arrayContaining([...found]));
});

test("reports how far back code needs a receipt on the default branch with --since", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  const before = git(it.root, "rev-parse", "HEAD").trim();
  it.write("src/hidden.mjs", "// TODO: later\nexport const hidden = 1;\n");
  it.commit("Refactor");
  it.write("README.md", "More.\n");
  it.commit("Explain");
  const list = async (since?: string) => {
    const { findings } = await runCiOperation.run(it.engine, { since });
    return findings.filter(({ kind }) => kind === "uncovered").map(({ path, problem }) => path ?? problem);
  };
  expect(await list()).toEqual([]);
  expect(await list(before)).toEqual(["src/hidden.mjs", "src/login.mjs", "tests/login.mjs"]);
  expect(await list("0".repeat(40))).toEqual([]);
  expect(await list("mian")).toEqual([
    'The clone lacks the commit "mian", so code without a receipt cannot be found. Run: git fetch --unshallow',
  ]);
});

test("reports that a shallow clone cannot show code without a receipt", async () => {
  using it = await passed();
  it.commit("AUTH-001: Log in");
  using folder = temporaryFolder();
  const clone = join(folder.path, "clone");
  git(folder.path, "clone", "-q", "--depth", "1", "--branch", "login", `file://${it.root}`, clone);
  using house = testHouse(clone);
  const { out } = await house.run("ci");
  expect(out).toContain(
    "The clone lacks the history, so code without a receipt cannot be found. Run: git fetch --unshallow",
  );
});
