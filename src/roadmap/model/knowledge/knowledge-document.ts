import { alignMarkdownTables, formatMarkdownTable } from "#kernel/model/document/markdown-table.ts";
import {
  extractSectionText,
  parseHeadings,
  parseProseLines,
  parseMarkdownTables,
  findSectionLines,
  type MarkdownTable,
} from "#kernel/model/document/markdown-document.ts";
import { extractSearchTerms, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import type { Immutable } from "#kernel/model/record-schema.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { deriveTextTitle } from "#memory/model/observation.ts";
import {
  findPlaceholderLines,
  hasOnlyPlaceholders,
  findMarkdownSection,
  appendSectionBody,
} from "../steering/markdown-section.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import {
  deriveLessonName,
  findFreeKnowledgeFile,
  listTextCategories,
  parseKnowledgeFileName,
  KNOWLEDGE_PHASES,
  type KnowledgePhase,
  type KnowledgeType,
  KNOWLEDGE_CATEGORIES,
  KNOWLEDGE_TYPES,
  createLessonSignature,
  hasLessonSource,
  type Lesson,
  LessonIndex,
  type LessonSource,
  escapeTableCell,
  escapeMarkdownLine,
} from "./lesson.ts";

export type KnowledgeEntry = Immutable<NonNullable<ReturnType<typeof parseKnowledgeDocument>>>;

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
  const words = splitSearchWords(summary).filter((word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word));
  const text = renderTemplate(template, {
    title: escapeMarkdownLine(title).replace(/\.$/, ""),
    category,
    keywords: escapeTableCell([...new Set(words)].slice(0, MAX_KEYWORDS).join(", ")),
    phases: phases.join(", "),
    discovered: phases.at(-1) ?? "",
    severity: "medium",
    verified: day,
    source: escapeTableCell(source),
    summary,
    sources: sources.length === 0 ? `- written by hand, ${day}` : sources.map(formatSourceLine).join("\n"),
  });
  return alignMarkdownTables(text);
}

export function parseKnowledgeDocument(file: string, text: string) {
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
    /** Date of the last check that it still holds, as the file gives it. */
    verified: readFact("Last Verified"),
    sources: readKnowledgeSources(text),
    /** `approved as …` or `rejected`; empty while undecided. */
    skill: readFact(SKILL_FIELD),
  };
}

const readMetadataTable = (text: string): MarkdownTable | undefined =>
  parseMarkdownTables(findSectionLines(parseProseLines(text), METADATA_HEADING) ?? [])[0];

/** Empty where only placeholders are under the heading. */
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

/** Adds a source and keeps every other byte. Returns undefined where an unclosed block would hide it. */
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
    const section = formatMarkdownTable(["Field", "Value"], [[SKILL_FIELD, escapeTableCell(said)]]);
    return `${head}\n\n## ${METADATA_HEADING}\n\n${section}\n\n${tail}`.trimStart();
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
  const filled = lines.join("\n").replace(/\n{3,}/g, "\n\n");
  return `${filled.trim()}\n`;
}

const INDEX_HEAD = `# Knowledge

Tenon generates this page from the files in this folder, so edits here are lost. Edit the files instead.

A file is named \`{type}-{category}-{name}.md\`; \`ls sdd/knowledge/incident-*\` or \`*-security-*\` shows a part.`;

export function formatKnowledgeIndex(all: readonly KnowledgeEntry[], others: readonly string[]): string {
  const known = all.toSorted((one, other) => compareTexts(one.file, other.file));
  const listFiles = (names: readonly string[], isOf: (each: KnowledgeEntry, name: string) => boolean): string[] =>
    names.flatMap((name) => {
      const files = known.filter((each) => isOf(each, name)).map(({ file }) => formatKnowledgeLink(file));
      return files.length === 0 ? [] : [`- **${name}**: ${files.join(", ")}`];
    });
  const sections: (readonly [heading: string, lines: readonly string[]])[] = [
    ...KNOWLEDGE_TYPES.map((type) => {
      const own = known.filter((each) => each.type === type);
      return [`${type.slice(0, 1).toUpperCase()}${type.slice(1)}s`, formatIndexTable(type, own)] as const;
    }),
    ["By category", listFiles(KNOWLEDGE_CATEGORIES, ({ category }, name) => category === name)],
    ["By phase", listFiles(KNOWLEDGE_PHASES, ({ phases }, name) => phases.some((phase) => phase === name))] as const,
  ];
  const named = others.toSorted().map((file) => `- ${formatKnowledgeLink(file)}`);
  if (named.length > 0) sections.push(["Named otherwise", named]);
  const texts = sections.map(
    ([heading, lines]) => `## ${heading}\n\n${lines.length === 0 ? "None yet." : lines.join("\n")}`,
  );
  return `${[INDEX_HEAD, ...texts].join("\n\n")}\n`;
}

