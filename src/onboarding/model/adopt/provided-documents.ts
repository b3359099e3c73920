import { classifyFileRole } from "#code/model/survey/file-roles.ts";
import type { RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { parseConstraintItems, parseRequirementItems } from "#planning/model/project/requirement-items.ts";
import { checkProjectDocument, type DocumentReferences } from "#planning/model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { type NumberedItem, findItemProblems, splitListItems } from "#planning/model/project/requirement-lists.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import type { AdoptionDrafts } from "#planning/model/adopt/document-drafts.ts";

/** `around` are the documents they may refer to. Checks the numbering too, because no earlier step assigns ids. */
export const checkProvidedDocuments = (given: Partial<AdoptionDrafts>, around: DocumentReferences): Problem[] =>
  PROVIDED_DOCUMENT_CHECKS.flatMap(([name, stage, numbering]) => {
    const text = given[name];
    if (text === undefined) return [];
    const found = [...numbering(text), ...checkProjectDocument(stage, text, around)].map(({ problem }) => problem);
    return [...new Set(found)].map((problem) => ({ problem: `${name}: ${problem}` }));
  });

type CheckedCode = Pick<RepositorySurvey, "paths" | "refs" | "texts">;

/** Each functional requirement names product code, the names that it quotes occur in code, and its tests are tests. */
export const checkProvidedEvidence = (text: string, code: CheckedCode): Problem[] =>
  parseRequirementItems(text).flatMap(({ id, text: said }) => {
    const problems = [
      ...findEvidenceProblems(id, said, code),
      ...findTestLinkProblems(said, code),
      ...(id.startsWith("FR-") ? findUnknownNames(said, code) : []),
    ];
    return problems.map((problem) => ({ problem: `requirements: ${problem.replace("%", id)}` }));
  });

function findEvidenceProblems(id: string, said: string, { paths, refs, texts }: CheckedCode): string[] {
  const links = /\(evidence: ([^;)]+)/.exec(said)?.[1]?.split(/,\s*/) ?? [];
  if (links.length === 0)
    return id.startsWith("NFR-") ? [] : ['% names no evidence. End it with "(evidence: path#symbol)".'];
  const there = new Set(paths);
  return links.flatMap((each) => {
    const link = each.trim();
    const [path = "", line] = link.replace(/#.*$/, "").split(/:(?=\d+$)/);
    const role = classifyFileRole(path);
    const lines = texts.get(path)?.split("\n").length;
    const why = !there.has(path)
      ? "is not a file here"
      : id.startsWith("FR-") && role !== "product"
        ? `is ${role === "docs" ? "documentation" : `a file of kind "${role}"`}, not product code`
        : link.includes("#") && !refs.has(link)
          ? "names a symbol that the file does not define"
          : line !== undefined && lines !== undefined && Number(line) > lines
            ? `is beyond the end of the file, which has ${formatCount(lines, "line")}`
            : undefined;
    return why === undefined ? [] : [`the evidence ${quote(link, 120)} of % ${why}.`];
  });
}

function findTestLinkProblems(said: string, { paths }: CheckedCode): string[] {
  const links = /; tests: ([^;)]+)/.exec(said)?.[1]?.split(/,\s*/) ?? [];
  return links.flatMap((each) => {
    const path = each.trim().replace(/[#:].*$/, "");
    const why = !paths.includes(path)
      ? "is not a file here"
      : classifyFileRole(path) === "test"
        ? undefined
        : "is not a test";
    return why === undefined ? [] : [`the test ${quote(path, 120)} of % ${why}.`];
  });
}

/** Names in code marks, without routes, values and words with blanks. */
const QUOTED_NAME = /`([A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*)(?:\(\))?`/g;

function findUnknownNames(said: string, { texts }: CheckedCode): string[] {
  const names = [...said.matchAll(QUOTED_NAME)].map(([, name = ""]) => name);
  return [...new Set(names)].flatMap((name) => {
    const word = name.split(/\.|::|->/).at(-1) ?? name;
    const isThere = [...texts].some(([path, text]) => classifyFileRole(path) === "product" && text.includes(word));
    return isThere ? [] : [`% quotes ${quote(name, 80)}, which no product code contains.`];
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
