import type * as change from "../change/stand.ts";
import { SUM_TEST } from "./test-deceptions.ts";

/** Honest work near the lies at the end of a small fix. It passes, and `tenon ci --strict` finds nothing. */
export const HONEST_ENDS: readonly {
  readonly honest: string;
  readonly description?: string;
  readonly write: (at: change.ChangeStand) => void;
}[] = [
  {
    honest: "A fix with a test that fails without it",
    write(at) {
      at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
      at.write("tests/sum.mjs", SUM_TEST);
    },
  },
  {
    honest: "A typo in a text of the code",
    description: "Fix the typo in the greeting",
    write: (at) => at.write("src/greet.mjs", 'export const greet = () => "Hello";\n'),
  },
  {
    honest: "A fix whose new test sets a value of the product and puts it back",
    write(at) {
      at.write("src/tax.mjs", "export const tax = { add: (n) => n * tax.rate, rate: 1.2 };\n");
      at.write(
        "tests/rate.mjs",
        'import { tax } from "../src/tax.mjs";\n\ntest("uses the rate", () => {\n  tax.rate = 2;\n  same(tax.add(2), 4);\n  tax.rate = 1.2;\n});\n',
      );
    },
  },
  {
    honest: "A fix whose test uses a new helper",
    write(at) {
      at.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
      at.write("tests/aaa.mjs", "export const state = {};\nstate.limit = 4;\nglobalThis.limit = state.limit;\n");
      at.write("tests/sum.mjs", SUM_TEST.replace("4)", "globalThis.limit)"));
    },
  },
  {
    honest: "A fix that reads its arguments and its environment",
    write(at) {
      const wide = 'process.argv.includes("--tests-only") || process.env.NODE_ENV === "production"';
      at.write("src/add.mjs", `export const add = (a, b) => a + b;\nexport const isWide = () => ${wide};\n`);
      at.write("tests/sum.mjs", SUM_TEST);
    },
  },
];
