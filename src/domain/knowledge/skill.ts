import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { findFreeSlug, createSlug } from "../slug.ts";
import { renderTemplate } from "../template.ts";
import { extractSectionText } from "../document/section.ts";
import { isBlank } from "../steering/blank.ts";
import type { Knowledge } from "./document.ts";
import { readFileName } from "./file-name.ts";
import { featuresOf } from "./lesson.ts";
import { safeLine } from "./safe-line.ts";

/** A pattern that at least two features share and that the user has not decided about. */
export interface SkillCandidate {
  readonly name: string;
  readonly text: string;
  readonly features: readonly string[];
  readonly occurrences: number;
  /** The file of the pattern, which may not exist yet. */
  readonly file: string;
}

const ENOUGH = 2;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_024;

export function candidatesIn(files: readonly Knowledge[]): SkillCandidate[] {
  const names: string[] = [];
  const inOrder = files.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  return inOrder.flatMap(({ type, skill, sources, file, summary }): SkillCandidate[] => {
    const features = featuresOf(sources);
    if (type !== "pattern" || skill !== "" || features.length < ENOUGH) return [];
    const name = findFreeSlug(suggested(file), (each) => names.includes(each));
    names.push(name);
    return [{ name, text: summary, features, occurrences: sources.length, file }];
  });
}

function suggested(file: string): string {
  const name = readFileName(file)?.name ?? createSlug(file, "skill");
  if (problemOf(name) === undefined) return name;
  const allowed = name.replaceAll(VENDORS, "model");
  return `use-${createSlug(allowed, "skill", LONGEST_NAME - 4)}`;
}

const FORM = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RESERVED = /^(?:sdd|tenon)/;
const VENDORS = /anthropic|claude/g;

function problemOf(name: string): string | undefined {
  if (name.length > LONGEST_NAME || !FORM.test(name))
    return `A name has small letters and digits, joined by hyphens, at most ${LONGEST_NAME} characters.`;
  return RESERVED.test(name) || name.search(VENDORS) >= 0
    ? "Names that begin with sdd or tenon are Tenon's own, and vendors keep anthropic and claude to themselves."
    : undefined;
}

export function parseSkillName(name: string): string {
  const why = problemOf(name);
  if (why === undefined) return name;
  throw new Fault("knowledge.bad-skill-name", {
    what: `No skill was called ${quote(name, LONGEST_NAME)}.`,
    why,
    fix: { operation: "knowledge.manage", input: { action: "skills" } },
  });
}

interface Named {
  readonly name: string;
  readonly description?: string | undefined;
  readonly path: string;
}

export function skillText(
  template: string,
  known: Knowledge,
  text: string,
  { name, description, path }: Named,
): string {
  const part = (heading: string): string => {
    const said = extractSectionText(text, heading)?.trim() ?? "";
    return isBlank(said) ? "" : said;
  };
  const when = part("When to Apply");
  const told = description ?? [known.summary, when === "" ? "" : `Use it ${lowerFirst(when)}`].join(" ");
  return renderTemplate(template, {
    name,
    description: inYaml(told),
    title: safeLine(known.title),
    summary: known.summary,
    when,
    approach: part("Approach"),
    points: part("Key Points"),
    file: path,
    features: featuresOf(known.sources).join(", "),
  });
}

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;

/** A quoted one-line text that YAML can always read. Angle brackets are not allowed in it. */
function inYaml(text: string): string {
  const line = safeLine(text).replaceAll("\\<", "<").replaceAll(/[<>]/g, "");
  const characters = Array.from(line);
  const fits = characters.length <= LONGEST_DESCRIPTION;
  return JSON.stringify(fits ? line : `${characters.slice(0, LONGEST_DESCRIPTION - 1).join("")}…`);
}
