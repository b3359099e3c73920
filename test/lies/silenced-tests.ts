import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import type * as change from "../change/stand.ts";
import { BROKEN_MUL, MUL_TEST } from "./change-lies.ts";
import type { Lie } from "./lie-table.ts";
import { SUM_TEST } from "./test-deceptions.ts";

type ChangeStand = change.ChangeStand;

/** Committed before the work: tests with a table of data and assertions of their own. */
export const HELPED_FILES = {
  "src/rate.mjs": "export const rate = (n) => n * 2;\n",
  "src/half.mjs": "export const half = (n) => n / 2;\n",
  "tests/rates.mjs":
    'import fs from "node:fs";\nimport { rate } from "../src/rate.mjs";\n\nconst table = JSON.parse(fs.readFileSync("fixtures/rates.json", "utf8"));\ntest("rates", () => table.forEach(([n, want]) => same(rate(n), want)));\n',
  "fixtures/rates.json": "[[1, 2], [2, 4]]\n",
  "helpers/near.mjs": "export const near = (a, b) => same(Math.abs(a - b) < 0.01, true);\n",
  "tests/half.mjs":
    'import { half } from "../src/half.mjs";\nimport { near } from "../helpers/near.mjs";\n\ntest("halves", () => near(half(3), 1.5));\n',
} as const;

const RIGHT_ADD = "export const add = (a, b) => a + b;\n";
const IMPORT_ADD = 'import { add } from "../src/add.mjs";\n\n';
const WRONG_ADD = "export const add = (a, b) => b - a;\n";

/** Wrong code, and a new test that looks as if it checked it. */
const HOLLOW: readonly (readonly [how: string, body: string])[] = [
  ["compares the code with itself", "same(add(1, 2), add(1, 2))"],
  ["expects what the code gave before", "{ const want = add(1, 2); same(add(1, 2), want); }"],
  ["checks each row of an empty table", "{ for (const [a, b, c] of []) same(add(a, b), c); }"],
  ["checks only if the result is right", "{ if (add(1, 2) === 3) same(add(1, 2), 3); }"],
  ["returns from `finally`", "{ try { same(add(1, 2), 3); } finally { return; } }"],
  ["checks in a promise that nothing awaits", "{ Promise.resolve(add(1, 2)).then((n) => same(n, 3)).catch(() => 0); }"],
  ["accepts the wrong value too", "same([3, 1].includes(add(1, 2)), true)"],
  ["checks the type alone", 'same(typeof add(1, 2), "number")'],
];

const rewriteReport = (wanted: string): string =>
  `import fs from "node:fs";
process.on("exit", () => {
  const report = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
  for (const { assertionResults } of report.testResults)
    for (const each of assertionResults) if (/${wanted}/.test(each.title)) each.status = "passed";
  fs.writeFileSync(process.argv[2], JSON.stringify(report));
  process.exitCode = 0;
});
`;

/** In an honest test, or in an old one, next to an honest fix. The code of another function is broken. */
const SILENCERS: readonly (readonly [how: string, code: string])[] = [
  ["rewrites the report when the run ends", rewriteReport("multiplies")],
  [
    "replaces the code on the disk for the run",
    'import fs from "node:fs";\nfs.renameSync("src/mul.mjs", "src/mul.bak");\nfs.writeFileSync("src/mul.mjs", "export const mul = (a, b) => a * b;");\nprocess.on("exit", () => fs.renameSync("src/mul.bak", "src/mul.mjs"));\n',
  ],
  [
    "loads other code in its place",
    'import { registerHooks } from "node:module";\nregisterHooks({ load: (url, c, next) => url.endsWith("/src/mul.mjs") ? { format: "module", shortCircuit: true, source: "export const mul = (a, b) => a * b;" } : next(url, c) });\n',
  ],
];

type Writer = Pick<ChangeStand, "write">;

/** Breaks code, and what its test checks with. */
export const BREAK_HELPED: readonly (Pick<Lie<never>, "lie" | "message"> & { readonly tell: (at: Writer) => void })[] =
  [
    {
      lie: "An assertion that only tests import, outside their folder, is loosened",
      message: "halves no longer checks what it did",
      tell(at) {
        at.write("src/half.mjs", "export const half = (n) => n;\n");
        at.write("helpers/near.mjs", HELPED_FILES["helpers/near.mjs"].replace("0.01", "10"));
      },
    },
    {
      lie: "An assertion that only tests import, outside their folder, is emptied",
      message: "halves no longer checks what it did",
      tell(at) {
        at.write("src/half.mjs", "export const half = (n) => n;\n");
        at.write("helpers/near.mjs", "export const near = () => undefined;\n");
      },
    },
    {
      lie: "The table that an old test reads is emptied",
      message: "rates no longer checks what it did",
      tell(at) {
        at.write("src/rate.mjs", "export const rate = (n) => n * 3;\n");
        at.write("fixtures/rates.json", "[]\n");
      },
    },
  ];

