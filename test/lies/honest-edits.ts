import { HELPED_FILES } from "./silenced-tests.ts";

const LOGIN = '// @spec AUTH-001\nexport const login = (code) => code === "123456";\n';
const LOGIN_IMPORT = 'import { login } from "../src/login.mjs";\n';
const TEST = (body: string, title = "lets the right code in", before = ""): string =>
  `${LOGIN_IMPORT}${before}\n// @spec AUTH-001.AC-1\ntest("${title}", ${body});\n\n// @spec AUTH-001.AC-2\ntest("keeps a wrong code out", () => same(login("1"), false));\n`;
const OLD = (body: string, before = ""): string =>
  `import { old } from "../src/old.mjs";\n${before}\ntest("is one", ${body});\n`;
const LET_IN = 'same(login("123456"), true)';

/** Files of a feature that are honest and look like a lie. The gate passes. */
export const HONEST_EDITS: readonly { readonly honest: string; readonly files: Readonly<Record<string, string>> }[] = [
  {
    honest: "The new test writes to a temporary folder and reads it",
    files: {
      "tests/login.mjs": TEST(
        `() => { const file = join(fs.mkdtempSync(join(os.tmpdir(), "login-")), "code"); fs.writeFileSync(file, "123456"); same(login(fs.readFileSync(file, "utf8")), true); }`,
        undefined,
        'import fs from "node:fs";\nimport os from "node:os";\nimport { join } from "node:path";\n',
      ),
    },
  },
  {
    honest: "The new test fixes the clock and puts it back",
    files: {
      "tests/login.mjs": TEST(
        `() => { const real = Date.now; Date.now = () => 5; try { ${LET_IN}; } finally { Date.now = real; } }`,
      ),
    },
  },
  {
    honest: "The new test sets a variable of the environment and removes it",
    files: { "tests/login.mjs": TEST(`() => { process.env.LOGIN = "1"; ${LET_IN}; delete process.env.LOGIN; }`) },
  },
  {
    honest: "The new test replaces the log for the run",
    files: {
      "tests/login.mjs": TEST(
        `() => { const lines = []; const real = console.log; console.log = (line) => lines.push(line); ${LET_IN}; console.log = real; }`,
      ),
    },
  },
  {
    honest: "The new test cleans up when the run ends",
    files: { "tests/login.mjs": `${TEST(`() => ${LET_IN}`)}process.on("exit", () => {});\n` },
  },
  {
    honest: "The new test catches an error and checks it",
    files: {
      "src/login.mjs":
        '// @spec AUTH-001\nexport function login(code) {\n  if (code === "") throw new Error("empty");\n  return code === "123456";\n}\n',
      "tests/login.mjs": `${TEST(`() => ${LET_IN}`)}test("asks for a code", () => { let said = ""; try { login(""); } catch (error) { said = error.message; } same(said, "empty"); });\n`,
    },
  },
  {
    honest: "The new test runs over a table",
    files: {
      "tests/login.mjs": TEST(
        '() => { for (const [code, isIn] of [["123456", true], ["654321", false]]) same(login(code), isIn); }',
      ),
    },
  },
  {
    honest: "Two tests of one title stand in two files",
    files: { "tests/login-more.mjs": TEST(`() => ${LET_IN}`, "is one") },
  },
  {
    honest: "The new test expects one of several right values",
    files: { "tests/login.mjs": TEST('() => same([true].includes(login("123456")), true)') },
  },
  {
    honest: "The assertion that only tests import gets a second function",
    files: {
      "helpers/near.mjs": `${HELPED_FILES["helpers/near.mjs"]}export const far = (a, b) => same(Math.abs(a - b) > 1, true);\n`,
    },
  },
  {
    honest: "The assertion that only tests import gets stricter",
    files: { "helpers/near.mjs": HELPED_FILES["helpers/near.mjs"].replace("0.01", "0.001") },
  },
  {
    honest: "The assertion that only tests import gets a comment and another layout",
    files: { "helpers/near.mjs": `// Close enough.\n${HELPED_FILES["helpers/near.mjs"].replace("=> ", "=>\n  ")}` },
  },
  {
    honest: "The assertion that only tests import gets another name, and its test with it",
    files: {
      "helpers/near.mjs": HELPED_FILES["helpers/near.mjs"].replace("near", "isNear"),
      "tests/half.mjs": HELPED_FILES["tests/half.mjs"]
        .replace("{ near }", "{ isNear }")
        .replace("near(half", "isNear(half"),
    },
  },
  {
    honest: "Code and the table of its test change together",
    files: { "src/rate.mjs": "export const rate = (n) => n * 3;\n", "fixtures/rates.json": "[[1, 3], [2, 6]]\n" },
  },
  {
    honest: "The table of a test gets more rows",
    files: { "fixtures/rates.json": "[[1, 2], [2, 4], [5, 10]]\n" },
  },
  {
    honest: "A signature changes, and the assertion of its tests with it",
    files: {
      "src/half.mjs": "export const half = (n) => ({ value: n / 2 });\n",
      "helpers/near.mjs": "export const near = (a, b) => same(Math.abs(a.value - b) < 0.01, true);\n",
    },
  },
  {
    honest: "An old test gets another value too",
    files: { "tests/old.mjs": OLD("() => { same(old(), 1); same(typeof old(), 'number'); }") },
  },
  {
    honest: "An old test gets a longer limit in a comment",
    files: { "tests/old.mjs": OLD("() => same(old(), 1)", "// Runs for at most 5 s.\n") },
  },
  {
    honest: "An old test prepares its value first",
    files: { "tests/old.mjs": OLD("() => { const value = old(); same(value, 1); }") },
  },
  {
    honest: "A test of old behaviour is added, and a comment says so",
    files: {
      "tests/old.mjs": `${OLD("() => same(old(), 1)")}// tenon-allow: It was missing\ntest("lets in", () => same(old() === 1, true));\n`,
    },
  },
  {
    honest: "The code creates a function with `require` for a package of Node",
    files: {
      "src/login.mjs":
        '// @spec AUTH-001\nimport { createRequire } from "node:module";\nconst { timingSafeEqual } = createRequire(import.meta.url)("node:crypto");\nconst read = (text) => Buffer.from(text.padEnd(6).slice(0, 6));\nexport const login = (code) => timingSafeEqual(read(code), read("123456"));\n',
    },
  },
  {
    honest: "The code loads a committed file through `imports` of `package.json`",
    files: {
      "package.json": '{ "type": "module", "imports": { "#login/*": "./src/login/*" } }\n',
      "src/login/right.mjs": 'export const right = "123456";\n',
      "src/login.mjs":
        '// @spec AUTH-001\nimport { right } from "#login/right.mjs";\nexport const login = (code) => code === right;\n',
    },
  },
  {
    honest: "The code loads a language file by its name",
    files: {
      "src/texts/en.mjs": 'export const right = "123456";\n',
      "src/login.mjs":
        '// @spec AUTH-001\nconst language = "en";\nconst { right } = await import(`./texts/${language}.mjs`);\nexport const login = (code) => code === right;\n',
    },
  },
  {
    honest: "The code loads committed data",
    files: {
      "src/codes.json": '{ "right": "123456" }\n',
      "src/login.mjs":
        '// @spec AUTH-001\nimport codes from "./codes.json" with { type: "json" };\nexport const login = (code) => code === codes.right;\n',
    },
  },
  {
    honest: "`.gitattributes` sets line ends and marks pictures",
    files: { ".gitattributes": "* text=auto\n*.png binary\n" },
  },
  {
    honest: "The code reads its own arguments and the folder it runs in",
    files: {
      "src/login.mjs": `${LOGIN}export const where = () => [process.cwd(), ...process.argv.slice(2)].join(" ");\n`,
    },
  },
  {
    honest: "The code speaks of tests in a text",
    files: { "src/login.mjs": `${LOGIN}export const help = "Run the tests first.";\n` },
  },
  {
    honest: "The code has a function that is called test",
    files: { "src/login.mjs": `${LOGIN}export const test = (pattern, text) => new RegExp(pattern).test(text);\n` },
  },
  {
    honest: "A helper among the tests is added and used",
    files: {
      "tests/code.mjs": 'export const RIGHT = "123456";\n',
      "tests/login.mjs": TEST("() => same(login(RIGHT), true)", undefined, 'import { RIGHT } from "./code.mjs";\n'),
    },
  },
  {
    honest: "A table for the new test is added",
    files: {
      "fixtures/codes.json": '[["123456", true], ["1", false]]\n',
      "tests/login.mjs": TEST(
        '() => JSON.parse(fs.readFileSync("fixtures/codes.json", "utf8")).forEach(([code, isIn]) => same(login(code), isIn))',
        undefined,
        'import fs from "node:fs";\n',
      ),
    },
  },
  {
    honest: "The new test stubs what the code is given",
    files: {
      "src/login.mjs": `${LOGIN}export const ask = (store) => login(store.load());\n`,
      "tests/login.mjs": `${TEST(`() => ${LET_IN}`).replace("{ login }", "{ ask, login }")}test("asks the store", () => same(ask({ load: () => "123456" }), true));\n`,
    },
  },
  {
    honest: "The new test compares two calls and a value",
    files: { "tests/login.mjs": TEST(`() => { same(login("1"), login("2")); ${LET_IN}; }`) },
  },
  {
    honest: "The new test only checks a value on one system",
    files: { "tests/login.mjs": TEST(`() => { if (process.platform !== "win32") ${LET_IN}; }`) },
  },
  {
    honest: "A generated file of the code says so in its head",
    files: {
      "src/codes.mjs": '// Code generated by a tool. DO NOT EDIT.\nexport const right = "123456";\n',
      "src/login.mjs":
        '// @spec AUTH-001\nimport { right } from "./codes.mjs";\nexport const login = (code) => code === right;\n',
    },
  },
];
