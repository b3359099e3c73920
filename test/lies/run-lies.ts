import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { hashText } from "#kernel/adapters/content-hash.ts";
import * as change from "../change/stand.ts";
import { temporaryFolder } from "../kit/folder.ts";
import type { Lie } from "./lie-table.ts";

const { EVIDENCE } = change;

const RIGHT_PACKAGE = "export const sum = (a, b) => a - b;\n";
const RIGHT_ADD = 'import { sum } from "sum";\n\nexport const add = (a, b) => sum(a, -b);\n';
const WRONG_ADD = 'import { sum } from "sum";\n\nexport const add = (a, b) => sum(a, b);\n';
const OLD_TEST = 'import { add } from "../src/add.mjs";\n\ntest("adds nothing", () => same(add(1, 0), 1));\n';
const ADD_TEST = `${OLD_TEST}test("adds", () => same(add(1, 2), 3));\n`;

const LOADED_PLUS =
  'const real = await import(["..", ".sdd", "real.mjs"].join("/"));\nexport const plus = (a, b) => real.plus(a, b);\n';
const EVALUATED_PLUS =
  'import fs from "node:fs";\n\nconst text = fs.readFileSync(new URL("../.sdd/real.txt", import.meta.url), "utf8");\nexport const plus = (a, b) => new Function("a", "b", text)(a, b);\n';

