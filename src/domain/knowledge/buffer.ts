import type { MergedDocument } from "../spec/documents.ts";
import type { Lesson } from "./lesson.ts";
import { safeLine } from "./safe-line.ts";
import type { SkillCandidate } from "./skill.ts";

/** Lessons wait for the end of their wave, candidates for the user's approval. */
export interface Waiting {
  readonly lessons: readonly Lesson[];
  readonly candidates: readonly SkillCandidate[];
}

const TITLE = "# Handover Buffer";
const NOTES = "## Notes";
const EMPTY = "(empty)";
const UPDATED = /^\*\*Updated\*\*:/;
const CANDIDATE = /^- \*\*[a-z0-9-]+\*\*: Detected in /;

/** `buffer.md` is generated from the ledger. Foreign text stays, under Notes. */
export function bufferPage({ lessons, candidates }: Waiting, at: string, notes: string): string {
  return `${[
    TITLE,
    `**Updated**: ${at}`,
    "",
    "## Knowledge Buffer",
    ...orEmpty(lessons.map(lessonLine)),
    "",
    "## Skill Candidates",
    ...orEmpty(candidates.map(candidateLine)),
    ...(notes === "" ? [] : ["", NOTES, notes]),
  ].join("\n")}\n`;
}

const orEmpty = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [EMPTY] : lines);

function lessonLine({ type, text, sources }: Lesson): string {
  const told = sources.map(({ feature, role, tasks }) => {
    const work = tasks.length === 0 ? "" : `, task ${safeLine(tasks.join(" "))}`;
    return `${feature} ${role}${work}`;
  });
  return `- [${type.toUpperCase()}] ${safeLine(text)} (source: ${[...new Set(told)].join("; ")})`;
}

const candidateLine = ({ name, features, occurrences }: SkillCandidate): string =>
  `- **${name}**: Detected in ${features.join(", ")} (${occurrences} occurrences)`;

/**
 * Text that Tenon did not write: lines besides its own for this state, and everything under Notes. Tenon keeps it and
 * never uses it as data.
 */
export function notesIn(text: string, before: Waiting): string {
  const own = new Set([...bufferPage(before, "", "").split("\n"), EMPTY]);
  return strangeIn(text, (line) => own.has(line));
}

function strangeIn(text: string, isOwn: (line: string) => boolean): string {
  const lines = text.split(/\r\n|\r|\n/);
  const at = lines.indexOf(NOTES);
  const [above, below] = at < 0 ? [lines, []] : [lines.slice(0, at), lines.slice(at + 1)];
  const strange = above.filter(
    (line) => line.trim() !== "" && !UPDATED.test(line) && !CANDIDATE.test(line) && !isOwn(line),
  );
  const kept = below.join("\n").trim();
  return [kept, ...strange.filter((line) => !below.includes(line))].filter((part) => part !== "").join("\n");
}

export const saysTheSame = (one: string, other: string): boolean => withoutTime(one) === withoutTime(other);
const withoutTime = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => !UPDATED.test(line))
    .join("\n");

/** Our ledger generated our side, so it stays. Lines that the other branch added go under Notes. */
export function mergeBuffer(base: string, ours: string, theirs: string): MergedDocument {
  const known = new Set(`${base}\n${ours}\n${bufferPage({ lessons: [], candidates: [] }, "", "")}`.split(/\r\n|\r|\n/));
  const added = strangeIn(theirs, (line) => known.has(line))
    .split("\n")
    .filter((line) => !known.has(line));
  if (added.length === 0 || added.join("") === "") return { text: ours, conflicts: [] };
  const gap = ours.split(/\r\n|\r|\n/).includes(NOTES) ? "" : `\n${NOTES}\n`;
  return { text: `${ours.trimEnd()}\n${gap}${added.join("\n")}\n`, conflicts: [] };
}
