import { parseHeadings, parseProseLines } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { parseConstraintItems } from "../project/business-rules.ts";
import { checkProjectDocument, type DocumentReferences } from "../project/document.ts";
import type { ProjectDocumentStage } from "../project/flow.ts";
import { type NumberedItem, findItemProblems, splitListItems } from "../project/items.ts";
import { parseRequirementItems } from "../project/requirements.ts";
import { quote } from "../quote.ts";
import type { Drafts } from "./drafts.ts";

/**
 * All problems of documents that the caller wrote. `around` are the documents they may refer to. Numbering is checked
 * here, because no earlier step assigns ids.
 */
export function problemsOf(given: Partial<Drafts>, around: DocumentReferences): Problem[] {
  return CHECKS.flatMap(([name, stage, numbering]) => {
    const text = given[name];
    if (text === undefined) return [];
    const found = [...numbering(text), ...checkProjectDocument(stage, text, around)].map(({ problem }) => problem);
    return [...new Set(found)].map((problem) => ({ problem: `${name}: ${problem}` }));
  });
}

const CHECKS: readonly (readonly [keyof Drafts, ProjectDocumentStage, (text: string) => Problem[]])[] = [
  ["requirements", "specify", requirementNumbering],
  ["business_rules", "business-rules", ruleNumbering],
  ["design", "design", () => []],
];

function requirementNumbering(text: string): Problem[] {
  const all = unique(parseRequirementItems(text));
  return [
    ...findItemProblems(
      all.filter(({ priority }) => priority !== undefined),
      "FR",
      "the functional requirements",
    ),
    ...findItemProblems(
      all.filter(({ priority }) => priority === undefined),
      "NFR",
      "the non-functional requirements",
    ),
    ...bare(text, /^(?:must|should|could|won[’']t) have|^non-functional/i, "requirement"),
  ];
}

function ruleNumbering(text: string): Problem[] {
  return [
    ...findItemProblems(unique(parseConstraintItems(text)), "BR", "the constraints"),
    ...bare(text, /^constraints/i, "constraint"),
  ];
}

function sectionsOf(text: string, name: RegExp): string[] {
  const lines = parseProseLines(text);
  const parts = parseHeadings(lines);
  return parts.flatMap((heading, i) => {
    if (!name.test(heading.text)) return [];
    const end = parts[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    return [
      lines
        .filter(({ number }) => number > heading.line && number < end)
        .map((line) => line.text)
        .join("\n"),
    ];
  });
}

const bare = (text: string, name: RegExp, what: string): Problem[] =>
  sectionsOf(text, name).flatMap((body) =>
    /^(?:[-*+]|\d+[.)])\s/m.test(body)
      ? splitListItems(body)
          .filter(({ id }) => id === undefined)
          .map((item) => ({ problem: `A ${what} has no id: ${quote(item.text.split("\n", 1)[0] ?? "", 80)}.` }))
      : [],
  );

const unique = <T extends NumberedItem>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
