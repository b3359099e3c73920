import { extractSectionText } from "../document/section.ts";
import { parseHeadings, parseProseLines } from "../document/prose.ts";
import { parseMarkdownTables } from "../document/table.ts";
import { isStopWord, wordsOf } from "../memory/words.ts";
import { titleFrom } from "../memory/observation.ts";
import { blanksIn, isBlank } from "../steering/blank.ts";
import { findSection, withAdded } from "../steering/section.ts";
import { renderTemplate } from "../template.ts";
import type { Category } from "./category.ts";
import { readFileName } from "./file-name.ts";
import { isTold, type Source } from "./lesson.ts";
import { safeCell, safeLine } from "./safe-line.ts";
import { KNOWLEDGE_PHASES, type KnowledgePhase, type KnowledgeType } from "./tag.ts";

export interface Knowledge {
  readonly file: string;
  readonly type: KnowledgeType;
  readonly category: Category;
  readonly title: string;
  readonly summary: string;
  readonly keywords: readonly string[];
  readonly phases: readonly KnowledgePhase[];
  /** Date of the last check that it still holds, as the file gives it. */
  readonly verified: string;
  readonly sources: readonly Source[];
  /** `approved as …` or `rejected`; empty while undecided. */
  readonly skill: string;
}

export interface Learned {
  readonly type: KnowledgeType;
  readonly category: Category;
  readonly summary: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly Source[];
  readonly at: string;
  readonly source?: string | undefined;
}

export const SUMMARY: Readonly<Record<KnowledgeType, string>> = {
  incident: "Problem Summary",
  pattern: "Pattern Summary",
  reference: "Overview",
};
const SEEN_IN = "Seen In";
const METADATA = "Metadata";
const PHASES: Readonly<Record<KnowledgeType, string>> = {
  incident: "Should Detect At",
  pattern: "Applicable Phases",
  reference: "Applicable Phases",
};
const SKILL = "Skill";
const VERIFIED = "Last Verified";
const MOST_KEYWORDS = 8;

export function writeKnowledge(template: string, learned: Learned): string {
  const { category, summary, phases, sources, at } = learned;
  const told = phases.join(", ");
  return renderTemplate(template, {
    title: titleOf(summary),
    category,
    keywords: safeCell(keywordsOf(summary).join(", ")),
    phases: told,
    discovered: phases.at(-1) ?? "",
    severity: "medium",
    verified: at.slice(0, 10),
    source: learned.source === undefined ? "" : safeCell(learned.source),
    summary,
    sources: sources.length === 0 ? byHand(at) : sources.map(sourceLine).join("\n"),
  });
}

const titleOf = (text: string): string => safeLine(titleFrom(text.replace(/^\\/, ""), 80)).replace(/\.$/, "");

const byHand = (at: string): string => `- written by hand, ${at.slice(0, 10)}`;

function keywordsOf(text: string): string[] {
  const words = wordsOf(text).filter((word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word));
  return [...new Set(words)].slice(0, MOST_KEYWORDS);
}

export function readKnowledge(file: string, text: string): Knowledge | undefined {
  const name = readFileName(file);
  if (!name) return undefined;
  const { type, category } = name;
  const facts = metadataIn(text);
  const listed = (value = ""): string[] =>
    value
      .split(/[,;]/)
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const phases = listed(facts.get(PHASES[type].toLowerCase())).map((phase) => phase.toLowerCase());
  const summary = extractSectionText(text, SUMMARY[type])?.trim() ?? "";
  return {
    file,
    type,
    category,
    title:
      parseHeadings(parseProseLines(text)).find(({ level }) => level === 1)?.text ?? name.name.replaceAll("-", " "),
    summary: isBlank(summary) ? "" : summary,
    keywords: listed(facts.get("keywords")),
    phases: KNOWLEDGE_PHASES.filter((phase) => phases.includes(phase)),
    verified: facts.get(VERIFIED.toLowerCase()) ?? "",
    sources: sourcesIn(text),
    skill: facts.get(SKILL.toLowerCase()) ?? "",
  };
}

function metadataIn(text: string): Map<string, string> {
  const part = extractSectionText(text, METADATA) ?? "";
  const rows = parseMarkdownTables(parseProseLines(part)).flatMap((table) => table.rows);
  return new Map(rows.map(({ cells: [field = "", value = ""] }) => [field.replace(/[*_`]/g, "").toLowerCase(), value]));
}

/** `- user-login, builder, task 1.2, 2026-01-31: Sessions are renewed at login.` */
function sourceLine({ feature, role, tasks, at, said }: Source): string {
  const numbers = tasks.map((task) => task.replace(/[^\w.-]/g, "").slice(0, 20)).filter((task) => task !== "");
  const work = numbers.length === 0 ? "" : `, task ${numbers.join(" ")}`;
  const words = safeLine(said);
  return `- ${feature}, ${role}${work}, ${at.slice(0, 10)}${words === "" ? "" : `: ${words}`}`;
}

const SOURCE = /^\s*- ([a-z0-9-]+), ([a-z-]+)(?:, task ([\w. -]+))?, (\d{4}-\d{2}-\d{2})(?:: (.*))?$/;

function sourcesIn(text: string): Source[] {
  const lines = (extractSectionText(text, SEEN_IN) ?? "").split(/\r\n|\r|\n/);
  return lines.flatMap((line): Source[] => {
    const [, feature = "", role = "", tasks = "", at = "", said = ""] = SOURCE.exec(line) ?? [];
    return feature === "" ? [] : [{ feature, role, tasks: tasks.split(" ").filter((task) => task !== ""), at, said }];
  });
}

/**
 * Adds a source and keeps every other byte. Returns the same text where the source is already listed, and undefined
 * where an unclosed block would hide it.
 */
export function withSource(text: string, source: Source): string | undefined {
  if (isTold(sourcesIn(text), source)) return text;
  const section = findSection(text, SEEN_IN);
  const line = sourceLine(source);
  const added = section ? withAdded(text, section, line) : `${text.trimEnd()}\n\n## ${SEEN_IN}\n\n${line}\n`;
  return isTold(sourcesIn(added), source) ? added : undefined;
}

export function withSkill(text: string, said: string): string {
  const row = `| ${SKILL} | ${safeCell(said)} |`;
  const lines = text.split("\n");
  const section = findSection(text, METADATA);
  const table = parseMarkdownTables(parseProseLines(text)).find(
    ({ line }) => section !== undefined && line > section.heading.line && startOf(lines, line) < section.own,
  );
  if (!table) return withMetadata(text, row);
  const known = table.rows.find(({ cells: [field = ""] }) => field.toLowerCase() === SKILL.toLowerCase());
  const last = table.rows.at(-1)?.line ?? table.line + 1;
  const end = lines[table.line - 1]?.endsWith("\r") ? "\r" : "";
  if (known) lines[known.line - 1] = row + end;
  else lines.splice(last, 0, row + end);
  return lines.join("\n");
}

const startOf = (lines: readonly string[], line: number): number =>
  lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);

function withMetadata(text: string, row: string): string {
  const [title] = parseHeadings(parseProseLines(text)).filter(({ level }) => level === 1);
  const at = title ? startOf(text.split("\n"), title.line + 1) : 0;
  const table = `| Field | Value |\n|---|---|\n${row}\n`;
  return `${text.slice(0, at).trimEnd()}\n\n## ${METADATA}\n\n${table}\n${text.slice(at).trimStart()}`.trimStart();
}

/** Also removes headings that are empty without them. */
export function withoutBlanks(text: string): string {
  const blanks = new Set(blanksIn(text).map(({ line }) => line));
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
