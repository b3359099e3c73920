import { sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import { findTestDetections } from "../../model/gate/test-detection.ts";
import { type ChangedFile, splitAllowedFindings } from "./static-checks.ts";

/** Product code that behaves differently under tests, so that they say nothing about it. Nothing if there is none. */
export function findTestDetectionProblems(files: readonly ChangedFile[]): GateCheckResult[] {
  const found = files.flatMap(({ path, isTest, text, look, change }) =>
    isTest || text === undefined || !look
      ? []
      : findTestDetections(text, look, new Set(change.added.map(({ number }) => number))).map(
          ({ line, text: code, allowed }) => ({
            problem: `${path}:${line}: asks whether tests run it: ${sanitizeText(code, 120)}`,
            line,
            allowed,
          }),
        ),
  );
  if (found.length === 0) return [];
  const { problems, allowed } = splitAllowedFindings(found);
  return [createProblemResult("test-detection", problems, allowed)];
}
