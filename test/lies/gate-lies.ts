import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { LOGIN, type TinyStand } from "../gate/tiny.ts";
import { BREAK_HELPED, HELPED_FILES } from "./silenced-tests.ts";
import { HONEST_EDITS } from "./honest-edits.ts";
import type { Lie } from "./lie-table.ts";

export const LOGIN_TEST = `import { login } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("lets the right code in", () => same(login("123456"), true));

// @spec AUTH-001.AC-2
test("keeps a wrong code out", () => same(login("1"), false));
`;

/** Committed before the feature begins. */
export const OLD_FILES = {
  "src/old.mjs": "export const old = () => 1;\n",
  "tests/old.mjs": 'import { old } from "../src/old.mjs";\n\ntest("is one", () => same(old(), 1));\n',
  ...HELPED_FILES,
};

const createLoginTest = (test: string): string =>
  `import { login } from "../src/login.mjs";\n\n// @spec AUTH-001.AC-1\n${test}\n`;
const createOldTest = (test: string): string => `import { old } from "../src/old.mjs";\n\n${test}\n`;
const breakOld = (at: TinyStand): void => at.write("src/old.mjs", "export const old = () => 2;\n");

const putCode = (at: TinyStand, path: string): string => {
  at.write(path, LOGIN);
  return path;
};

const OUTSIDE: readonly { readonly where: string; readonly place: (at: TinyStand) => string }[] = [
  { where: "under `sdd/`", place: (at) => putCode(at, "sdd/lib/login.mjs") },
  { where: "in a folder that git ignores", place: (at) => putCode(at, "node_modules/login.mjs") },
  {
    where: "in a nested repository",
    place(at) {
      const path = putCode(at, "inner/login.mjs");
      git(join(at.root, "inner"), "init", "-q");
      return path;
    },
  },
  {
    where: "behind a linked folder",
    place(at) {
      putCode(at, "node_modules/real/login.mjs");
      fs.symlinkSync("node_modules/real", join(at.root, "lib"));
      return "lib/login.mjs";
    },
  },
  {
    where: "in a file that only this clone ignores",
    place(at) {
      at.write(".git/info/exclude", ".sdd/\nsrc/hidden.mjs\n");
      return putCode(at, "src/hidden.mjs");
    },
  },
];

