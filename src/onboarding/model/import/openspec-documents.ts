import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { deriveRequirementName, type NamedRequirement, normalizeBlock } from "./requirement-text.ts";

interface OpenspecSpec {
  readonly purpose: string;
  readonly requirements: readonly NamedRequirement[];
  /** Whether the document has text that is neither its title, its purpose nor a requirement. */
  readonly hasRest: boolean;
}

export interface OpenspecDelta {
  readonly op: "added" | "modified" | "removed" | "renamed";
  readonly requirement: NamedRequirement;
  readonly from?: string;
}

interface OpenspecSection {
  /** 0 for the text before the first heading. */
  readonly level: number;
  readonly title: string;
  readonly lines: string[];
}

const HEADING = /^(#{1,4})(?:[ \t]+(.*)|(Requirement:.*))$/i;
const REQUIREMENT = /^Requirement:\s*(\S.*)$/i;
const DELTA_SECTION = /^(added|modified|removed|renamed) requirements$/i;

/** Deeper headings are text. Headings in code do not count. */
function splitOpenspecSections(text: string): OpenspecSection[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const prose = new Set(parseProseLines(text).flatMap(({ number, isCode }) => (isCode ? [] : [number - 1])));
  const sections: OpenspecSection[] = [{ level: 0, title: "", lines: [] }];
  for (const [i, line] of lines.entries()) {
    const [whole, marks = "", spaced, glued] = (prose.has(i) ? HEADING.exec(line) : null) ?? [];
    if (whole === undefined) sections.at(-1)?.lines.push(line);
    else {
      const title = (spaced ?? glued ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/, "").trim();
      sections.push({ level: marks.length, title, lines: [] });
    }
  }
  return sections;
}

interface OpenspecPart {
  readonly title: string;
  readonly own: string;
  readonly requirements: readonly NamedRequirement[];
  readonly hasOthers: boolean;
}

function parseOpenspecParts(text: string): OpenspecPart[] {
  const parts: { title: string; own: string; requirements: NamedRequirement[]; hasOthers: boolean }[] = [];
  let scenarios: { name: string; steps: string }[] | undefined;
  const sections = splitOpenspecSections(text);
  // Some people leave the word out. Beside headings that have it, the others are notes.
  const isBare = !sections.some(({ level, title }) => level === 3 && REQUIREMENT.test(title));
  for (const { level, title, lines } of sections) {
    const block = normalizeBlock(lines.join("\n"));
    const isNamed = isBare && /\brequirements$/i.test(parts.at(-1)?.title ?? "");
    const name = level === 3 ? (isNamed ? title : REQUIREMENT.exec(title)?.[1]?.trim()) : undefined;
    if (level <= 2) {
      parts.push({ title, own: block, requirements: [], hasOthers: false });
      scenarios = undefined;
      continue;
    }
    const part = parts.at(-1);
    if (name !== undefined) {
      scenarios = [];
      const own = block.trim();
      const said = own.startsWith(NORMATIVE_START) ? own.slice(NORMATIVE_START.length) : own;
      part?.requirements.push({ name, text: said, scenarios });
    } else if (level === 4 && scenarios) scenarios.push({ name: title.replace(/^Scenario:\s*/i, ""), steps: block });
    else {
      scenarios = undefined;
      if (part) part.hasOthers = true;
    }
  }
  return parts.map((part) => (part.requirements.length > 0 ? part : readListedRequirements(part)));
}

/** `- The system SHALL carry bikes.` below `## Requirements` or `## ADDED Requirements`, without a name. */
function readListedRequirements(part: OpenspecPart): OpenspecPart {
  const items = /^(?:added )?requirements$/i.test(part.title) ? part.own.split("\n").filter((line) => line !== "") : [];
  const texts = items.flatMap((line) => /^(?:[-*+]|\d+[.)]) (.+)$/.exec(line)?.[1] ?? []);
  if (texts.length === 0 || texts.length < items.length) return part;
  return {
    ...part,
    own: "",
    requirements: texts.map((text) => ({ name: deriveRequirementName(text), text, scenarios: [] })),
  };
}

export function parseOpenspecSpec(text: string): OpenspecSpec {
  const parts = parseOpenspecParts(text);
  const purpose = parts.find(({ title }) => /^(?:Purpose|Overview)$/i.test(title));
  const isHeld = (part: OpenspecPart): boolean => part === purpose || part.own === "";
  return {
    purpose: dropPlaceholder(purpose?.own ?? ""),
    requirements: parts.flatMap(({ requirements }) => requirements),
    hasRest: parts.some((part) => !isHeld(part) || part.hasOthers),
  };
}

/** OpenSpec writes `TBD - created by archiving change …` for a new capability. */
const dropPlaceholder = (purpose: string): string =>
  /^(?:TBD\b|TODO\b|<!--)/.test(purpose) ? "" : dropPurposeEnd(purpose);

const BULLET_NAME = /^\s*[-*+]\s*`?###\s*Requirement:\s*(.+?)`?\s*$/i;
const RENAME_LINE = /^\s*(?:[-*+]\s*)?(FROM|TO)\s*:\s*`?(?:###\s*Requirement:\s*)?(.+?)`?\s*$/i;

