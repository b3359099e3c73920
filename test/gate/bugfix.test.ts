import { afterAll, beforeAll, expect, test } from "vitest";
import { type ProjectStand, typescriptStand } from "./project.ts";

const ID = "BUG-042";
const PLAIN = 'test("halves nothing", () => expect(half(0)).toBe(0));\n';
const SHOWING = 'test("halves four", () => expect(half(4)).toBe(2));\n';
const TAG = `// @spec ${ID}\n`;
const testing = (...parts: string[]): string =>
  ['import { expect, test } from "vitest";\nimport { half } from "../src/half.ts";\n', ...parts].join("");

let it: ProjectStand;

beforeAll(async () => {
  it = await typescriptStand({ "src/half.ts": "export const half = (n: number): number => n / 3;\n" });
  await it.trust();
  await it.run("workflow.bugfix", { description: "Half is a third", id: ID });
  it.fill(ID);
  for (const stage of ["investigate", "specify-fix"]) {
    const answer = await it.advance(ID, { stage });
    if (!answer.passed) throw new Error(`${stage} did not pass: ${JSON.stringify(answer.checks)}`);
  }
  it.write("src/half.ts", `/** @spec ${ID} */\nexport const half = (n: number): number => n / 2;\n`);
}, 120_000);
afterAll(() => it[Symbol.dispose]());

const CHECK = "regression-seen-to-fail";
test.each<[string, string, string[]]>([
  [
    "without a test that fails without it",
    testing(TAG, PLAIN),
    [`${CHECK}: tests/half.test.ts: halves nothing passes without your change, so it does not test the new behaviour.`],
  ],
  [
    "with the tag on a different test",
    testing(SHOWING, TAG, PLAIN),
    [`${CHECK}: tests/half.test.ts: halves nothing passes without your change, so it does not test the new behaviour.`],
  ],
  ["with a test that names the bug and proves it", testing(PLAIN, TAG, SHOWING), []],
])("judges a fix %s", async (_, text, open) => {
  it.write("tests/half.test.ts", text);
  expect((await it.gate(ID)).open).toEqual(open);
});

test("writes a receipt for a last stage that its document had blocked", async () => {
  expect((await it.advance(ID, { stage: "fix" })).passed).toBe(true);
  const spec = it.read(`sdd/specs/${ID}.yaml`);
  it.write(`sdd/specs/${ID}.yaml`, spec.replace(/^regression_prevention:\n(?: .*\n)+/m, ""));
  expect((await it.run("workflow.advance", { id: ID, stage: "verify" })).passed).toBe(false);
  it.write(`sdd/specs/${ID}.yaml`, spec);
  const done = await it.advance(ID, { stage: "verify" });
  expect([done.passed, done["receipt"]]).toEqual([true, expect.stringMatching(/^BUG-042\.R-\d+$/)]);
  expect(await it.run("gate.verify", {})).toMatchObject({ passed: true });
});
