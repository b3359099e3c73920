import { classifyFileRole } from "#code/model/survey/file-roles.ts";
import type { RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { parseConstraintItems, parseRequirementItems } from "#planning/model/project/requirement-items.ts";
import { checkProjectDocument, type DocumentReferences } from "#planning/model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { type NumberedItem, findItemProblems, splitListItems } from "#planning/model/project/requirement-lists.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { AdoptionDrafts } from "#planning/model/adopt/document-drafts.ts";

/** `around` are the documents they may refer to. Checks the numbering too, because no earlier step assigns ids. */
export const checkProvidedDocuments = (given: Partial<AdoptionDrafts>, around: DocumentReferences): Problem[] =>
  PROVIDED_DOCUMENT_CHECKS.flatMap(([name, stage, numbering]) => {
    const text = given[name];
    if (text === undefined) return [];
    const found = [...numbering(text), ...checkProjectDocument(stage, text, around)].map(({ problem }) => problem);
    return [...new Set(found)].map((problem) => ({ problem: `${name}: ${problem}` }));
  });

export function checkProvidedEvidence(
  text: string,
  { paths, refs }: Pick<RepositorySurvey, "paths" | "refs">,
): Problem[] {
  const there = new Set(paths);
  return parseRequirementItems(text).flatMap(({ id, text: said }): Problem[] => {
    const links = /\(evidence: ([^;)]+)/.exec(said)?.[1]?.split(/,\s*/) ?? [];
    if (links.length === 0)
      return id.startsWith("NFR-")
        ? []
        : [{ problem: `requirements: ${id} names no evidence. End it with "(evidence: path#symbol)".` }];
    return links.flatMap((link) => {
      const path = link.trim().replace(/[#:].*$/, "");
      const role = classifyFileRole(path);
      const why = !there.has(path)
        ? "is not a file here"
        : id.startsWith("FR-") && role !== "product"
          ? `is ${role === "docs" ? "documentation" : `a file of kind "${role}"`}, not product code`
          : link.includes("#") && !refs.has(link.trim())
            ? "names a symbol that the file does not define"
            : undefined;
      return why === undefined
        ? []
        : [{ problem: `requirements: the evidence ${quote(link.trim(), 120)} of ${id} ${why}.` }];
    });
  });
}

type DocumentCheck = readonly [keyof AdoptionDrafts, ProjectDocumentStage, (text: string) => Problem[]];

const PROVIDED_DOCUMENT_CHECKS: readonly DocumentCheck[] = [
  ["requirements", "specify", checkRequirementNumbering],
  [
    "business_rules",
    "business-rules",
    (text) => [
      ...findItemProblems(keepUniqueItems(parseConstraintItems(text)), "BR", "the constraints"),
      ...findItemsWithoutId(text, /^constraints/i, "constraint"),
    ],
  ],
  ["design", "design", () => []],
];

function checkRequirementNumbering(text: string): Problem[] {
  const all = keepUniqueItems(parseRequirementItems(text));
  const functional = all.filter(({ priority }) => priority !== undefined);
  const qualities = all.filter(({ priority }) => priority === undefined);
  return [
    ...findItemProblems(functional, "FR", "the functional requirements"),
    ...findItemProblems(qualities, "NFR", "the non-functional requirements"),
    ...findItemsWithoutId(text, /^(?:must|should|could|won[’']t) have|^non-functional/i, "requirement"),
  ];
}

function listSectionTexts(text: string, name: RegExp): string[] {
  const lines = parseProseLines(text);
  const parts = parseHeadings(lines);
  return parts.flatMap((heading, i) => {
    if (!name.test(heading.text)) return [];
    const end = parts[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const inside = lines.filter(({ number }) => number > heading.line && number < end);
    return [inside.map((line) => line.text).join("\n")];
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
