import {
  extractSectionText,
  parseHeadings,
  parseProseLines,
  parseMarkdownTables,
} from "#kernel/model/document/markdown-document.ts";
import { isStopWord, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { deriveTextTitle } from "#memory/model/observation.ts";
import {
  findPlaceholderLines,
  hasOnlyPlaceholders,
  findMarkdownSection,
  appendSectionBody,
} from "../steering/markdown-section.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import {
  type KnowledgeCategory,
  parseKnowledgeFileName,
  KNOWLEDGE_PHASES,
  type KnowledgePhase,
  type KnowledgeType,
  KNOWLEDGE_CATEGORIES,
} from "./knowledge-kinds.ts";
import { hasLessonSource, type LessonSource, escapeTableCell, escapeMarkdownLine } from "./lesson.ts";

export interface KnowledgeEntry {
  readonly file: string;
  readonly type: KnowledgeType;
  readonly category: KnowledgeCategory;
  readonly title: string;
  readonly summary: string;
  readonly keywords: readonly string[];
  readonly phases: readonly KnowledgePhase[];
  /** Date of the last check that it still holds, as the file gives it. */
  readonly verified: string;
  readonly sources: readonly LessonSource[];
  /** `approved as …` or `rejected`; empty while undecided. */
  readonly skill: string;
}

export interface KnowledgeContent {
  readonly type: KnowledgeType;
  readonly category: KnowledgeCategory;
  readonly summary: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly LessonSource[];
  readonly at: string;
  readonly source?: string | undefined;
}

export const SUMMARY_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "Problem Summary",
  pattern: "Pattern Summary",
  reference: "Overview",
};
const SEEN_IN_HEADING = "Seen In";
const METADATA_HEADING = "Metadata";
const PHASE_FIELDS: Readonly<Record<KnowledgeType, string>> = {
  incident: "Should Detect At",
  pattern: "Applicable Phases",
  reference: "Applicable Phases",
};
const SKILL_FIELD = "Skill";
const VERIFIED_FIELD = "Last Verified";
const MAX_KEYWORDS = 8;

export function formatKnowledgeDocument(template: string, learned: KnowledgeContent): string {
  const { category, summary, phases, sources, at } = learned;
  const told = phases.join(", ");
  return renderTemplate(template, {
    title: formatKnowledgeTitle(summary),
    category,
    keywords: escapeTableCell(extractKeywords(summary).join(", ")),
    phases: told,
    discovered: phases.at(-1) ?? "",
    severity: "medium",
    verified: at.slice(0, 10),
    source: learned.source === undefined ? "" : escapeTableCell(learned.source),
    summary,
    sources: sources.length === 0 ? formatManualSource(at) : sources.map(formatSourceLine).join("\n"),
  });
}

const formatKnowledgeTitle = (text: string): string =>
  escapeMarkdownLine(deriveTextTitle(text.replace(/^\\/, ""), 80)).replace(/\.$/, "");

const formatManualSource = (at: string): string => `- written by hand, ${at.slice(0, 10)}`;

function extractKeywords(text: string): string[] {
  const words = splitSearchWords(text).filter((word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word));
  return [...new Set(words)].slice(0, MAX_KEYWORDS);
}

export function parseKnowledgeDocument(file: string, text: string): KnowledgeEntry | undefined {
  const name = parseKnowledgeFileName(file);
  if (!name) return undefined;
  const { type, category } = name;
  const facts = readKnowledgeMetadata(text);
  const listed = (value = ""): string[] =>
    value
      .split(/[,;]/)
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const phases = listed(facts.get(PHASE_FIELDS[type].toLowerCase())).map((phase) => phase.toLowerCase());
  const summary = extractSectionText(text, SUMMARY_HEADINGS[type])?.trim() ?? "";
  return {
    file,
    type,
    category,
    title:
      parseHeadings(parseProseLines(text)).find(({ level }) => level === 1)?.text ?? name.name.replaceAll("-", " "),
    summary: hasOnlyPlaceholders(summary) ? "" : summary,
    keywords: listed(facts.get("keywords")),
    phases: KNOWLEDGE_PHASES.filter((phase) => phases.includes(phase)),
    verified: facts.get(VERIFIED_FIELD.toLowerCase()) ?? "",
    sources: readKnowledgeSources(text),
    skill: facts.get(SKILL_FIELD.toLowerCase()) ?? "",
  };
}