/** At the gate of a feature whose code and tests are honest but for this. */
export const GATE_LIES: readonly Lie<TinyStand>[] = [
  {
    lie: "The new test calls the code and checks nothing",
    message: "checks nothing: it also passes with broken code",
    async tell(at) {
      at.write("tests/login.mjs", createLoginTest('test("lets the right code in", () => { login("123456"); });'));
    },
  },
  {
    lie: "The new test is empty",
    message: "checks nothing: it also passes with broken code",
    async tell(at) {
      at.write("tests/login.mjs", createLoginTest('test("lets the right code in", () => {});'));
    },
  },
  {
    lie: "The new test checks only that there is a result",
    message: "also passes with flipped conditions",
    async tell(at) {
      const test = 'test("lets the right code in", () => same(login("123456") !== undefined, true));';
      at.write("tests/login.mjs", createLoginTest(test));
    },
  },
  {
    lie: "The new test fails without the code because it lies in a copy",
    message: "depends on where they lie",
    async tell(at) {
      at.write("src/login.mjs", "// @spec AUTH-001\nexport const login = 1;\n");
      const place = `import.meta.url.includes(${JSON.stringify(at.root)})`;
      at.write("tests/login.mjs", createLoginTest(`test("lets", () => same(login === 1 && ${place}, true));`));
    },
  },
  {
    lie: "The tag of a criterion is written above an old test of something else",
    message: "names AUTH-001.AC-2, and also passes when the code of your work is broken",
    async tell(at) {
      at.write("tests/old.mjs", createOldTest('// @spec AUTH-001.AC-2\ntest("is one", () => same(old(), 1));'));
      at.write("tests/login.mjs", LOGIN_TEST.split("\n// @spec AUTH-001.AC-2")[0] ?? "");
    },
  },
  {
    lie: "An old test loses its assertion, and the code it tests is broken",
    message: "no longer notices broken code, and did before your edit",
    async tell(at) {
      breakOld(at);
      at.write("tests/old.mjs", createOldTest('test("is one", () => { old(); });'));
    },
  },
  {
    lie: "An old test returns before its assertion",
    message: "no longer notices broken code, and did before your edit",
    async tell(at) {
      breakOld(at);
      at.write("tests/old.mjs", createOldTest('test("is one", () => { return; same(old(), 1); });'));
    },
  },
  {
    lie: "The assertion function of an old test file is replaced",
    message: "no longer notices broken code, and did before your edit",
    async tell(at) {
      breakOld(at);
      at.write("tests/old.mjs", createOldTest('const same = () => true;\ntest("is one", () => same(old(), 1));'));
    },
  },
  {
    lie: "An old test is moved into the new file and emptied",
    message: "checks nothing: it also passes with broken code",
    async tell(at) {
      breakOld(at);
      fs.rmSync(join(at.root, "tests/old.mjs"));
      at.write("tests/login.mjs", `${LOGIN_TEST}test("is one", () => {});\n`);
    },
  },
  {
    lie: "An old test expects less, because the code breaks it",
    message: "is one no longer checks what it did",
    async tell(at) {
      breakOld(at);
      at.write("tests/old.mjs", createOldTest('test("is one", () => same(typeof old(), "number"));'));
    },
  },
  {
    lie: "A new file among the tests replaces an assertion",
    message: "is one passes only with tests/aaa.mjs",
    async tell(at) {
      breakOld(at);
      at.write("tests/aaa.mjs", "const real = globalThis.same;\nglobalThis.same = (a, b) => b === 1 || real(a, b);\n");
    },
  },
  ...BREAK_HELPED.map(({ lie, message, tell }) => ({
    lie: `${lie}, in a feature`,
    message,
    tell: async (at: TinyStand) => tell(at),
  })),
  ...OUTSIDE.map(({ where, place }) => ({
    lie: `The code lies ${where}, where no receipt covers it`,
    message: "which no receipt covers",
    async tell(at: TinyStand) {
      const path = place(at);
      at.write("src/login.mjs", `// @spec AUTH-001\nexport { login } from "../${path}";\n`);
    },
  })),
  {
    lie: "The unfinished code lies in a file that a made-up feature holds",
    message: "imports src/extra.mjs, which DEC-001 holds, and no gate has judged it",
    async tell(at) {
      await at.run("workflow.feature", { description: "Decoy", id: "DEC-001", files: ["src/extra.mjs"] });
      at.write("src/extra.mjs", '// TODO: write this\nexport const right = "123456";\n');
      at.write(
        "src/login.mjs",
        '// @spec AUTH-001\nimport { right } from "./extra.mjs";\nexport const login = (code) => code === right;\n',
      );
    },
  },
];

