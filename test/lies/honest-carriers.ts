import * as change from "../change/stand.ts";

/** Honest work on a requirement, near the lies about its tag. */
interface HonestCarrier {
  readonly honest: string;
  readonly spec?: string;
  readonly tasks?: string;
  /** Committed and tagged before the change. */
  readonly before?: Readonly<Record<string, string>>;
  /** Without a text, the file is removed. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** Parts of what `ci --strict` shows, because the user was asked. */
  readonly asks?: readonly string[];
}

const ADDED = "### ADDED\n\n- FR-002: The sum shall double.";
const MODIFIED = "### MODIFIED\n\n- FR-001: The sum shall add three numbers.";
const TAG = "// @spec FR-002\n";
const createTest = (name: string, body: string, tag = TAG): string =>
  `import { ${name} } from "../src/twice.mjs";\n\n${tag}test("doubles", () => {\n  ${body}\n});\n`;
const VALUE = createTest("twice", "same(twice(2), 4);\n  same(twice(-3), -6);");

const FORMS: readonly (readonly [honest: string, code: string, test?: string])[] = [
  ["above an arrow function", `${TAG}export const twice = (a) => a * 2;\n`],
  [
    "in a comment of several lines above a function",
    `/**\n * Doubles.\n * @spec FR-002\n */\nexport function twice(a) {\n  return a * 2;\n}\n`,
  ],
  [
    "at the head of the file",
    `// Sums.\n${TAG}\nconst FACTOR = 2;\n\nexport function twice(a) {\n  return a * FACTOR;\n}\n`,
  ],
  ["inside the function", `export function twice(a) {\n  // @spec FR-002\n  return a * 2;\n}\n`],
  ["at the end of a line of the function", `export function twice(a) {\n  return a * 2; // @spec FR-002\n}\n`],
  ["above a constant that the function reads", `${TAG}const FACTOR = 2;\n\nexport const twice = (a) => a * FACTOR;\n`],
  [
    "above a table that the function reads",
    `${TAG}const FACTORS = {\n  double: 2,\n};\n\nexport const twice = (a) => a * FACTORS.double;\n`,
  ],
  [
    "above a pattern that the function matches",
    `${TAG}const SIGN = /^-/;\n\nexport const twice = (a) => (SIGN.test(String(a)) ? -(-a * 2) : a + a);\n`,
    createTest("twice", "same(twice(-3), -6);"),
  ],
  [
    "above the branch that does it",
    `export function twice(a, isDouble = true) {\n  // @spec FR-002\n  if (isDouble) {\n    return a * 2;\n  }\n  return a;\n}\n`,
  ],
  [
    "above a class, tested through a function",
    `${TAG}class Doubler {\n  run(a) {\n    return a * 2;\n  }\n}\n\nexport const twice = (a) => new Doubler().run(a);\n`,
  ],
  [
    "above one method of a class",
    `class Doubler {\n  ${TAG}  run(a) {\n    return a * 2;\n  }\n}\n\nexport const twice = (a) => new Doubler().run(a);\n`,
  ],
  [
    "above a call that registers a function",
    `const all = new Map();\n\n${TAG}all.set("double", (a) => {\n  const factor = 2;\n\n  return a * factor;\n});\n\nexport const twice = (a) => all.get("double")(a);\n`,
  ],
  [
    "above a helper that only another function calls",
    `${TAG}function multiply(a, b) {\n  return a * b;\n}\n\nexport const twice = (a) => multiply(a, 2);\n`,
  ],
  [
    "on two functions, of which the test reaches one",
    `${TAG}export const twice = (a) => a * 2;\n\n${TAG}export function describeTwice(a) {\n  return "twice " + a;\n}\n`,
  ],
  ["above a re-export", `${TAG}export { twice } from "./double.mjs";\n`],
  [
    "above an asynchronous function",
    `${TAG}export async function twice(a) {\n  return a * 2;\n}\n`,
    createTest(
      "twice",
      "const results = [];\n  twice(2).then((value) => results.push(value));\n  same(typeof twice(2).then, 'function');",
    ).replace(
      'test("doubles", () => {',
      'const doubled = await twice(2);\ntest("doubles", () => {\n  same(doubled, 4);',
    ),
  ],
  [
    "above a generator",
    `${TAG}export function* twice(a) {\n  yield a;\n  yield a * 2;\n}\n`,
    createTest("twice", "same([...twice(2)].join(), '2,4');"),
  ],
  [
    "above code that throws",
    `${TAG}export function twice(a) {\n  if (typeof a !== "number") throw new TypeError("Not a number");\n  return a * 2;\n}\n`,
    createTest(
      "twice",
      "let said = '';\n  try {\n    twice('2');\n  } catch (error) {\n    said = error.message;\n  }\n  same(said, 'Not a number');",
    ),
  ],
  [
    "above the code, and at the head of the test file",
    `${TAG}export const twice = (a) => a * 2;\n`,
    `${TAG}${createTest("twice", "same(twice(2), 4);", "")}`,
  ],
  [
    "above a setter of a default",
    `${TAG}const defaults = { factor: 2 };\n\nexport const twice = (a, { factor } = defaults) => a * factor;\n`,
  ],
];

