import { Fault } from "#kernel/model/fault.ts";
import * as change from "../change/stand.ts";
import { MUL_TEST } from "./change-lies.ts";
import { HELPED_FILES } from "./silenced-tests.ts";
import { TAX_TEST } from "./test-deceptions.ts";

/** Committed before the work. */
export const FIRST_FILES = {
  ...HELPED_FILES,
  "sdd/requirements.md": change.REQUIREMENTS,
  "src/add.mjs": "export const add = (a, b) => a - b;\n",
  "src/mul.mjs": "export const mul = (a, b) => a * b;\n",
  "src/tax.mjs": "export const tax = { add: (n) => n * 1.2 };\n",
  "src/greet.mjs": 'export const greet = () => "Helo";\n',
  "tests/setup.mjs": "export const limit = 3;\n",
  "tests/tax.mjs": TAX_TEST,
  "tests/add.mjs": 'test("stands", () => same(1, 1));\n',
  "tests/mul.mjs": MUL_TEST,
};

/** A refusal is an answer that did not pass, or a fault. Gives it as text. */
export async function readRefusal(told: Promise<unknown>): Promise<string> {
  const answer = await told.catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    return { passed: false, error: { code: error.code, what: error.what, why: error.why } };
  });
  const { passed, error } = answer as { passed?: boolean; error?: object };
  return passed === false || error !== undefined ? JSON.stringify(answer) : "It passed.";
}