const RENAME_ARROW =
  /^\s*[-*+]\s*`?(?:###\s*Requirement:\s*)?(.+?)`?\s*(?:→|[-=]>)\s*`?(?:###\s*Requirement:\s*)?(.+?)`?\s*$/i;

/** The changes to requirements in `changes/<name>/specs/<capability>/spec.md`, and the purpose of a new capability. */
export function parseOpenspecDeltas(text: string): { deltas: OpenspecDelta[]; purpose: string; hasRest: boolean } {
  const deltas: OpenspecDelta[] = [];
  const parts = parseOpenspecParts(text);
  let hasRest = false;
  for (const { title, own, requirements, hasOthers } of parts) {
    const op = DELTA_SECTION.exec(title)?.[1]?.toLowerCase() as OpenspecDelta["op"] | undefined;
    hasRest ||= hasOthers || (op === undefined && !/^Purpose$/i.test(title) && (own !== "" || requirements.length > 0));
    if (op === undefined) continue;
    if (op === "renamed") deltas.push(...parseOpenspecRenames(own));
    else deltas.push(...requirements.map((requirement) => ({ op, requirement })));
    const named = op === "removed" ? own.split("\n").flatMap((line) => BULLET_NAME.exec(line)?.[1]?.trim() ?? []) : [];
    deltas.push(...named.map((name) => ({ op: "removed" as const, requirement: { name, text: "", scenarios: [] } })));
  }
  const purpose = parts.find(({ title }) => /^Purpose$/i.test(title))?.own ?? "";
  return { deltas, purpose: dropPlaceholder(purpose), hasRest };
}

function parseOpenspecRenames(section: string): OpenspecDelta[] {
  const deltas: OpenspecDelta[] = [];
  let from: string | undefined;
  for (const line of section.split("\n")) {
    const [, side = "", name = ""] = RENAME_LINE.exec(line) ?? [];
    const [, before, after = ""] = side === "" ? (RENAME_ARROW.exec(line) ?? []) : [];
    if (before !== undefined)
      deltas.push({ op: "renamed", from: before.trim(), requirement: { name: after.trim(), text: "", scenarios: [] } });
    if (side.toUpperCase() === "FROM") from = name.trim();
    else if (side !== "" && from !== undefined) {
      deltas.push({ op: "renamed", from, requirement: { name: name.trim(), text: "", scenarios: [] } });
      from = undefined;
    }
  }
  return deltas;
}

/** OpenSpec requires SHALL or MUST in a requirement, which a user story does not have. An import takes this away. */
const NORMATIVE_START = "The system SHALL support this: ";

function formatNormativeText(text: string): string {
  const [first = ""] = text.split("\n", 1);
  if (/\b(?:SHALL|MUST)\b/.test(first)) return text;
  return /\b(?:shall|must)\b/.test(first)
    ? text.replace(/\b(?:shall|must)\b/, (word) => word.toUpperCase())
    : `${NORMATIVE_START}${text}`;
}

/** OpenSpec asks for this many characters. */
const MIN_PURPOSE_LENGTH = 50;
const PURPOSE_END = ", as the requirements in sdd/requirements.md describe it.";

/** A purpose that is long enough for OpenSpec. An import takes the added part away. */
export function formatOpenspecPurpose(title: string, purpose = ""): string {
  const usual = `${title}${PURPOSE_END}`;
  if (purpose === "") return usual;
  return purpose.length >= MIN_PURPOSE_LENGTH ? purpose : `${purpose} (${usual})`;
}

const dropPurposeEnd = (purpose: string): string =>
  purpose.endsWith(`${PURPOSE_END})`) ? purpose.slice(0, purpose.lastIndexOf(" (")) : purpose;

function formatOpenspecRequirement({ name, text, scenarios }: NamedRequirement): string {
  const blocks = scenarios.map((scenario) => `#### Scenario: ${scenario.name}\n\n${scenario.steps}`.trimEnd());
  return [`### Requirement: ${name}`, formatNormativeText(text), ...blocks].join("\n\n");
}

export const formatOpenspecSpec = (
  capability: string,
  purpose: string,
  requirements: readonly NamedRequirement[],
): string =>
  `${[`# ${capability} Specification`, "## Purpose", purpose, "## Requirements", ...requirements.map(formatOpenspecRequirement)].join("\n\n")}\n`;

export function formatOpenspecDeltas(deltas: readonly OpenspecDelta[], purpose: string): string {
  const sections = (["added", "modified", "removed", "renamed"] as const).flatMap((op) => {
    const own = deltas.filter((delta) => delta.op === op);
    if (own.length === 0) return [];
    const blocks = own.map(({ requirement, from }) => {
      if (op === "renamed")
        return `- FROM: \`### Requirement: ${from ?? ""}\`\n- TO: \`### Requirement: ${requirement.name}\``;
      return op === "removed"
        ? `### Requirement: ${requirement.name}\n\n${requirement.text}`.trimEnd()
        : formatOpenspecRequirement(requirement);
    });
    return [`## ${op.toUpperCase()} Requirements`, ...blocks];
  });
  return `${[...(purpose === "" ? [] : ["## Purpose", purpose]), ...sections].join("\n\n")}\n`;
}