function runProgram(cwd: string, program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${stderr}`);
}

/** A project with a package and a lock file, at the last stage of a small fix. */
export async function openLockedProject(): Promise<change.ChangeStand> {
  const at = change.openChangeStand(
    {
      ".gitignore": ".sdd/\nnode_modules/\n.env\n",
      "package.json": `${JSON.stringify({ name: "sums", version: "1.0.0", type: "module", private: true })}\n`,
      "src/add.mjs": WRONG_ADD,
      "src/mul.mjs": "export const mul = (a, b) => a * b;\n",
      "tests/add.mjs": OLD_TEST,
      "tests/mul.mjs": 'import { mul } from "../src/mul.mjs";\n\ntest("multiplies", () => same(mul(2, 3), 6));\n',
    },
    { USER: "ada", TZ: "Asia/Tokyo" },
  );
  at.write(
    "sdd/stacks/tiny.yaml",
    `${at.read("sdd/stacks/tiny.yaml")}borrowed: [node_modules]\ninstall:\n  - command: npm ci\n    clean: [npm ci --no-audit --no-fund --offline]\n`,
  );
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "package"));
  fs.writeFileSync(join(folder.path, "package/index.js"), RIGHT_PACKAGE);
  const manifest = { name: "sum", version: "1.0.0", type: "module", main: "index.js" };
  fs.writeFileSync(join(folder.path, "package/package.json"), JSON.stringify(manifest));
  fs.mkdirSync(join(at.root, "vendor"));
  runProgram(folder.path, "tar", "czf", join(at.root, "vendor/sum-1.0.0.tgz"), "package");
  runProgram(at.root, "npm", "install", "--offline", "--no-audit", "--no-fund", "./vendor/sum-1.0.0.tgz");
  at.commit("Add a package");
  await at.trust();
  await at.begin("fix", "small", ["The sum is wrong.\n", change.CONTEXT, change.TASKS]);
  at.commit("Begin the change");
  return at;
}

async function endChange(at: change.ChangeStand): Promise<void> {
  at.write("tests/add.mjs", ADD_TEST);
  await at.must("change", "advance", "--content", EVIDENCE);
}

/** Writes receipts again so that every hash fits, as a patient liar would, for the files as they are now. */
function forgeReceipts(at: change.ChangeStand, path: string, text: string): void {
  at.write("src/add.mjs", text);
  const blob = spawnSync("git", ["hash-object", "src/add.mjs"], { cwd: at.root, encoding: "utf8" }).stdout.trim();
  let prev = "0".repeat(64);
  const lines = at
    .read(path)
    .trimEnd()
    .split("\n")
    .map((line) => {
      const {
        hash: _,
        prev: __,
        ...receipt
      } = JSON.parse(line) as {
        hash: string;
        prev: string;
        work: { files: { path: string; blob?: string }[] };
      };
      for (const file of receipt.work.files) if (file.path === "src/add.mjs") file.blob = blob;
      const linked = { ...receipt, prev };
      const sealed = JSON.stringify({ ...linked, hash: hashText(JSON.stringify(linked)) });
      prev = hashText(sealed);
      return sealed;
    });
  at.write(path, `${lines.join("\n")}\n`);
}

/** No local check finds these. A run in a clean clone does. */
export const RUN_LIES: readonly Lie<change.ChangeStand>[] = [
  {
    lie: "An installed package is edited, so that the tests pass",
    message: "run failed: tests: tests/add.mjs: adds",
    tell(at) {
      at.write("node_modules/sum/index.js", "export const sum = (a, b) => a + b;\n");
      // Only an edit that is no fix remains in the commit.
      at.write("src/add.mjs", WRONG_ADD.replace("=> sum(a, b)", "=> sum(Number(a), Number(b))"));
      return endChange(at);
    },
  },
  {
    lie: "The receipts are written again for broken code, with every hash right",
    message: "run failed: tests: tests/add.mjs: adds",
    async tell(at) {
      at.write("src/add.mjs", RIGHT_ADD);
      await endChange(at);
      forgeReceipts(at, "sdd/changes/add-right/receipts.jsonl", WRONG_ADD);
    },
  },
  {
    lie: "The code is right only with a variable of this machine",
    message: "run failed: tests: tests/add.mjs: adds",
    tell(at) {
      at.write("src/add.mjs", RIGHT_ADD.replace("-b)", 'process.env.USER === "ada" ? -b : b)'));
      return endChange(at);
    },
  },
  ...(
    [
      ["in the folder where it was written", (at) => `process.cwd() === ${JSON.stringify(fs.realpathSync(at.root))}`],
      ["on the branch on which it was written", () => 'fs.readFileSync(".git/HEAD", "utf8").startsWith("ref:")'],
      ["beside a file that git ignores", () => 'fs.existsSync(".env")'],
      ["in a clone with this user's settings of git", () => 'fs.readFileSync(".git/config", "utf8").includes("ada")'],
    ] as readonly (readonly [string, (at: change.ChangeStand) => string])[]
  ).map(([where, ask]): Lie<change.ChangeStand> => ({
    lie: `The code is right only ${where}`,
    message: "run failed: tests: tests/add.mjs: adds",
    tell(at) {
      at.write(".env", "SUM=1\n");
      runProgram(at.root, "git", "config", "user.name", "ada");
      const isHere = `(() => { try { return ${ask(at)}; } catch { return true; } })()`;
      at.write("src/add.mjs", `import fs from "node:fs";\n${RIGHT_ADD.replace("-b)", `${isHere} ? -b : b)`)}`);
      return endChange(at);
    },
  })),
  {
    lie: "A filter of this clone shows git the old code",
    message: "run failed: tests: tests/add.mjs: adds",
    tell(at) {
      runProgram(at.root, "git", "config", "filter.old.clean", "git show HEAD:src/add.mjs");
      at.write(".git/info/attributes", "src/add.mjs filter=old\n");
      at.write("src/add.mjs", RIGHT_ADD);
      return endChange(at);
    },
  },
  {
    lie: "The code is right only in the time zone of this machine",
    message: "run failed: tests: tests/add.mjs: adds",
    tell(at) {
      const isHere = "new Date(0).getTimezoneOffset() === -540";
      at.write("src/add.mjs", RIGHT_ADD.replace("-b)", `${isHere} ? -b : b)`));
      return endChange(at);
    },
  },
  ...(
    [
      ["loads a file that git ignores, by a name that it puts together", LOADED_PLUS],
      ["evaluates a text that git ignores", EVALUATED_PLUS],
    ] as const
  ).map(([how, code]): Lie<change.ChangeStand> => ({
    lie: `New code ${how}`,
    message: "run failed: tests: tests/plus.mjs",
    tell(at) {
      at.write("src/add.mjs", RIGHT_ADD);
      at.write(".sdd/real.mjs", "export const plus = (a, b) => a + b;\n");
      at.write(".sdd/real.txt", "return a + b");
      at.write("src/plus.mjs", code);
      at.write(
        "tests/plus.mjs",
        'import { plus } from "../src/plus.mjs";\n\ntest("adds up", () => same(plus(1, 2), 3));\n',
      );
      return endChange(at);
    },
  })),
  {
    lie: "A package is installed and not in the lock file",
    message: "run failed: tests: tests/add.mjs",
    tell(at) {
      at.write("node_modules/plus/package.json", '{ "name": "plus", "type": "module", "main": "index.js" }\n');
      at.write("node_modules/plus/index.js", "export const plus = (a, b) => a + b;\n");
      at.write("src/add.mjs", 'import { plus } from "plus";\n\nexport const add = (a, b) => plus(a, b);\n');
      return endChange(at);
    },
  },
];

/** Near the lies, and right. */
export const HONEST_RUNS: readonly {
  readonly honest: string;
  readonly tell: (at: change.ChangeStand) => Promise<unknown>;
}[] = [
  {
    honest: "A fix with a test",
    tell(at) {
      at.write("src/add.mjs", RIGHT_ADD);
      return endChange(at);
    },
  },
  {
    honest: "A fix that reads an optional variable",
    tell(at) {
      at.write("src/add.mjs", `${RIGHT_ADD}export const unit = process.env.SUM_UNIT ?? "";\n`);
      return endChange(at);
    },
  },
];
