import {
  extractSectionText,
  parseHeadings,
  parseProseLines,
  parseMarkdownTables,
  findSectionLines,
  type MarkdownTable,
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
  KNOWLEDGE_TYPES,
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

export interface KnowledgeContent extends Pick<KnowledgeEntry, "type" | "category" | "summary" | "phases" | "sources"> {
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
const MAX_KEYWORDS = 8;

export function formatKnowledgeDocument(template: string, learned: KnowledgeContent): string {
  const { category, summary, phases, sources, at, source = "" } = learned;
  const day = at.slice(0, 10);
  const title = deriveTextTitle(summary.replace(/^\\/, ""), 80);
  return renderTemplate(template, {
    title: escapeMarkdownLine(title).replace(/\.$/, ""),
    category,
    keywords: escapeTableCell(extractKeywords(summary).join(", ")),
    phases: phases.join(", "),
    discovered: phases.at(-1) ?? "",
    severity: "medium",
    verified: day,
    source: escapeTableCell(source),
    summary,
    sources: sources.length === 0 ? `- written by hand, ${day}` : sources.map(formatSourceLine).join("\n"),
  });
}

function extractKeywords(text: string): string[] {
  const words = splitSearchWords(text).filter((word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word));
  return [...new Set(words)].slice(0, MAX_KEYWORDS);
}

export function parseKnowledgeDocument(file: string, text: string): KnowledgeEntry | undefined {
  const named = parseKnowledgeFileName(file);
  if (!named) return undefined;
  const { type, category, name } = named;
  const rows = readMetadataTable(text)?.rows ?? [];
  const facts = new Map(
    rows.map(({ cells: [field = "", value = ""] }) => [field.replace(/[*_`]/g, "").toLowerCase(), value]),
  );
  const readFact = (field: string): string => facts.get(field.toLowerCase()) ?? "";
  const listed = (field: string): string[] =>
    readFact(field)
      .split(/[,;]/)
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const phases = listed(PHASE_FIELDS[type]).map((phase) => phase.toLowerCase());
  const title = parseHeadings(parseProseLines(text)).find(({ level }) => level === 1)?.text;
  return {
    file,
    type,
    category,
    title: title ?? name.replaceAll("-", " "),
    summary: readFilledSection(text, SUMMARY_HEADINGS[type]),
    keywords: listed("Keywords"),
    phases: KNOWLEDGE_PHASES.filter((phase) => phases.includes(phase)),
    verified: readFact("Last Verified"),
    sources: readKnowledgeSources(text),
    skill: readFact(SKILL_FIELD),
  };
}

const readMetadataTable = (text: string): MarkdownTable | undefined =>
  parseMarkdownTables(findSectionLines(parseProseLines(text), METADATA_HEADING) ?? [])[0];

/** Empty where only placeholders stand under the heading. */
export function readFilledSection(text: string, heading: string): string {
  const said = extractSectionText(text, heading)?.trim() ?? "";
  return hasOnlyPlaceholders(said) ? "" : said;
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
  const table = readMetadataTable(text);
  if (!table) {
    const at = parseHeadings(parseProseLines(text)).find(({ level }) => level === 1)?.line ?? 0;
    const [head, tail] = [lines.slice(0, at).join("\n").trimEnd(), lines.slice(at).join("\n").trimStart()];
    return `${head}\n\n## ${METADATA_HEADING}\n\n| Field | Value |\n|---|---|\n${row}\n\n${tail}`.trimStart();
  }
  const known = table.rows.find(({ cells: [field = ""] }) => field.toLowerCase() === SKILL_FIELD.toLowerCase());
  const last = table.rows.at(-1)?.line ?? table.line + 1;
  const end = lines[table.line - 1]?.endsWith("\r") ? "\r" : "";
  if (known) lines[known.line - 1] = row + end;
  else lines.splice(last, 0, row + end);
  return lines.join("\n");
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

const INDEX_HEADINGS: Readonly<Record<KnowledgeType, string>> = {
  incident: "Incidents",
  pattern: "Patterns",
  reference: "References",
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
  return `${[
    ...INDEX_HEAD,
    ...KNOWLEDGE_TYPES.flatMap((type) =>
      formatIndexTable(
        type,
        known.filter((each) => each.type === type),
      ),
    ),
    ...formatIndexList("By category", KNOWLEDGE_CATEGORIES, (category) =>
      known.filter((each) => each.category === category),
    ),
    ...formatIndexList("By phase", KNOWLEDGE_PHASES, (phase) => known.filter((each) => each.phases.includes(phase))),
    ...(others.length === 0
      ? []
      : ["", "## Named otherwise", "", ...others.toSorted().map((file) => `- ${formatKnowledgeLink(file)}`)]),
  ].join("\n")}\n`;
}

function formatIndexTable(type: KnowledgeType, own: readonly KnowledgeEntry[]): string[] {
  const isReference = type === "reference";
  const rows = own.map(({ file, category, keywords, phases, verified }) => {
    const cells = [
      formatKnowledgeLink(file),
      category,
      keywords.join(", "),
      isReference ? verified : phases.join(", "),
    ];
    return `| ${cells.map(escapeTableCell).join(" | ")} |`;
  });
  const head = `| File | Category | Keywords | ${isReference ? "Last Verified" : PHASE_FIELDS[type]} |`;
  const body = rows.length === 0 ? ["None yet."] : [head, "|---|---|---|---|", ...rows];
  return ["", `## ${INDEX_HEADINGS[type]}`, "", ...body];
}

function formatIndexList<Name extends string>(
  heading: string,
  names: readonly Name[],
  listEntries: (name: Name) => readonly KnowledgeEntry[],
): string[] {
  const lines = names.flatMap((name) => {
    const files = listEntries(name).map(({ file }) => formatKnowledgeLink(file));
    return files.length === 0 ? [] : [`- **${name}**: ${files.join(", ")}`];
  });
  return ["", `## ${heading}`, "", ...(lines.length === 0 ? ["None yet."] : lines)];
}

const formatKnowledgeLink = (file: string): string => {
  const name = file.replaceAll(/[^\w.-]/g, "_");
  return name === file ? `[${file}](${file})` : escapeTableCell(file);
};
