import { expect, test } from "vitest";
import { type CommandInvocation, formatInvocationLine } from "./shell-command.ts";

test.each<[CommandInvocation, Readonly<Record<string, string>> | undefined, string]>([
  [{ argv: ["a", "b c", "$d"] }, undefined, 'a "b c" "\\$d"'],
  [
    { argv: ["vitest", "run", "--outputFile={report}", "{files}"] },
    undefined,
    "vitest run --outputFile={report} {files}",
  ],
  [{ argv: ["a", "\u001b[2J"] }, undefined, 'a "\\u001b[2J"'],
  [{ shell: "a | b" }, undefined, 'sh -c "a | b"'],
  [{ argv: ["cargo", "test"] }, { RUSTC_BOOTSTRAP: "1", TZ: "a b" }, 'RUSTC_BOOTSTRAP=1 TZ="a b" cargo test'],
])("quotes %j", (run, variables, expected) => {
  expect(formatInvocationLine(run, variables)).toBe(expected);
});