function readKnowledgeMetadata(text: string): Map<string, string> {
  const part = extractSectionText(text, METADATA_HEADING) ?? "";
  const rows = parseMarkdownTables(parseProseLines(part)).flatMap((table) => table.rows);
  return new Map(rows.map(({ cells: [field = "", value = ""] }) => [field.replace(/[*_`]/g, "").toLowerCase(), value]));
}

/** `- user-login, builder, task 1.2, 2026-01-31: Sessions are renewed at login.` */
function formatSourceLine({ feature, role, tasks, at, said }: LessonSource): string {
  const numbers = tasks.map((task) => task.replace(/[^\w.-]/g, "").slice(0, 20)).filter((task) => task !== "");
  const work = numbers.length === 0 ? "" : `, task ${numbers.join(" ")}`;
  const words = escapeMarkdownLine(said);
  return `- ${feature}, ${role}${work}, ${at.slice(0, 10)}${words === "" ? "" : `: ${words}`}`;
}

const SOURCE_LINE_PATTERN = /^\s*- ([a-z0-9-]+), ([a-z-]+)(?:, task ([\w. -]+))?, (\d{4}-\d{2}-\d{2})(?:: (.*))?$/;

function readKnowledgeSources(text: string): LessonSource[] {
  const lines = (extractSectionText(text, SEEN_IN_HEADING) ?? "").split(/\r\n|\r|\n/);
  return lines.flatMap((line): LessonSource[] => {
    const [, feature = "", role = "", tasks = "", at = "", said = ""] = SOURCE_LINE_PATTERN.exec(line) ?? [];
    return feature === "" ? [] : [{ feature, role, tasks: tasks.split(" ").filter((task) => task !== ""), at, said }];
  });
}

/**
 * Adds a source and keeps every other byte. Returns the same text where the source is already listed, and undefined
 * where an unclosed block would hide it.
 */
export function addKnowledgeSource(text: string, source: LessonSource): string | undefined {
  if (hasLessonSource(readKnowledgeSources(text), source)) return text;
  const section = findMarkdownSection(text, SEEN_IN_HEADING);
  const line = formatSourceLine(source);
  const added = section
    ? appendSectionBody(text, section, line)
    : `${text.trimEnd()}\n\n## ${SEEN_IN_HEADING}\n\n${line}\n`;
  return hasLessonSource(readKnowledgeSources(added), source) ? added : undefined;
}

export function setSkillDecision(text: string, said: string): string {
  const row = `| ${SKILL_FIELD} | ${escapeTableCell(said)} |`;
  const lines = text.split("\n");
  const section = findMarkdownSection(text, METADATA_HEADING);
  const table = parseMarkdownTables(parseProseLines(text)).find(
    ({ line }) => section !== undefined && line > section.heading.line && findLineOffset(lines, line) < section.own,
  );
  if (!table) return insertMetadataTable(text, row);
  const known = table.rows.find(({ cells: [field = ""] }) => field.toLowerCase() === SKILL_FIELD.toLowerCase());
  const last = table.rows.at(-1)?.line ?? table.line + 1;
  const end = lines[table.line - 1]?.endsWith("\r") ? "\r" : "";
  if (known) lines[known.line - 1] = row + end;
  else lines.splice(last, 0, row + end);
  return lines.join("\n");
}

const findLineOffset = (lines: readonly string[], line: number): number =>
  lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);

function insertMetadataTable(text: string, row: string): string {
  const [title] = parseHeadings(parseProseLines(text)).filter(({ level }) => level === 1);
  const at = title ? findLineOffset(text.split("\n"), title.line + 1) : 0;
  const table = `| Field | Value |\n|---|---|\n${row}\n`;
  return `${text.slice(0, at).trimEnd()}\n\n## ${METADATA_HEADING}\n\n${table}\n${text.slice(at).trimStart()}`.trimStart();
}

/** Also removes headings that are empty without them. */
export function removePlaceholders(text: string): string {
  const blanks = new Set(findPlaceholderLines(text).map(({ line }) => line));
  const said = text
    .split(/\r\n|\r|\n/)
    .filter((_, i) => !blanks.has(i + 1))
    .join("\n");
  const empty = new Set(parseHeadings(parseProseLines(said)).flatMap(({ hasText, line }) => (hasText ? [] : [line])));
  const lines = said.split("\n").filter((_, i) => !empty.has(i + 1));
  return `${lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

interface IndexSection {
  readonly heading: string;
  readonly column: string;
  readonly cell: (each: KnowledgeEntry) => string;
}

const formatPhaseCell = (each: KnowledgeEntry): string => each.phases.join(", ");
const INDEX_SECTIONS: Readonly<Record<KnowledgeType, IndexSection>> = {
  incident: { heading: "Incidents", column: "Should Detect At", cell: formatPhaseCell },
  pattern: { heading: "Patterns", column: "Applicable Phases", cell: formatPhaseCell },
  reference: { heading: "References", column: "Last Verified", cell: ({ verified }) => verified },
};

const INDEX_HEAD = [
  "# Knowledge",
  "",
  "Made by Tenon from the files beside it: an edit here would be lost. The files themselves are yours to edit.",
  "",
  "A file is named `{type}-{category}-{name}.md`; `ls sdd/knowledge/incident-*` or `*-security-*` shows a part.",
];

export function formatKnowledgeIndex(all: readonly KnowledgeEntry[], others: readonly string[]): string {
  const known = all.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  const types = Object.keys(INDEX_SECTIONS) as KnowledgeType[];
  return `${[
    ...INDEX_HEAD,
    ...types.flatMap((type) =>
      formatIndexSection(
        INDEX_SECTIONS[type],
        known.filter((each) => each.type === type),
      ),
    ),
    ...formatIndexList("By category", KNOWLEDGE_CATEGORIES, (category) =>
      known.filter((each) => each.category === category),
    ),
    ...formatIndexList("By phase", KNOWLEDGE_PHASES, (phase) =>
      known.filter((each) => each.phases.some((own) => own === phase)),
    ),
    ...(others.length === 0
      ? []
      : ["", "## Named otherwise", "", ...others.toSorted().map((file) => `- ${formatKnowledgeLink(file)}`)]),
  ].join("\n")}\n`;
}

function formatIndexSection({ heading, column, cell }: IndexSection, own: readonly KnowledgeEntry[]): string[] {
  if (own.length === 0) return ["", `## ${heading}`, "", "None yet."];
  const rows = own.map((each) => {
    const cells = [formatKnowledgeLink(each.file), each.category, each.keywords.join(", "), cell(each)].map(
      escapeTableCell,
    );
    return `| ${cells.join(" | ")} |`;
  });
  return ["", `## ${heading}`, "", `| File | Category | Keywords | ${column} |`, "|---|---|---|---|", ...rows];
}

function formatIndexList(
  heading: string,
  names: readonly string[],
  filesOf: (name: string) => readonly KnowledgeEntry[],
): string[] {
  const lines = names.flatMap((name) => {
    const files = filesOf(name).map(({ file }) => formatKnowledgeLink(file));
    return files.length === 0 ? [] : [`- **${name}**: ${files.join(", ")}`];
  });
  return ["", `## ${heading}`, "", ...(lines.length === 0 ? ["None yet."] : lines)];
}

const formatKnowledgeLink = (file: string): string => {
  const name = file.replaceAll(/[^\w.-]/g, "_");
  return name === file ? `[${file}](${file})` : escapeTableCell(file);
};
