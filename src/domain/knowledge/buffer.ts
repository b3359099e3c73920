import type { MergedDocument } from "../spec/documents.ts";
import type { Lesson } from "./lesson.ts";
import { escapeMarkdownLine } from "./safe-line.ts";
import type { SkillCandidate } from "./skill.ts";

/** Lessons wait for the end of their wave, candidates for the user's approval. */
export interface PendingKnowledge {
  readonly lessons: readonly Lesson[];
  readonly candidates: readonly SkillCandidate[];
}

const BUFFER_TITLE = "# Handover Buffer";
const BUFFER_NOTES_HEADING = "## Notes";
const EMPTY_BUFFER_LINE = "(empty)";
const BUFFER_UPDATED_PATTERN = /^\*\*Updated\*\*:/;
const CANDIDATE_LINE_PATTERN = /^- \*\*[a-z0-9-]+\*\*: Detected in /;

/** `buffer.md` is generated from the ledger. Foreign text stays, under Notes. */
export function formatKnowledgeBuffer({ lessons, candidates }: PendingKnowledge, at: string, notes: string): string {
  return `${[
    BUFFER_TITLE,
    `**Updated**: ${at}`,
    "",
    "## Knowledge Buffer",
    ...formatBufferLines(lessons.map(formatLessonLine)),
    "",
    "## Skill Candidates",
    ...formatBufferLines(candidates.map(formatCandidateLine)),
    ...(notes === "" ? [] : ["", BUFFER_NOTES_HEADING, notes]),
  ].join("\n")}\n`;
}

const formatBufferLines = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [EMPTY_BUFFER_LINE] : lines;

function formatLessonLine({ type, text, sources }: Lesson): string {
  const told = sources.map(({ feature, role, tasks }) => {
    const work = tasks.length === 0 ? "" : `, task ${escapeMarkdownLine(tasks.join(" "))}`;
    return `${feature} ${role}${work}`;
  });
  return `- [${type.toUpperCase()}] ${escapeMarkdownLine(text)} (source: ${[...new Set(told)].join("; ")})`;
}

const formatCandidateLine = ({ name, features, occurrences }: SkillCandidate): string =>
  `- **${name}**: Detected in ${features.join(", ")} (${occurrences} occurrences)`;

/**
 * Text that Tenon did not write: lines besides its own for this state, and everything under Notes. Tenon keeps it and
 * never uses it as data.
 */
export function extractBufferNotes(text: string, before: PendingKnowledge): string {
  const own = new Set([...formatKnowledgeBuffer(before, "", "").split("\n"), EMPTY_BUFFER_LINE]);
  return extractForeignLines(text, (line) => own.has(line));
}

function extractForeignLines(text: string, isOwn: (line: string) => boolean): string {
  const lines = text.split(/\r\n|\r|\n/);
  const at = lines.indexOf(BUFFER_NOTES_HEADING);
  const [above, below] = at < 0 ? [lines, []] : [lines.slice(0, at), lines.slice(at + 1)];
  const strange = above.filter(
    (line) =>
      line.trim() !== "" && !BUFFER_UPDATED_PATTERN.test(line) && !CANDIDATE_LINE_PATTERN.test(line) && !isOwn(line),
  );
  const kept = below.join("\n").trim();
  return [kept, ...strange.filter((line) => !below.includes(line))].filter((part) => part !== "").join("\n");
}

export const isSameBuffer = (one: string, other: string): boolean => removeBufferTime(one) === removeBufferTime(other);
const removeBufferTime = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => !BUFFER_UPDATED_PATTERN.test(line))
    .join("\n");

/** Our ledger generated our side, so it stays. Lines that the other branch added go under Notes. */
export function mergeKnowledgeBuffers(base: string, ours: string, theirs: string): MergedDocument {
  const known = new Set(
    `${base}\n${ours}\n${formatKnowledgeBuffer({ lessons: [], candidates: [] }, "", "")}`.split(/\r\n|\r|\n/),
  );
  const added = extractForeignLines(theirs, (line) => known.has(line))
    .split("\n")
    .filter((line) => !known.has(line));
  if (added.length === 0 || added.join("") === "") return { text: ours, conflicts: [] };
  const gap = ours.split(/\r\n|\r|\n/).includes(BUFFER_NOTES_HEADING) ? "" : `\n${BUFFER_NOTES_HEADING}\n`;
  return { text: `${ours.trimEnd()}\n${gap}${added.join("\n")}\n`, conflicts: [] };
}