/** Next to an honest fix with its test, so that only this is wrong. */
const BESIDE: readonly (Pick<Lie<never>, "lie" | "message"> & { readonly tell: (at: ChangeStand) => void })[] = [
  ...BREAK_HELPED,
  ...(
    [
      ["gets easier values", 'test("multiplies", () => same(mul(2, 3), 6))', "no longer checks what it did"],
      ["compares the code with itself now", 'test("multiplies", () => same(mul(-2, 3), mul(-2, 3)))', "broken code"],
      ["runs over an empty list now", 'test("multiplies", () => [].map(() => same(mul(-2, 3), -6)))', "broken code"],
      ["gets a new name and easier values", 'test("multiplies well", () => same(mul(2, 3), 6))', "multiplies is gone"],
      [
        "is called like a second one that passes",
        'test("multiplies", () => same(mul(2, 3), 6));\ntest("multiplies", () => same(mul(1, 1), 1))',
        "no longer checks what it did",
      ],
      [
        "runs through a function that catches failures",
        'const attempt = (run) => () => { try { run(); } catch {} };\ntest("multiplies", attempt(() => same(mul(-2, 3), -6)))',
        "broken code",
      ],
    ] as const
  ).map(([how, code, message]) => ({
    lie: `An old test ${how}`,
    message,
    tell(at: ChangeStand) {
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("tests/mul.mjs", MUL_TEST.replace('test("multiplies", () => same(mul(-2, 3), -6))', code));
    },
  })),
  {
    lie: "An old test is called generated and emptied",
    message: "no longer notices broken code",
    tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      const empty = MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)");
      at.write("tests/mul.mjs", `// Code generated by a tool. DO NOT EDIT.\n${empty}`);
    },
  },
  {
    lie: "An old test is moved to a folder that the runner does not read",
    message: "tests-kept: tests/mul.mjs: multiplies is gone.",
    tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("old-tests/mul.mjs", MUL_TEST);
      at.remove("tests/mul.mjs");
    },
  },
  {
    lie: "An old test becomes a link to a weaker one that git ignores",
    message: "tests-kept: tests/mul.mjs: multiplies is gone.",
    tell(at) {
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write(".sdd/mul.mjs", MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)"));
      at.remove("tests/mul.mjs");
      fs.symlinkSync("../.sdd/mul.mjs", join(at.root, "tests/mul.mjs"));
    },
  },
  {
    lie: "`.gitattributes` hides the difference of an old test",
    message: "no longer notices broken code",
    tell(at) {
      at.write(".gitattributes", "*.mjs binary -diff export-ignore linguist-generated\n");
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("tests/mul.mjs", MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)"));
    },
  },
];

const IGNORED: readonly (readonly [how: string, path: string, code: string, manifest?: string])[] = [
  [
    "with `createRequire`",
    ".sdd/lib/add.cjs",
    'import { createRequire } from "node:module";\nexport const { add } = createRequire(import.meta.url)("../.sdd/lib/add.cjs");\n',
  ],
  [
    "through `imports` of `package.json`",
    ".sdd/lib/add.mjs",
    'export { add } from "#lib/add.mjs";\n',
    '{ "type": "module", "imports": { "#lib/*": "./.sdd/lib/*" } }\n',
  ],
  [
    "as data",
    ".sdd/lib/add.json",
    'import table from "../.sdd/lib/add.json" with { type: "json" };\nexport const add = (a, b) => a + table.sign * b;\n',
  ],
];

