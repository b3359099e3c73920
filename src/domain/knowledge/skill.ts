import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { findFreeSlug, createSlug } from "../slug.ts";
import { renderTemplate } from "../template.ts";
import { extractSectionText } from "../document/section.ts";
import { hasOnlyPlaceholders } from "../steering/blank.ts";
import type { KnowledgeEntry } from "./document.ts";
import { parseKnowledgeFileName } from "./file-name.ts";
import { listLessonFeatures } from "./lesson.ts";
import { escapeMarkdownLine } from "./safe-line.ts";

/** A pattern that at least two features share and that the user has not decided about. */
export interface SkillCandidate {
  readonly name: string;
  readonly text: string;
  readonly features: readonly string[];
  readonly occurrences: number;
  /** The file of the pattern, which may not exist yet. */
  readonly file: string;
}

const MIN_SKILL_FEATURES = 2;
const MAX_SKILL_NAME = 64;
const MAX_SKILL_DESCRIPTION = 1_024;

export function listSkillCandidates(files: readonly KnowledgeEntry[]): SkillCandidate[] {
  const names: string[] = [];
  const inOrder = files.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  return inOrder.flatMap(({ type, skill, sources, file, summary }): SkillCandidate[] => {
    const features = listLessonFeatures(sources);
    if (type !== "pattern" || skill !== "" || features.length < MIN_SKILL_FEATURES) return [];
    const name = findFreeSlug(suggestSkillName(file), (each) => names.includes(each));
    names.push(name);
    return [{ name, text: summary, features, occurrences: sources.length, file }];
  });
}

function suggestSkillName(file: string): string {
  const name = parseKnowledgeFileName(file)?.name ?? createSlug(file, "skill");
  if (findSkillNameProblem(name) === undefined) return name;
  const allowed = name.replaceAll(VENDOR_NAME_PATTERN, "model");
  return `use-${createSlug(allowed, "skill", MAX_SKILL_NAME - 4)}`;
}

const SKILL_NAME_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RESERVED_SKILL_PREFIX = /^(?:sdd|tenon)/;
const VENDOR_NAME_PATTERN = /anthropic|claude/g;

function findSkillNameProblem(name: string): string | undefined {
  if (name.length > MAX_SKILL_NAME || !SKILL_NAME_PATTERN.test(name))
    return `A name has small letters and digits, joined by hyphens, at most ${MAX_SKILL_NAME} characters.`;
  return RESERVED_SKILL_PREFIX.test(name) || name.search(VENDOR_NAME_PATTERN) >= 0
    ? "Names that begin with sdd or tenon are Tenon's own, and vendors keep anthropic and claude to themselves."
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

interface SkillHeader {
  readonly name: string;
  readonly description?: string | undefined;
  readonly path: string;
}

export function formatSkillFile(
  template: string,
  known: KnowledgeEntry,
  text: string,
  { name, description, path }: SkillHeader,
): string {
  const part = (heading: string): string => {
    const said = extractSectionText(text, heading)?.trim() ?? "";
    return hasOnlyPlaceholders(said) ? "" : said;
  };
  const when = part("When to Apply");
  const told = description ?? [known.summary, when === "" ? "" : `Use it ${lowerFirstLetter(when)}`].join(" ");
  return renderTemplate(template, {
    name,
    description: formatYamlDescription(told),
    title: escapeMarkdownLine(known.title),
    summary: known.summary,
    when,
    approach: part("Approach"),
    points: part("Key Points"),
    file: path,
    features: listLessonFeatures(known.sources).join(", "),
  });
}

const lowerFirstLetter = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;

/** A quoted one-line text that YAML can always read. Angle brackets are not allowed in it. */
function formatYamlDescription(text: string): string {
  const line = escapeMarkdownLine(text).replaceAll("\\<", "<").replaceAll(/[<>]/g, "");
  const characters = Array.from(line);
  const fits = characters.length <= MAX_SKILL_DESCRIPTION;
  return JSON.stringify(fits ? line : `${characters.slice(0, MAX_SKILL_DESCRIPTION - 1).join("")}…`);
}