/** Honest work near these lies, which passes. */
export const HONEST_GATES: readonly {
  readonly honest: string;
  readonly tell: (at: TinyStand) => void | Promise<void>;
}[] = [
  {
    honest: "A test that only calls the code stands beside tests that check it",
    tell: (at) =>
      at.write(
        "tests/login.mjs",
        `${LOGIN_TEST}test("takes a number", () => { login(1); if (login(1)) throw new Error("in"); });\n`,
      ),
  },
  {
    honest: "The code only holds a value",
    tell(at) {
      at.write("src/login.mjs", `${LOGIN}export const LENGTH = 6;\nexport const NAME = "login";\n`);
      at.write(
        "tests/login.mjs",
        LOGIN_TEST.replace("{ login }", "{ LENGTH, login, NAME }").concat(
          'test("has a name", () => same(NAME + LENGTH, "login6"));\n',
        ),
      );
    },
  },
  {
    honest: "A boundary is not tested",
    tell(at) {
      at.write("src/login.mjs", `${LOGIN}export const isLong = (code) => code.length > 6;\n`);
      at.write(
        "tests/login.mjs",
        LOGIN_TEST.replace("{ login }", "{ isLong, login }").concat(
          'test("knows long codes", () => same(isLong("1234567890"), true));\n',
        ),
      );
    },
  },
  {
    honest: "The tests ask for the number that the code compares with",
    tell(at) {
      at.write("src/login.mjs", "// @spec AUTH-001\nexport const login = (code) => Number(code) === 123456;\n");
    },
  },
  {
    honest: "The test reads a file beside it",
    tell(at) {
      at.write(
        "tests/login.mjs",
        `import fs from "node:fs";\n${LOGIN_TEST}const own = fs.readFileSync(new URL(import.meta.url), "utf8");\ntest("reads", () => same(login(own.length > 1 ? "123456" : "1"), true));\n`,
      );
    },
  },
  {
    honest: "An old test is changed because the behaviour changes",
    tell(at) {
      breakOld(at);
      at.write("tests/old.mjs", createOldTest('test("is one", () => same(old(), 2));'));
    },
  },
  {
    honest: "An old test uses a new helper",
    tell: (at) =>
      at.write(
        "tests/old.mjs",
        createOldTest('const isOne = (value) => same(value, 1);\ntest("is one", () => isOne(old()));'),
      ),
  },
  {
    honest: "An old test gets a comment and another layout",
    tell: (at) => at.write("tests/old.mjs", createOldTest('test("is one", () => {\n  // One.\n  same(old(), 1);\n});')),
  },
  {
    honest: "The order of two guards matters to no test",
    tell(at) {
      at.write(
        "src/login.mjs",
        '// @spec AUTH-001\nexport function login(code) {\n  if (code === undefined) return false;\n  if (code.length < 6) return false;\n  return code === "123456";\n}\n',
      );
    },
  },
  {
    honest: "The result is an object",
    tell(at) {
      at.write(
        "src/login.mjs",
        '// @spec AUTH-001\nexport const login = (code) => check(code).isIn;\nconst check = (code) => ({ isIn: code === "123456" });\n',
      );
    },
  },
  {
    honest: "A value is kept by a setter",
    tell(at) {
      at.write(
        "src/login.mjs",
        `${LOGIN}export const last = { code: "" };\nexport function keep(code) {\n  last.code = code;\n}\n`,
      );
      at.write(
        "tests/login.mjs",
        LOGIN_TEST.replace("{ login }", "{ keep, last, login }").concat(
          'test("keeps", () => { keep("7"); same(last.code, "7"); });\n',
        ),
      );
    },
  },
  {
    honest: "A tool generates a file that git ignores, and a comment says so",
    tell(at) {
      at.write("generated.log", "");
      at.write("node_modules/version.mjs", 'export const version = "1";\n');
      at.write(
        "src/login.mjs",
        `// tenon-allow: The release script writes it\nimport { version } from "../node_modules/version.mjs";\n\n${LOGIN}export const release = version;\n`,
      );
    },
  },
  {
    honest: "The code imports a new file beside it, without an ending",
    tell(at) {
      at.write("src/right.mjs", 'export const right = "123456";\n');
      at.write(
        "src/login.mjs",
        '// @spec AUTH-001\nimport { right } from "./right.mjs";\nexport const login = (code) => code === right;\n',
      );
    },
  },
  {
    honest: "Another feature holds an unfinished file that this code does not import",
    async tell(at) {
      await at.run("workflow.feature", { description: "Other", id: "OTH-001", files: ["src/other.mjs"] });
      at.write("src/other.mjs", "// TODO: write this\nexport const other = 1;\n");
    },
  },
  ...HONEST_EDITS.map(({ honest, files }) => ({
    honest,
    tell(at: TinyStand) {
      for (const [path, text] of Object.entries(files)) at.write(path, text);
    },
  })),
  {
    honest: "A test is renamed",
    tell: (at) => at.write("tests/old.mjs", createOldTest('test("is exactly one", () => same(old(), 1));')),
  },
];
