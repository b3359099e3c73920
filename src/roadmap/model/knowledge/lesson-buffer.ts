import type { MergedDocument } from "#planning/model/living-spec/document-merge.ts";
import { type Lesson, escapeMarkdownLine, listLessonFeatures, parseKnowledgeFileName } from "./lesson.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { findFreeSlug, createSlug } from "#kernel/model/slug.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { type KnowledgeEntry, readFilledSection } from "./knowledge-document.ts";

/** Lessons wait for the end of their wave, candidates for the user's approval. */
export interface PendingKnowledge {
  readonly lessons: readonly Lesson[];
  readonly candidates: readonly SkillCandidate[];
}

const BUFFER_NOTES_HEADING = "## Notes";
const EMPTY_BUFFER_LINE = "(empty)";
const BUFFER_UPDATED_PATTERN = /^\*\*Updated\*\*:/;
const CANDIDATE_LINE_PATTERN = /^- \*\*[a-z0-9-]+\*\*: Detected in /;

/** `buffer.md` is generated from the ledger. Foreign text stays, under Notes. */
export function formatKnowledgeBuffer({ lessons, candidates }: PendingKnowledge, at: string, notes: string): string {
  const learned = lessons.map(({ type, text, sources }) => {
    const told = sources.map(({ feature, role, tasks }) => {
      const work = tasks.length === 0 ? "" : `, task ${escapeMarkdownLine(tasks.join(" "))}`;
      return `${feature} ${role}${work}`;
    });
    return `- [${type.toUpperCase()}] ${escapeMarkdownLine(text)} (source: ${[...new Set(told)].join("; ")})`;
  });
  const skills = candidates.map(
    ({ name, features, occurrences }) =>
      `- **${name}**: Detected in ${features.join(", ")} (${occurrences} occurrences)`,
  );
  const listOrEmpty = (lines: readonly string[]): string => (lines.length === 0 ? EMPTY_BUFFER_LINE : lines.join("\n"));
  const parts = [
    `# Handover Buffer\n**Updated**: ${at}`,
    `## Knowledge Buffer\n${listOrEmpty(learned)}`,
    `## Skill Candidates\n${listOrEmpty(skills)}`,
    ...(notes === "" ? [] : [`${BUFFER_NOTES_HEADING}\n${notes}`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Text that Tenon did not write: lines besides its own, and all under Notes. It is kept and never used as data. */
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

/** A pattern that at least two features share and that the user has not decided about. */
type SkillCandidate = ReturnType<typeof listSkillCandidates>[number];

const MIN_SKILL_FEATURES = 2;
const MAX_SKILL_NAME = 64;
const MAX_SKILL_DESCRIPTION = 1_024;

export function listSkillCandidates(files: readonly KnowledgeEntry[]) {
  const names: string[] = [];
  const inOrder = files.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  return inOrder.flatMap(({ type, skill, sources, file, summary }) => {
    const features = listLessonFeatures(sources);
    if (type !== "pattern" || skill !== "" || features.length < MIN_SKILL_FEATURES) return [];
    const own = parseKnowledgeFileName(file)?.name ?? createSlug(file, "skill");
    const allowed = `use-${createSlug(own.replaceAll(VENDOR_NAME_PATTERN, "model"), "skill", MAX_SKILL_NAME - 4)}`;
    const name = findFreeSlug(findSkillNameProblem(own) ? allowed : own, (each) => names.includes(each));
    names.push(name);
    return [{ name, text: summary, features, occurrences: sources.length, file }];
  });
}

const SKILL_NAME_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RESERVED_SKILL_PREFIX = /^(?:sdd|tenon)/;
const VENDOR_NAME_PATTERN = /anthropic|claude/g;

function findSkillNameProblem(name: string): string | undefined {
  if (name.length > MAX_SKILL_NAME || !SKILL_NAME_PATTERN.test(name))
    return `A name has small letters and digits, joined by hyphens, at most ${MAX_SKILL_NAME} characters.`;
  return RESERVED_SKILL_PREFIX.test(name) || name.search(VENDOR_NAME_PATTERN) >= 0
    ? "Names that begin with sdd or tenon are reserved for Tenon. Vendors reserve anthropic and claude."
    : undefined;
}

export function parseSkillName(name: string): string {
  const why = findSkillNameProblem(name);
  if (why === undefined) return name;
  throw new Fault("knowledge.bad-skill-name", {
    what: `No skill was called ${quote(name, MAX_SKILL_NAME)}.`,
    why,
    fix: { operation: "knowledge.manage", input: { action: "skills" } },
  });
}

export function formatSkillFile(
  template: string,
  known: KnowledgeEntry,
  text: string,
  skill: { readonly name: string; readonly description?: string | undefined; readonly path: string },
): string {
  const when = readFilledSection(text, "When to Apply");
  const use = when === "" ? "" : `Use it ${when.slice(0, 1).toLowerCase()}${when.slice(1)}`;
  // A quoted one-line text that YAML can always read. Angle brackets are not allowed in it.
  const line = escapeMarkdownLine(skill.description ?? `${known.summary} ${use}`);
  const characters = Array.from(line.replaceAll("\\<", "<").replaceAll(/[<>]/g, ""));
  if (characters.length > MAX_SKILL_DESCRIPTION) characters.splice(MAX_SKILL_DESCRIPTION - 1, Infinity, "…");
  return renderTemplate(template, {
    name: skill.name,
    description: JSON.stringify(characters.join("")),
    title: escapeMarkdownLine(known.title),
    summary: known.summary,
    when,
    approach: readFilledSection(text, "Approach"),
    points: readFilledSection(text, "Key Points"),
    file: skill.path,
    features: listLessonFeatures(known.sources).join(", "),
  });
}
