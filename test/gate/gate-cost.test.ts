import { expect, test } from "vitest";
import { runGate } from "#checking/operations/gate/run-gate.ts";
import type { CommandRequest } from "#kernel/operations/ports/runner.ts";
import { overridePort } from "../kit/override-port.ts";
import { bugSpec } from "../kit/specs.ts";
import { LOGIN, tinyStand, type TinyStand } from "./tiny.ts";

const TWO_TESTS = `import { login } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("lets the right code in", () => same(login("123456"), true));

test("calls it", () => void login("0"));
`;

/** Runs the gate as if each command took \`ms\`, and lists the commands as \`tool folder\`. */
async function gateWithTimes(it: TinyStand, readMs: (request: CommandRequest) => number | undefined) {
  const { runner } = it.engine;
  const runs: { readonly tool: string; readonly root: string; readonly ms: number | undefined }[] = [];
  const run: typeof runner.run = async (request) => {
    const ms = readMs(request);
    const [, tool = ""] = /tools\/(\w+)\.mjs/.exec(JSON.stringify(request.run)) ?? [];
    runs.push({ tool, root: request.root ?? "", ms });
    const ended = await runner.run(request);
    return ms === undefined ? ended : { ...ended, ms };
  };
  const gate = await runGate.run({ ...it.engine, runner: overridePort(runner, { run }) }, { id: "AUTH-001" });
  return { gate, runs };
}

test("runs each check once on the work, and the tests without it and with broken code in one checkout", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  const { gate, runs } = await gateWithTimes(it, () => undefined);
  expect(gate.passed).toBe(true);
  const own = runs.filter(({ root }) => root === it.root).map(({ tool }) => tool);
  expect(own.toSorted()).toEqual(["format", "lint", "test"]);
  const others = runs.filter(({ root }) => root !== it.root);
  expect(others.map(({ tool }) => tool)).toEqual(["test", "test"]);
  expect(new Set(others.map(({ root }) => root)).size).toBe(1);
  const again = await gateWithTimes(it, () => undefined);
  expect([again.gate.passed, again.runs]).toEqual([true, []]);
});

test("refuses a test that checks nothing beside one that checks something", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  it.write("tests/login.mjs", TWO_TESTS);
  const { gate } = await gateWithTimes(it, () => undefined);
  expect(JSON.stringify(gate.checks)).toContain("calls it checks nothing: it also passes with broken code.");
});

test("runs broken code once if another run would exceed the time of the project's own tests, and says so", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  it.write("tests/login.mjs", TWO_TESTS);
  const isCopy = ({ root }: CommandRequest): boolean => root !== it.root;
  const { gate, runs } = await gateWithTimes(it, (request) => (isCopy(request) ? 40_000 : 30_000));
  expect(gate.passed).toBe(true);
  // One run without the work, one with broken code.
  expect(runs.filter(({ root }) => root !== it.root)).toHaveLength(2);
  expect(gate.notes).toContain("Not run with broken code: tests/login.mjs: calls it");
  const receipts = it.read("sdd/receipts/AUTH-001.jsonl");
  expect(receipts).toContain("1 runs of tests/login.mjs with broken code, then 30 s were used up");
});

/** Flipped conditions and flipped booleans both give \`false\` again, because the caller takes an error for a no. */
const SAFE = `const walk = (left, most) => {
  if (left.length > most) return false;
  for (let i = 0; i < left.length; i++) {
    if (!left[i]) return false;
  }
  return true;
};

// @spec AUTH-001
export const isShort = (left, most) => {
  try {
    return walk(left, most);
  } catch {
    return false;
  }
};
`;
const SAFE_TEST = (name: string, check: string): string => `import { isShort } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("${name}", () => ${check});
`;

test("accepts a test of a truth value that broken code gives by accident, and no test of its type", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", SAFE);
  it.write("tests/login.mjs", SAFE_TEST("refuses more", "same(isShort([1, 2], 1), false)"));
  expect((await gateWithTimes(it, () => undefined)).gate.checks.filter(({ status }) => status === "failed")).toEqual(
    [],
  );
  it.write("tests/login.mjs", SAFE_TEST("gives a truth value", 'same(typeof isShort([1, 2], 1), "boolean")'));
  const { gate } = await gateWithTimes(it, () => undefined);
  expect(JSON.stringify(gate.checks)).toContain("Check the value.");
});

const VALID = `// @spec AUTH-001
export const isValid = (text) => text.length === 3 && new Set(text).size === 3;
`;
const WRAP = (cut: string): string => `// @spec AUTH-001
export const wrap = (text) => {
  const most = text.length > 80 ? 80 : 81;
  return text.${cut}().slice(0, most);
};
`;
const testOf = (name: string, check: string): string => `import { ${name} } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("gives the right value", () => ${check});
`;

const CUT = (letters: string): string =>
  `export const cut = (${letters}, most) => (${letters}.length > most ? ${letters}.slice(0, most) : ${letters});\n`;
const SHOUT = "// @spec AUTH-001\nexport const shout = (text) => text.trim().toUpperCase();\n";

test.each([
  [
    "only a function of another workflow in the same file has conditions",
    { "src/login.mjs": CUT("text"), "sdd/specs/BUG-042.yaml": bugSpec("BUG-042") },
    `// @spec BUG-042\n${CUT("letters")}\n${SHOUT}`,
    testOf("* as login", 'same(login.shout(" a "), "A")').replace("{ * as login }", "* as login"),
  ],
  [
    "the value is wrong only where two conditions are joined otherwise",
    {},
    VALID,
    testOf("isValid", 'same(isValid("aaa"), false)'),
  ],
  [
    "it failed on its assertion without the work, and flipped conditions do not matter",
    { "src/login.mjs": WRAP("trimStart") },
    WRAP("trim"),
    testOf("wrap", 'same(wrap(" a "), "a")'),
  ],
])("accepts a test if %s", async (_, files, code, text) => {
  using it = await tinyStand({ files });
  it.write("src/login.mjs", code);
  it.write("tests/login.mjs", text);
  const { gate } = await gateWithTimes(it, () => undefined);
  expect(gate.checks.filter(({ status }) => status === "failed")).toEqual([]);
  expect((await gateWithTimes(it, () => undefined)).runs).toEqual([]);
});
