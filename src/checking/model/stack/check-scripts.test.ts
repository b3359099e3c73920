import { expect, test } from "vitest";
import { findHiddenFailure } from "./check-scripts.ts";

test.each<[string, string | undefined]>([
  ["vitest run", undefined],
  ["vitest run || true", "|| true"],
  ["vitest run ||true", "|| true"],
  ["vitest run || :", "|| :"],
  ["vitest run || exit 0", "|| exit 0"],
  ["vitest run || exit 1", undefined],
  ["vitest run || exit", undefined],
  ["vitest run || echo failed", "|| echo failed"],
  ["vitest run || (echo failed && exit 1)", undefined],
  ["vitest run || (echo failed && exit 0)", "|| exit 0"],
  ["vitest run || { echo failed; true; }", "|| true"],
  ["vitest run || { echo failed; exit 1; }", undefined],
  ["vitest run; exit 0", "; exit 0"],
  ["vitest run ; true", "; true"],
  ["lint; test", "; test"],
  ["cd web; vitest run", undefined],
  ["CI=1; export CI; vitest run", undefined],
  ["set -e; lint; test", undefined],
  ["set -euo pipefail\nlint | tee log", undefined],
  ["set +e\nvitest run", "set +e"],
  ["set +o errexit; vitest run", "set +o errexit"],
  ["lint && test", undefined],
  ["a || b", undefined],
  ["eslint . | tee log", "| tee"],
  ["vitest run &", "&"],
  ["vitest run > log 2>&1", undefined],
  ["vitest run &> log", undefined],
  ['echo "a || true" && vitest run', undefined],
  ["echo 'x; exit 0' && vitest run", undefined],
  ["vitest run -t 'a || true'", undefined],
  ["vitest run -t a\\;b", undefined],
  ['sh -c "vitest run || true"', "|| true"],
  ["bash -c 'vitest; exit 0'", "; exit 0"],
  ["bash -ec 'lint; vitest'", undefined],
  ["eval 'vitest || :'", "|| :"],
  ["CI=1 sh -c 'vitest || true'", "|| true"],
  ["pylint --exit-zero src", "--exit-zero"],
  ["vitest run --passWithNoTests", "--passWithNoTests"],
  ["golangci-lint run --issues-exit-code=0", "--issues-exit-code=0"],
  ["echo '--exit-zero' && ruff check", undefined],
  ["files=$(git diff || true) && eslint $files", undefined],
  ["vitest run # || true", undefined],
  ["if [ -d x ]; then vitest run; fi", undefined],
  ["lint\ntest", "a new line and test"],
  ["lint \\\n  --fix", undefined],
  ["vitest 'unclosed || true", undefined],
  ["", undefined],
  ["vitest run || cat log", "|| cat log"],
  ["test -d out || mkdir out", undefined],
  ["[ -f x ] || true", "|| true"],
  ["! eslint .", "! eslint ."],
  ["! grep -r TODO src", undefined],
  ["trap 'exit 0' EXIT; set -e; vitest run", "trap exit 0 EXIT"],
  ["trap 'rm -r x' EXIT\nvitest run", undefined],
])("%j", (line, told) => {
  expect(findHiddenFailure(line)).toBe(told);
});

test.each([
  ["brackets", "(".repeat(3_900)],
  ["quotes", `sh -c ${"'".repeat(3_901)}`],
  ["shells", `${"sh -c ".repeat(600)}x`],
])("reads a line that contains only %s in a short time", (_, line) => {
  expect(findHiddenFailure(line)).toBe(undefined);
});

test("finds calls behind a line that is too long to read", () => {
  expect(findHiddenFailure(`vitest run ${"x".repeat(4_000)} || true`)).toBe("more than 4000 characters");
});
