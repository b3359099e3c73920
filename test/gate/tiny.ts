import fs from "node:fs";
import { join } from "node:path";
import type { ProcessContext } from "#app/application-host.ts";
import { type ProjectStand, projectStand } from "./project.ts";

/** Runs the tests of a folder, and tells of each as vitest does. */
const TEST = `import fs from "node:fs";
import { resolve } from "node:path";

const cases = [];
globalThis.test = (title, run) => cases.push({ title, run });
globalThis.same = (is, should) => {
  if (is !== should) throw new Error("expect(" + is + ") is not " + should);
};
const testResults = [];
for (const file of fs.readdirSync("tests")) {
  const name = resolve("tests", file);
  cases.length = 0;
  try {
    await import(name);
    const assertionResults = cases.map(({ title, run }) => {
      try {
        run();
        return { title, ancestorTitles: [], status: "passed" };
      } catch (error) {
        return { title, ancestorTitles: [], status: "failed", failureMessages: [String(error)] };
      }
    });
    testResults.push({ name, status: "passed", assertionResults });
  } catch (error) {
    testResults.push({ name, status: "failed", message: error.message, assertionResults: [] });
  }
}
fs.writeFileSync(process.argv[2], JSON.stringify({ testResults }));
const isBad = ({ status, assertionResults = [] }) => status === "failed" || assertionResults.some(isBad);
process.exit(testResults.some(isBad) ? 1 : 0);
`;

/** Complains of \`var\`, which it can mend, and of \`eval\`, which it cannot. */
const LINT = `import fs from "node:fs";

const [flag, ...files] = process.argv.slice(2);
if (flag === "--fix") {
  fs.appendFileSync("fixed.log", files.join(" ") + "\\n");
  for (const file of files) fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("var ", "let "));
}
const wrong = fs.readdirSync("src").flatMap((file) => {
  const text = fs.readFileSync("src/" + file, "utf8");
  return ["var ", "eval("].filter((word) => text.includes(word)).map((word) => file + ": " + word);
});
console.log(wrong.join("\\n"));
process.exit(wrong.length > 0 ? 1 : 0);
`;

/** Has bad days: of each word in \`days.log\` it makes one, and none when they are used up. */
const FORMAT = `import fs from "node:fs";

const [today, ...later] = fs.existsSync("days.log") ? fs.readFileSync("days.log", "utf8").split(" ") : [];
if (today) fs.writeFileSync("days.log", later.join(" "));
if (today === "silent") setInterval(() => undefined, 1000);
if (today === "killed") process.kill(process.pid, "SIGKILL");
`;

const PROFILE = `extends: generic
off: [test, lint, types, format, build]
checks:
  - kind: test
    tool: tests
    argv: [node, tools/test.mjs, "{report}"]
    report: { format: vitest-json }
  - kind: lint
    tool: lint
    argv: [node, tools/lint.mjs]
    fix: { argv: [node, tools/lint.mjs, --fix, "{files}"] }
  - kind: format
    tool: format
    argv: [node, tools/format.mjs]
    silence_s: 3
test_files: ["tests/**"]
source_files: ["src/**"]
control:
  - { file: "tools/*" }
`;

const CONFIG = `stack:
  directories: { ".": tiny }
gates:
  waived:
    types: There are none
    coverage: Nothing measures it
`;

export interface TinyStand extends ProjectStand {
  /** The seconds of each wait. */
  readonly waits: readonly number[];
  /** The files that each run of the fix was given. */
  fixes(): string[];
  /** What the second tool of a bad day makes of it, run by run. */
  days(...words: readonly ("silent" | "killed")[]): void;
}

interface Wish {
  /** Settings of gates, as lines of YAML. */
  readonly gates?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Done while it waits, by which wait it is. */
  readonly during?: (wait: number) => void;
}

/** The tools of such a project, and a little code. */
export const TINY: Readonly<Record<string, string>> = {
  "sdd/config.yaml": CONFIG,
  "sdd/stacks/tiny.yaml": PROFILE,
  "tools/test.mjs": TEST,
  "tools/lint.mjs": LINT,
  "tools/format.mjs": FORMAT,
  "src/add.mjs": "export const add = (a, b) => a + b;\n",
  "tests/add.mjs": 'import { add } from "../src/add.mjs";\n\ntest("adds", () => same(add(1, 2), 3));\n',
};

/** A project whose tools are small programs of its own, run as any others are; a feature is being built in it. */
export async function tinyStand({ gates = "", files = {}, during }: Wish = {}): Promise<TinyStand> {
  const waits: number[] = [];
  const wait: ProcessContext["wait"] = async (ms) => {
    waits.push(ms / 1000);
    during?.(waits.length);
  };
  const made = await projectStand(
    {
      ...TINY,
      "sdd/config.yaml": CONFIG + gates,
      ...files,
    },
    { wait },
  );
  await made.trust();
  await made.begin();
  made.write("tests/login.mjs", LOGIN_TEST);
  return {
    ...made,
    waits,
    fixes: () => (made.has("fixed.log") ? made.read("fixed.log").trimEnd().split("\n") : []),
    days: (...words) => fs.writeFileSync(join(made.root, "days.log"), words.join(" ")),
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}

const LOGIN_TEST = `import { login } from "../src/login.mjs";

// @spec AUTH-001.AC-1
test("lets the right code in", () => same(login("123456"), true));
`;

export const LOGIN = `// @spec AUTH-001
export const login = (code) => code === "123456";
`;
/** What the fix of lint mends. */
export const WITH_VAR = `// @spec AUTH-001
export function login(code) {
  var right = "123456";
  return code === right;
}
`;
/** What no tool mends. */
export const WRONG = LOGIN.replace("===", "!==");
