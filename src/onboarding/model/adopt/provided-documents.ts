import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { parseConstraintItems, parseRequirementItems } from "#planning/model/project/requirement-items.ts";
import { checkProjectDocument, type DocumentReferences } from "#planning/model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { type NumberedItem, findItemProblems, splitListItems } from "#planning/model/project/requirement-lists.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { AdoptionDrafts } from "#planning/model/adopt/document-drafts.ts";

/**
 * All problems of documents that the caller wrote. `around` are the documents they may refer to. Numbering is checked
 * here, because no earlier step assigns ids.
 */
export function checkProvidedDocuments(given: Partial<AdoptionDrafts>, around: DocumentReferences): Problem[] {
  return PROVIDED_DOCUMENT_CHECKS.flatMap(([name, stage, numbering]) => {
    const text = given[name];
    if (text === undefined) return [];
    const found = [...numbering(text), ...checkProjectDocument(stage, text, around)].map(({ problem }) => problem);
    return [...new Set(found)].map((problem) => ({ problem: `${name}: ${problem}` }));
  });
}

const PROVIDED_DOCUMENT_CHECKS: readonly (readonly [
  keyof AdoptionDrafts,
  ProjectDocumentStage,
  (text: string) => Problem[],
])[] = [
  ["requirements", "specify", checkRequirementNumbering],
  ["business_rules", "business-rules", checkRuleNumbering],
  ["design", "design", () => []],
];

function checkRequirementNumbering(text: string): Problem[] {
  const all = keepUniqueItems(parseRequirementItems(text));
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
    ...findItemsWithoutId(text, /^(?:must|should|could|won[’']t) have|^non-functional/i, "requirement"),
  ];
}

function checkRuleNumbering(text: string): Problem[] {
  return [
    ...findItemProblems(keepUniqueItems(parseConstraintItems(text)), "BR", "the constraints"),
    ...findItemsWithoutId(text, /^constraints/i, "constraint"),
  ];
}

function listSectionTexts(text: string, name: RegExp): string[] {
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

const findItemsWithoutId = (text: string, name: RegExp, what: string): Problem[] =>
  listSectionTexts(text, name).flatMap((body) =>
    /^(?:[-*+]|\d+[.)])\s/m.test(body)
      ? splitListItems(body)
          .filter(({ id }) => id === undefined)
          .map((item) => ({ problem: `A ${what} has no id: ${quote(item.text.split("\n", 1)[0] ?? "", 80)}.` }))
      : [],
  );

const keepUniqueItems = <T extends NumberedItem>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