export const HONEST_CARRIERS: readonly HonestCarrier[] = [
  ...FORMS.map(([honest, code, test = VALUE]): HonestCarrier => ({
    honest: `The tag of a requirement is ${honest}`,
    files: {
      "src/twice.mjs": code,
      "tests/twice.mjs": test,
      ...(code.includes("./double.mjs") ? { "src/double.mjs": "export const twice = (a) => a * 2;\n" } : {}),
    },
  })),
  {
    honest: "An old test gets a further value, and the tag",
    before: {
      "src/twice.mjs": "export const twice = (a) => (a === 1 ? 2 : a);\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1), 2);", ""),
    },
    files: {
      "src/twice.mjs": `${TAG}export const twice = (a) => a * 2;\n`,
      "tests/twice.mjs": createTest("twice", "same(twice(1), 2);\n  same(twice(4), 8);"),
    },
  },
  {
    honest: "A requirement is written down that held before, and a comment says so",
    asks: ["add-right/tests: the answer", "Only tests changed that pass without the code too"],
    before: { "src/twice.mjs": "export const twice = (a) => a * 2;\n" },
    files: {
      "src/twice.mjs": `${TAG}export const twice = (a) => a * 2;\n`,
      "tests/twice.mjs": VALUE.replace(TAG, `${TAG}// tenon-allow: Doubling was there\n`),
    },
  },
  {
    honest: "A modified requirement changes its code and its test",
    spec: MODIFIED,
    tasks: "- [ ] TASK-001: Add three (FR-001)\n",
    before: {
      "src/twice.mjs": "// @spec FR-001\nexport const twice = (a, b) => a + b;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1, 2), 3);", "// @spec FR-001\n"),
    },
    files: {
      "src/twice.mjs": "// @spec FR-001\nexport const twice = (a, b, c = 0) => a + b + c;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1, 2), 3);\n  same(twice(1, 2, 4), 7);", "// @spec FR-001\n"),
    },
  },
  {
    honest: "A requirement gets another number, and its tags follow",
    spec: "### RENAMED\n\n- FR-001 → FR-002",
    tasks: "- [ ] TASK-001: Rename it\n",
    before: {
      "src/twice.mjs": "// @spec FR-001\nexport const twice = (a) => a;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1), 1);", "// @spec FR-001\n"),
    },
    files: {
      "src/twice.mjs": "// @spec FR-002\nexport const twice = (a) => a * 2;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1), 2);"),
    },
    asks: ["add-right/tests: the answer"],
  },
  {
    honest: "A requirement is removed with its code and its test",
    spec: "### REMOVED\n\n- FR-001: The users left it.",
    tasks: "- [ ] TASK-001: Remove it\n",
    before: {
      "src/twice.mjs": "// @spec FR-001\nexport const twice = (a) => a;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(1), 1);", "// @spec FR-001\n"),
    },
    files: { "src/twice.mjs": undefined, "tests/twice.mjs": undefined },
    asks: ["add-right/tests: the answer"],
  },
  {
    honest: "A rule is added with its code and its test",
    spec: "### ADDED\n\n- BR-001: When a sum is doubled, then it is even.",
    tasks: "- [ ] TASK-001: Double (BR-001)\n",
    files: {
      "src/twice.mjs": "// @spec BR-001\nexport const twice = (a) => a * 2;\n",
      "tests/twice.mjs": createTest("twice", "same(twice(3), 6);", "// @spec BR-001\n"),
    },
  },
  {
    honest: "A quality is measured, and the code becomes fast",
    spec: "### ADDED\n\n- NFR-001: A sum shall take one step.",
    tasks: "- [ ] TASK-001: Speed it up (NFR-001)\n",
    before: {
      "src/twice.mjs": "export function twice(a) {\n  twice.steps = a;\n  return a * 2;\n}\n",
    },
    files: {
      "src/twice.mjs": "// @spec NFR-001\nexport function twice(a) {\n  twice.steps = 1;\n  return a * 2;\n}\n",
      "tests/twice.mjs": createTest("twice", "twice(5);\n  same(twice.steps, 1);", "// @spec NFR-001\n"),
    },
  },
];

export async function endHonestCarrier(at: change.ChangeStand, { spec = ADDED, tasks, files }: HonestCarrier) {
  const listed = tasks ?? "- [ ] TASK-001: Double (FR-002)\n";
  await at.begin("enhancement", "medium", [change.PROPOSAL, change.CONTEXT, change.createSpec(spec), listed]);
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) at.remove(path);
    else at.write(path, text);
  }
  const removed = Object.values(files).includes(undefined)
    ? ["--tests-removed", JSON.stringify([{ test: "doubles", reason: "Its requirement is removed" }])]
    : [];
  return at.verify(change.EVIDENCE, ...removed);
}
