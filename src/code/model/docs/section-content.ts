import { isSpecItem, type TraceMatrixRow } from "../trace/trace-matrix.ts";
import { formatOneLine } from "../summary/summary-text.ts";

/** Has no line numbers: they would change the document with every edit. */
export interface FeaturePageFacts {
  readonly id: string;
  readonly title: string;
  readonly status?: string | undefined;
  readonly specPath: string;
  readonly summary: string;
  readonly criteria: readonly { readonly id: string; readonly text: string; readonly tests: number }[];
  readonly code: readonly { readonly path: string; readonly ref?: string | undefined }[];
  readonly tests: readonly { readonly path: string; readonly test?: string | undefined }[];
  readonly docs: readonly string[];
}

export interface DocsSectionData {
  readonly components: readonly {
    readonly ref: string;
    readonly kind: string;
    readonly path: string;
    readonly summary: string;
    readonly specs: readonly string[];
  }[];
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
  components: ({ components, otherComponents }, from) =>
    formatMarkdownTable(
      ["Component", "Type", "File", "What it does", "Specs"],
      components.map(({ ref, kind, path, summary, specs }) => [
        formatInlineCode(ref),
        kind,
        formatFileLink(from, path, formatInlineCode(path)),
        escapeSectionCell(summary),
        specs.join(", "),
      ]),
      otherComponents,
    ),
  matrix: ({ matrix }) =>
    formatMarkdownTable(
      ["Spec ID", "Title", "Code", "Tests", "Docs"],
      matrix.map(({ id, title, code: carried, tests, docs }) => [
        id,
        escapeSectionCell(title),
        ...[carried, tests, docs].map(formatCountOrCross),
      ]),
    ),
  specs: ({ matrix, summaries }) =>
    formatMarkdownTable(
      ["Spec", "Title", "Status", "Criteria with tests", "Summary"],
      matrix
        .filter(isSpecItem)
        .map(({ id, title, status = "", criteria, covered }) => [
          id,
          escapeSectionCell(title),
          status,
          criteria === 0 ? "" : `${covered} of ${criteria}`,
          escapeSectionCell(summaries.get(id) ?? ""),
        ]),
    ),
  docs: ({ docs }, from) =>
    formatMarkdownTable(
      ["Document", "Type", "Summary"],
      docs.map(({ path, type, title, summary }) => [
        formatFileLink(from, path, escapeSectionCell(title)),
        type,
        escapeSectionCell(summary),
      ]),
    ),
};

const MAX_SECTION_ITEMS = 50;

function formatFeatureSection(facts: FeaturePageFacts, from: string): string {
  const { id, title, status, specPath, summary, criteria, code: carried, tests, docs } = facts;
  const linkPath = (path: string): string => formatFileLink(from, path, formatInlineCode(path));
  const blocks = [
    `# ${id}: ${escapeSectionCell(title)}`,
    escapeSectionCell(summary),
    `Spec: ${linkPath(specPath)}${status === undefined ? "" : `, ${status}`}`,
    "## Acceptance criteria",
    formatMarkdownTable(
      ["Criterion", "Text", "Tests"],
      criteria.map((each) => [each.id, escapeSectionCell(each.text), formatCountOrCross(each.tests)]),
    ),
    "## Code",
    formatSectionList(
      carried.map(({ path, ref }) => `${linkPath(path)}${ref === undefined ? "" : `: ${formatInlineCode(ref)}`}`),
    ),
    "## Tests",
    formatSectionList(
      tests.map(({ path, test }) => `${linkPath(path)}${test === undefined ? "" : `: ${escapeSectionCell(test)}`}`),
    ),
    "## Documents",
    formatSectionList(docs.filter((path) => path !== from).map(linkPath)),
  ];
  return blocks.join("\n\n");
}

function formatSectionList(items: readonly string[]): string {
  const each = [...new Set(items)];
  if (each.length === 0) return "None yet.";
  const more = each.length - MAX_SECTION_ITEMS;
  return [
    ...each.slice(0, MAX_SECTION_ITEMS).map((item) => `- ${item}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join("\n");
}

const MAX_TABLE_ROWS = 300;
const MAX_TABLE_CELL = 300;

function formatMarkdownTable(columns: readonly string[], rows: readonly (readonly string[])[], more = 0): string {
  if (rows.length === 0) return "Nothing yet.";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const left = rows.length - MAX_TABLE_ROWS + more;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.slice(0, MAX_TABLE_ROWS).map((row) => line(row)),
    ...(left > 0 && rows.length + more > MAX_TABLE_ROWS ? ["", `And ${left} more.`] : []),
  ].join("\n");
}

/** Escapes repository text for a table cell or list item: one line, without HTML tags or column separators. */
const escapeSectionCell = (text: string): string =>
  formatOneLine(text)
    .slice(0, MAX_TABLE_CELL)
    .replace(/`[^`]*`|[<>&]/g, (part) => HTML_ESCAPES[part] ?? part)
    .replaceAll("|", "\\|");

const HTML_ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

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