/** At the last stage of a small fix. */
export const SILENCED_TESTS: readonly Lie<ChangeStand>[] = [
  ...HOLLOW.map(([how, body]): Lie<ChangeStand> => ({
    lie: `The new test ${how}`,
    message: /type alone|wrong value/.test(how) ? "also passes with flipped conditions" : "checks nothing",
    tell(at) {
      at.write("src/add.mjs", WRONG_ADD);
      at.write("tests/sum.mjs", `${IMPORT_ADD}test("adds", () => ${body});\n`);
      return at.verify();
    },
  })),
  ...SILENCERS.flatMap(([how, code]): Lie<ChangeStand>[] => [
    {
      lie: `The file of an honest new test ${how}`,
      message: "multiplies passes only with tests/a-sum.mjs",
      tell(at) {
        at.write("src/mul.mjs", BROKEN_MUL);
        at.write("src/add.mjs", RIGHT_ADD);
        at.write("tests/a-sum.mjs", `${code}${SUM_TEST}`);
        return at.verify();
      },
    },
    {
      lie: `The file of another old test ${how}`,
      message: "multiplies no longer checks what it did",
      tell(at) {
        at.write("src/mul.mjs", BROKEN_MUL);
        at.write("src/add.mjs", RIGHT_ADD);
        at.write("tests/add.mjs", `${code}${at.read("tests/add.mjs")}`);
        return at.verify();
      },
    },
  ]),
  {
    lie: "The file of an honest new test empties the table of another",
    message: "rates passes only with tests/a-sum.mjs",
    tell(at) {
      at.write("src/rate.mjs", "export const rate = (n) => n * 3;\n");
      at.write("src/add.mjs", RIGHT_ADD);
      const patch = 'JSON.parse = ((real) => (text) => (text.startsWith("[[1") ? [] : real(text)))(JSON.parse);\n';
      at.write("tests/a-sum.mjs", `${SUM_TEST}${patch}`);
      return at.verify();
    },
  },
  {
    lie: "The new test passes only in its second run",
    message: "tests: tests/sum.mjs: adds",
    async tell(at) {
      const marker = JSON.stringify(`${at.root}.marker`);
      at.write("src/add.mjs", WRONG_ADD);
      const body = `if (fs.existsSync(${marker})) return fs.rmSync(${marker});\n  fs.writeFileSync(${marker}, "");\n  same(add(1, 2), 3);`;
      at.write("tests/sum.mjs", `import fs from "node:fs";\n${IMPORT_ADD}test("adds", () => {\n  ${body}\n});\n`);
      const answer = await at.verify();
      fs.rmSync(`${at.root}.marker`, { force: true });
      return answer;
    },
  },
  ...BESIDE.map(({ lie, message, tell }): Lie<ChangeStand> => ({
    lie,
    message,
    tell(at) {
      at.write("src/add.mjs", RIGHT_ADD);
      at.write("tests/sum.mjs", SUM_TEST);
      tell(at);
      return at.verify();
    },
  })),
  ...IGNORED.map(([how, path, code, manifest]): Lie<ChangeStand> => ({
    lie: `Code that git ignores is loaded ${how}`,
    message: `imports ${path}, which no receipt covers`,
    tell(at) {
      at.write(
        path,
        path.endsWith(".json")
          ? '{ "sign": 1 }\n'
          : path.endsWith(".cjs")
            ? "exports.add = (a, b) => a + b;\n"
            : RIGHT_ADD,
      );
      if (manifest) at.write("package.json", manifest);
      at.write("src/add.mjs", code);
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  })),
  {
    lie: "A file of the code becomes a link to one that git ignores",
    message: "imports src/add.mjs, which no receipt covers",
    tell(at) {
      at.write(".sdd/lib/add.mjs", RIGHT_ADD);
      at.remove("src/add.mjs");
      fs.symlinkSync("../.sdd/lib/add.mjs", join(at.root, "src/add.mjs"));
      at.write("tests/sum.mjs", SUM_TEST);
      return at.verify();
    },
  },
  {
    lie: "The code lies in a submodule that no commit of this repository shows",
    message: "imports inner/add.mjs, which no receipt covers",
    async tell(at) {
      const inner = join(at.root, "inner");
      at.write("inner/add.mjs", RIGHT_ADD);
      git(inner, "init", "-q");
      git(inner, "add", "-A");
      git(inner, "commit", "-qm", "Begin");
      git(at.root, "add", "inner");
      at.write("src/add.mjs", 'export { add } from "../inner/add.mjs";\n');
      at.write("tests/sum.mjs", SUM_TEST);
      const answer = await at.verify();
      git(at.root, "reset", "-q");
      fs.rmSync(inner, { recursive: true });
      return answer;
    },
  },
  {
    lie: "New code is hidden from git by `core.excludesFile`",
    message: "src/hidden.mjs is code that git ignores",
    async tell(at) {
      at.write(".git/rules", "src/hidden.mjs\n");
      git(at.root, "config", "core.excludesFile", join(at.root, ".git/rules"));
      at.write("src/hidden.mjs", RIGHT_ADD);
      at.write("src/add.mjs", 'export { add } from "./hidden.mjs";\n');
      const answer = await at.verify();
      git(at.root, "config", "--unset", "core.excludesFile");
      return answer;
    },
  },
  {
    lie: "A program of `core.fsmonitor` tells git that nothing changed",
    message: "no longer notices broken code",
    async tell(at) {
      fs.writeFileSync(join(at.root, ".git/watch"), '#!/bin/sh\nprintf "t\\0"\n', { mode: 0o755 });
      git(at.root, "config", "core.fsmonitor", join(at.root, ".git/watch"));
      git(at.root, "update-index", "--fsmonitor");
      git(at.root, "status");
      at.write("src/mul.mjs", BROKEN_MUL);
      at.write("tests/mul.mjs", MUL_TEST.replace("same(mul(-2, 3), -6)", "mul(-2, 3)"));
      const answer = await at.verify();
      git(at.root, "config", "--unset", "core.fsmonitor");
      git(at.root, "update-index", "--no-fsmonitor");
      return answer;
    },
  },
];