function formatIndexTable(type: KnowledgeType, own: readonly KnowledgeEntry[]): string[] {
  const isReference = type === "reference";
  const rows = own.map(({ file, category, keywords, phases, verified }) => {
    const last = isReference ? verified : phases.join(", ");
    const cells = [formatKnowledgeLink(file), category, keywords.join(", "), last];
    return cells.map(escapeTableCell);
  });
  const columns = ["File", "Category", "Keywords", isReference ? "Last Verified" : PHASE_FIELDS[type]];
  return rows.length === 0 ? [] : [formatMarkdownTable(columns, rows)];
}

const formatKnowledgeLink = (file: string): string => {
  const name = file.replaceAll(/[^\w.-]/g, "_");
  return name === file ? `[${file}](${file})` : escapeTableCell(file);
};

/** Existing files are extended, never overwritten. `taken` lists all names in the folder. */
export function placeLessons(lessons: readonly Lesson[], known: readonly KnowledgeEntry[], taken: readonly string[]) {
  const files = new LessonIndex<KnowledgeEntry>();
  for (const each of lessons.length > 0 ? known : [])
    for (const text of [each.summary, ...each.sources.map(({ said }) => said)])
      if (text !== "") files.add(createLessonSignature(text), each);
  const names = new Set(taken.map((file) => file.toLowerCase()));
  return lessons.map((lesson) => {
    const same = files.find(createLessonSignature(lesson.text), ({ type }) => type === lesson.type);
    if (same) return { lesson, file: same.file, isNew: false };
    const file = findFreeKnowledgeFile({ ...lesson, name: deriveLessonName(lesson.text) }, names);
    names.add(file);
    return { lesson, file, isNew: true };
  });
}

export function applyLessonPlacements(known: readonly KnowledgeEntry[], places: ReturnType<typeof placeLessons>) {
  const files = new Map(known.map((each) => [each.file, each]));
  for (const { lesson, file } of places) {
    const { type, category, text, phases } = lesson;
    const unwritten = { keywords: [], verified: "", sources: [], skill: "" };
    const before = files.get(file) ?? { file, type, category, phases, title: text, summary: text, ...unwritten };
    const sources = lesson.sources.reduce(
      (own, source) =>
        hasLessonSource(own, source) ? own : [...own, { ...source, said: escapeMarkdownLine(source.said) }],
      before.sources,
    );
    files.set(file, { ...before, sources });
  }
  return [...files.values()];
}

/** A lesson must share this many words with the work, or all its words. */
const MIN_RELEVANT_WORDS = 2;
const MIN_CATEGORY_WORDS = 4;
const MAX_RELEVANT_LESSONS = 6;

export function selectRelevantKnowledge(
  {
    phase,
    types,
    about,
  }: { readonly phase: KnowledgePhase; readonly types: readonly KnowledgeType[]; readonly about: string },
  known: readonly KnowledgeEntry[],
): KnowledgeEntry[] {
  const words = extractLessonWords(about);
  const categories = listTextCategories(about, MIN_CATEGORY_WORDS);
  const rated = known
    .filter(({ type, summary }) => types.includes(type) && summary !== "")
    // An entry without phases applies to all.
    .filter(({ phases }) => phases.length === 0 || phases.includes(phase))
    .map((each) => {
      const own = extractLessonWords([each.title, each.summary, ...each.keywords].join(" "));
      const common = [...own].filter((word) => words.has(word)).length;
      const isAbout = common >= Math.min(MIN_RELEVANT_WORDS, own.size) && own.size > 0;
      return { each, rate: isAbout ? common / own.size + (categories.has(each.category) ? 0.5 : 0) : 0 };
    });
  return rated
    .filter(({ rate }) => rate > 0)
    .toSorted((a, b) => b.rate - a.rate || (a.each.file < b.each.file ? -1 : 1))
    .slice(0, MAX_RELEVANT_LESSONS)
    .map(({ each }) => each);
}

const extractLessonWords = (text: string): ReadonlySet<string> =>
  new Set(extractSearchTerms(text).filter((term) => term.length > 2 && !isStopWord(term)));
