import { sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import {
  findAssertionPatches,
  findCodeTextTests,
  findTestDetections,
  type TestDetection,
  type TestedCode,
} from "../../model/gate/test-detection.ts";
import { type ChangedFile, splitAllowedFindings } from "./static-checks.ts";

/** Code that behaves differently under tests, and tests of a text. Both say nothing about it. Nothing if there is none. */
export function findTestDetectionProblems(files: readonly ChangedFile[]): GateCheckResult[] {
  const code = files.filter(({ isTest, look }) => !isTest && look);
  const tested: TestedCode = {
    files: code.map(({ path }) => path.split("/").slice(-2).join("/")),
    functions: code.flatMap(({ look }) =>
      (look?.definitions ?? []).flatMap(({ kind, text }) => (kind === "function" ? [text] : [])),
    ),
  };
  const testText = files.flatMap(({ isTest, text = "" }) => (isTest ? [text] : [])).join("\n");
  const found = files.flatMap(({ path, isTest, text, look, change }) => {
    if (text === undefined || !look) return [];
    const changed = new Set(change.added.map(({ number }) => number));
    const report = (lines: readonly TestDetection[], what: string) =>
      lines.map(({ line, text: shown, allowed }) => ({
        problem: `${path}:${line}: ${what}: ${sanitizeText(shown, 120)}`,
        line,
        allowed,
      }));
    if (isTest)
      return report(
        findCodeTextTests(text, look, changed, tested),
        "checks the text of your code and not what it does",
      );
    return [
      ...report(findTestDetections(text, look, changed), "asks whether tests run it"),
      ...report(findAssertionPatches(text, look, changed, testText), "replaces what tests check with"),
    ];
  });
  if (found.length === 0) return [];
  const { problems, allowed } = splitAllowedFindings(found);
  return [createProblemResult("test-detection", problems, allowed)];
}
