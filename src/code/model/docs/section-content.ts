import { formatMarkdownTable } from "#kernel/model/document/markdown-table.ts";
import { isSpecItem, type TraceMatrixRow } from "../trace/trace-matrix.ts";
import { formatOneLine } from "../summary/summary-text.ts";

/** Has no line numbers: they would change the document with every edit. */
type FeaturePageFacts = Readonly<Record<"id" | "title" | "specPath" | "summary", string>> &
  Readonly<{
    status?: string | undefined;
    criteria: readonly Readonly<{ id: string; text: string; tests: number }>[];
    code: readonly Readonly<{ path: string; ref?: string | undefined }>[];
    tests: readonly Readonly<{ path: string; test?: string | undefined }>[];
    docs: readonly string[];
  }>;

export interface DocsSectionData {
  readonly components: readonly (Readonly<Record<"ref" | "kind" | "path" | "summary", string>> & {
    readonly specs: readonly string[];
  })[];
  readonly otherComponents: number;
  readonly matrix: readonly TraceMatrixRow[];
  readonly summaries: ReadonlyMap<string, string>;
  readonly docs: readonly Readonly<Record<"path" | "type" | "title" | "summary", string>>[];
  readonly feature: (id: string) => FeaturePageFacts | undefined;
}

type SectionKind = "components" | "matrix" | "specs" | "docs";

const SECTION_ALIASES: Readonly<Record<SectionKind, readonly string[]>> = {
  components: ["components", "component-list", "component-catalog", "component-catalogue", "catalog", "catalogue"],
  matrix: ["matrix", "traceability", "traceability-matrix", "trace-matrix"],
  specs: ["specs", "spec-list", "specifications"],
  docs: ["docs", "doc-list", "documents", "document-list"],
};

export function formatSectionContent(material: DocsSectionData, path: string, name: string): string | undefined {
  const [word = "", id] = name.split(":");
  const kind = word.toLowerCase();
  if (kind === "feature") {
    const facts = material.feature(id ?? path.replace(/^.*\/|\.md$/gi, ""));
    return facts && formatFeatureSection(facts, path);
  }
  if (id !== undefined) return undefined;
  const found = (Object.keys(SECTION_ALIASES) as SectionKind[]).find((each) => SECTION_ALIASES[each].includes(kind));
  return found && SECTION_FORMATTERS[found](material, path);
}

const SECTION_FORMATTERS: Readonly<Record<SectionKind, (material: DocsSectionData, path: string) => string>> = {
  components: ({ components, otherComponents }, from) => {
    const rows = components.map(({ ref, kind, path, summary, specs }) => {
      const link = formatFileLink(from, path, formatInlineCode(path));
      return [formatInlineCode(ref), kind, link, escapeSectionCell(summary), specs.join(", ")];
    });
    return formatSectionTable(["Component", "Type", "File", "What it does", "Specs"], rows, otherComponents);
  },
  matrix: ({ matrix }) => {
    const rows = matrix.map(({ id, title, code, tests, docs }) => {
      return [id, escapeSectionCell(title), ...[code, tests, docs].map(formatCountOrCross)];
    });
    return formatSectionTable(["Spec ID", "Title", "Code", "Tests", "Docs"], rows);
  },
  specs: ({ matrix, summaries }) => {
    const rows = matrix.filter(isSpecItem).map(({ id, title, status = "", criteria, covered }) => {
      const tested = criteria === 0 ? "" : `${covered} of ${criteria}`;
      return [id, escapeSectionCell(title), status, tested, escapeSectionCell(summaries.get(id) ?? "")];
    });
    return formatSectionTable(["Spec", "Title", "Status", "Criteria with tests", "Summary"], rows);
  },
  docs: ({ docs }, from) => {
    const rows = docs.map(({ path, type, title, summary }) => {
      return [formatFileLink(from, path, escapeSectionCell(title)), type, escapeSectionCell(summary)];
    });
    return formatSectionTable(["Document", "Type", "Summary"], rows);
  },
};

const MAX_SECTION_ITEMS = 50;

function formatFeatureSection(facts: FeaturePageFacts, from: string): string {
  const { id, title, status, specPath, summary, criteria, code, tests, docs } = facts;
  const linkPath = (path: string): string => formatFileLink(from, path, formatInlineCode(path));
  const linkPart = (path: string, part: string | undefined): string =>
    `${linkPath(path)}${part === undefined ? "" : `: ${part}`}`;
  const rows = criteria.map((each) => [each.id, escapeSectionCell(each.text), formatCountOrCross(each.tests)]);
  const inCode = code.map(({ path, ref }) => linkPart(path, ref === undefined ? ref : formatInlineCode(ref)));
  const inTests = tests.map(({ path, test }) => linkPart(path, test === undefined ? test : escapeSectionCell(test)));
  const blocks = [
    `# ${id}: ${escapeSectionCell(title)}`,
    escapeSectionCell(summary),
    `Spec: ${linkPath(specPath)}${status === undefined ? "" : `, ${status}`}`,
    "## Acceptance criteria",
    formatSectionTable(["Criterion", "Text", "Tests"], rows),
    "## Code",
    formatSectionList(inCode),
    "## Tests",
    formatSectionList(inTests),
    "## Documents",
    formatSectionList(docs.filter((path) => path !== from).map(linkPath)),
  ];
  return blocks.join("\n\n");
}

function formatSectionList(items: readonly string[]): string {
  const each = [...new Set(items)];
  if (each.length === 0) return "None yet.";
  const shown = each.slice(0, MAX_SECTION_ITEMS).map((item) => `- ${item}`);
  return [...shown, ...(each.length > shown.length ? [`- and ${each.length - shown.length} more`] : [])].join("\n");
}

const MAX_TABLE_ROWS = 300;
const MAX_TABLE_CELL = 300;

function formatSectionTable(columns: readonly string[], rows: readonly (readonly string[])[], more = 0): string {
  if (rows.length === 0) return "Nothing yet.";
  const left = rows.length - MAX_TABLE_ROWS + more;
  return [
    formatMarkdownTable(columns, rows.slice(0, MAX_TABLE_ROWS)),
    ...(left > 0 && rows.length + more > MAX_TABLE_ROWS ? ["", `And ${left} more.`] : []),
  ].join("\n");
}

/** Escapes `*` and `_` exactly where Prettier does, so that a page passes the user's own format check. */
const escapeSectionCell = (text: string): string =>
  formatOneLine(text)
    .slice(0, MAX_TABLE_CELL)
    .replace(/`[^`]*`|[^`\s]+/g, (part) => (part.startsWith("`") && part.length > 1 ? part : escapeSectionWord(part)))
    .replaceAll("|", "\\|");

const escapeSectionWord = (word: string): string =>
  word
    .replace(/[<>&*]/g, (mark) => MARKUP_ESCAPES[mark] ?? mark)
    .replace(/(?<=^|[\p{P}!-/:-@[-`{-~])_+|_+(?=[\p{P}!-/:-@[-`{-~]|$)/gu, (marks) => marks.replaceAll("_", "\\_"));

const MARKUP_ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "*": "\\*" };

const formatInlineCode = (text: string): string =>
  `\`${formatOneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

function formatFileLink(from: string, target: string, words: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  const address = target
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[()'*!~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`))
    .join("/");
  return `[${words.replace(/[[\]]/g, "\\$&")}](${up}${address})`;
}

const formatCountOrCross = (n: number): string => (n === 0 ? "✗" : String(n));
