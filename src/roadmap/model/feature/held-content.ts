import { normalizeCodeText } from "#code/model/trace/traced-symbols.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import type { CheckedDesign } from "./design-check.ts";
import type { AcceptedDesign, TaskGroupRecord } from "./feature-record.ts";

/** Content of a feature that differs from the accepted content. Absent parts are as accepted. */
export interface FeatureEdits {
  readonly design?: true;
  readonly research?: true;
  /** Steering files that the design was made on. */
  readonly steering?: readonly string[];
  readonly tasks?: true;
  /** Files of the code that no other feature writes. */
  readonly code?: readonly string[];
}

const STRUCTURE_LINE = /^(?:#{1,6}\s|[-*+]\s|\d{1,4}[.)]\s|>|\|)/;

/** Markdown without layout: reflowed paragraphs, padded tables and blank lines give the same text. Code keeps its lines. */
export function normalizeDocumentText(text: string): string {
  const lines: string[] = [];
  let fence = "";
  let isJoined = false;
  for (const raw of text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/)) {
    const line = raw.trimEnd();
    const [, mark = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== "" || mark !== "") {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      lines.push(line);
      isJoined = false;
      continue;
    }
    const plain = line.trim().replace(/\s+/g, " ");
    if (plain === "") isJoined = false;
    else if (isJoined && !STRUCTURE_LINE.test(plain)) lines.push(`${lines.pop() ?? ""} ${plain}`);
    else {
      lines.push(plain.startsWith("|") ? normalizeTableRow(plain) : plain.replace(/^[*+] /, "- "));
      isJoined = !plain.startsWith("|") && !plain.startsWith("#");
    }
  }
  return lines.join("\n");
}

const normalizeTableRow = (row: string): string =>
  row
    .split("|")
    .map((cell) => cell.trim().replace(/^(:?)-+(:?)$/, "$1-$2"))
    .join("|");

const FREE_LAYOUT = /\.(?:[cm]?[jt]sx?|java|kts?|cs|cc|cpp|cxx|c|hh?|hpp|go|rs|php|swift|scala|dart|s?css|less|json)$/i;

/** Source without layout, as far as the language allows: elsewhere only blank lines and line ends do not count. */
export function normalizeSourceText(path: string, text: string): string {
  if (/\.mdx?$/i.test(path)) return normalizeDocumentText(text);
  if (FREE_LAYOUT.test(path)) return normalizeCodeText(text, []);
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trimEnd());
  return lines.filter((line) => line !== "").join("\n");
}

/** A plan without layout and without the statuses, which Tenon writes. */
export const normalizePlanText = (text: string): string =>
  normalizeSourceText("tasks.yaml", text)
    .split("\n")
    .filter((line) => !/^\s*(?:-\s+)?status:/.test(line))
    .join("\n");

/** Sections whose text is part of what Builders build, besides criteria and components. */
const BUILT_SECTIONS = [
  "Architecture",
  "System Flows",
  "Data Models",
  "Error Handling",
  "Testing Strategy",
  "Security",
  "Performance",
  "Migration",
] as const;

/** As texts: `S1.AC2`, `component Login`, `interface Login`, `section Data Models`. Other text reaches no code. */
export function splitDesignParts(text: string, { specs, components }: CheckedDesign): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const { id, stability, text: said } of specs.flatMap(({ criteria }) => criteria))
    parts.set(id, `${stability ?? ""} ${said}`);
  const offered = extractSectionText(text, "Components and Interfaces") ?? "";
  for (const { name, covers, files } of components) {
    parts.set(`component ${name}`, JSON.stringify([covers, files]));
    const own = extractSectionText(offered, name);
    if (own !== undefined) parts.set(`interface ${name}`, normalizeDocumentText(own));
  }
  for (const name of BUILT_SECTIONS) {
    const said = extractSectionText(text, name);
    if (said !== undefined) parts.set(`section ${name}`, normalizeDocumentText(said));
  }
  return parts;
}

/** What other features build on: the components, their interfaces, and criteria that callers may rely on. */
export function describeOfferedParts(text: string, { specs }: CheckedDesign): string {
  const relied = specs.flatMap(({ criteria }) => criteria).filter(({ stability }) => stability !== "behavior");
  const offered = extractSectionText(text, "Components and Interfaces") ?? "";
  return JSON.stringify([normalizeDocumentText(offered), relied.map(({ id, text: said }) => [id, said])]);
}

export interface DesignReach {
  /** The tasks must be planned again: criteria or components came, went or moved. */
  readonly isReplanned: boolean;
  readonly groups: readonly string[];
  readonly parts: readonly string[];
}

type ComponentFiles = readonly { readonly name: string; readonly files: readonly string[] }[];

/** Undefined if the records do not show what the old version was like. */
export function measureDesignReach(
  before: AcceptedDesign | null,
  after: AcceptedDesign,
  groups: readonly TaskGroupRecord[],
  components: ComponentFiles,
): DesignReach | undefined {
  const [old, fresh] = [before?.parts, after.parts];
  if (!old || !fresh || groups.some(({ criteria }) => criteria === undefined)) return undefined;
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const parts = names.filter((name) => old[name] !== fresh[name]);
  const isCriterion = (name: string): boolean => /^S\d/.test(name);
  const isReplanned = parts.some(
    (name) =>
      name.startsWith("component ") || (isCriterion(name) && (old[name] === undefined || fresh[name] === undefined)),
  );
  const listFiles = (name: string): readonly string[] =>
    components.find((each) => name.endsWith(` ${each.name}`))?.files ?? [];
  const isReached = ({ files, criteria = [] }: TaskGroupRecord): boolean =>
    parts.some((name) => {
      if (isCriterion(name)) return criteria.includes(name);
      return name.startsWith("section ") || listFiles(name).some((file) => files.includes(file));
    });
  return { isReplanned, groups: groups.filter(isReached).map(({ id }) => id), parts };
}
