import { parseProseLines } from "#kernel/model/document/markdown-document.ts";

export interface RequirementScenario {
  readonly name: string;
  /** Its lines as another tool wrote them, without their common indent. */
  readonly steps: string;
}

/** A requirement of another tool, which names requirements instead of numbering them. */
export interface NamedRequirement {
  readonly name: string;
  readonly text: string;
  readonly scenarios: readonly RequirementScenario[];
}

export interface LabelledRequirement extends NamedRequirement {
  readonly capability: string;
}

/** A folder's name as a capability. A label cannot hold all signs that a folder's name can. */
export const createCapabilityName = (folder: string): string => folder.replace(/[^\p{L}\p{N}._/ -]/gu, "-").trim();

const MAX_DERIVED_NAME = 60;

/** A name for a sentence without one: `The system shall send the code` becomes `Send the code`. */
export function deriveRequirementName(sentence: string): string {
  const [first = ""] = sentence.split("\n", 1);
  const bare = first
    .replace(/^(?:the\s+)?(?:system|users?)\s+(?:must|shall|can)\s+(?:be able to\s+)?/i, "")
    .replace(/\s*\[[^\]]*\]/g, "")
    .replace(/[.;:]+$/, "");
  const cut = bare.length <= MAX_DERIVED_NAME ? bare : bare.slice(0, bare.lastIndexOf(" ", MAX_DERIVED_NAME) >>> 0);
  const name = cut.slice(0, MAX_DERIVED_NAME).trim();
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

const LABEL = /^\(capability: ([^;()]+); name: (.*)\)$/;
const SCENARIO = /^- Scenario:(?: (.*))?$/;
/** Lines that an item cannot hold as they are. A backslash before them keeps them text. */
const ESCAPED = /^[ \t]*(?:\\|#{1,6}[ \t]|\(capability: )/;

/** Trims the text, its lines and the indent that all lines share, so that equal texts are equal strings. */
export function normalizeBlock(block: string): string {
  const lines = block
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.trimEnd());
  const filled = lines.filter((line) => line !== "");
  const indents = filled.map((line) => line.length - line.trimStart().length);
  const indent = filled.every((line) => !line.startsWith("\t")) ? Math.min(...indents) : 0;
  return lines
    .map((line) => line.slice(indent))
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

/** The statement, then `(capability: timetable; name: Next departure)`, then the scenarios. */
export function formatRequirementText({ capability, name, text, scenarios }: LabelledRequirement): string {
  const statement = mapProseLines(normalizeBlock(text).trim() || name, (line) =>
    ESCAPED.test(line) ? line.replace(/^[ \t]*/, "$&\\") : line,
  );
  return [
    statement,
    `(capability: ${capability}; name: ${name})`,
    ...scenarios.flatMap((scenario) => [
      `- Scenario: ${scenario.name}`.trimEnd(),
      ...indentBlock(normalizeBlock(scenario.steps)),
    ]),
  ].join("\n");
}

/** Undefined for a requirement without a label: it was never another tool's. */
export function parseRequirementText(item: string): LabelledRequirement | undefined {
  const lines = item.split("\n");
  const prose = new Set(parseProseLines(item).flatMap(({ number, isCode }) => (isCode ? [] : [number - 1])));
  const at = lines.findIndex((line, i) => prose.has(i) && LABEL.test(line));
  const [, capability = "", name = ""] = LABEL.exec(lines[at] ?? "") ?? [];
  if (at < 0) return undefined;
  const scenarios: { name: string; lines: string[] }[] = [];
  for (const line of lines.slice(at + 1)) {
    const match = SCENARIO.exec(line);
    if (match) scenarios.push({ name: (match[1] ?? "").trim(), lines: [] });
    else scenarios.at(-1)?.lines.push(line);
  }
  return {
    capability: capability.trim(),
    name: name.trim(),
    text: mapProseLines(lines.slice(0, at).join("\n"), (line) => line.replace(/^([ \t]*)\\(?=[\\#(])/, "$1")),
    scenarios: scenarios.map((scenario) => ({ name: scenario.name, steps: normalizeBlock(scenario.lines.join("\n")) })),
  };
}

const indentBlock = (block: string): string[] =>
  block === "" ? [] : block.split("\n").map((line) => (line === "" ? "" : `  ${line}`));

/** Leaves the lines of code blocks as they are. */
function mapProseLines(text: string, change: (line: string) => string): string {
  const prose = new Set(parseProseLines(text).flatMap(({ number, isCode }) => (isCode ? [] : [number - 1])));
  return text
    .split("\n")
    .map((line, i) => (prose.has(i) ? change(line) : line))
    .join("\n");
}

const IDS = String.raw`((?:N?FR|BR|TASK|ADR)-\d{1,5}(?!_*[A-Za-z0-9]|-))`;
const ID_START = String.raw`(?<![A-Za-z0-9-]_{0,2})(?<!(?<![A-Z]-\d{1,5})/)`;

const createScopePattern = (scope: string, times: "*" | "+"): RegExp =>
  new RegExp(`${ID_START}((?:${scope.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}/)${times})${IDS}`, "g");

/** Ids in `known` get their new name; the others get their source in front, which makes them plain text. */
export const qualifyForeignIds = (text: string, scope: string, known?: ReadonlyMap<string, string>): string =>
  text.replace(createScopePattern(scope, "*"), (_, before: string, id: string) =>
    before === "" && known?.has(id) ? (known.get(id) ?? id) : `${scope}/${before}${id}`,
  );

/** Undoes `qualifyForeignIds` for ids that were not known. */
export const restoreForeignIds = (text: string, scope: string): string =>
  text.replace(
    createScopePattern(scope, "+"),
    (_, before: string, id: string) => `${before.slice(scope.length + 1)}${id}`,
  );
