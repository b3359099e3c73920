import { expect, test } from "vitest";
import { describeAbsentTools } from "./gate-readiness.ts";

test.each([
  [[], []],
  [
    [
      {
        program: "cargo-llvm-cov",
        directory: ".",
        kinds: ["coverage" as const],
        install: "cargo install cargo-llvm-cov",
      },
    ],
    ["Gates cannot run coverage: cargo-llvm-cov is not installed. Install it: cargo install cargo-llvm-cov"],
  ],
  [
    [
      { program: "eslint", directory: "web", kinds: ["lint" as const], install: "npm ci" },
      { program: "vitest", directory: "web", kinds: ["test" as const, "coverage" as const], install: "npm ci" },
    ],
    ["Gates cannot run lint, test, coverage: eslint, vitest are not installed. Install them in web: npm ci"],
  ],
])("prints one sentence per missing installation", (absent, expected) => {
  expect(describeAbsentTools(absent)).toEqual(expected);
});
