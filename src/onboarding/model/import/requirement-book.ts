import { findConflictMarkers, parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { RequirementPriority } from "#planning/model/living-spec/delta-vocabulary.ts";
import {
  chooseItemList,
  formatSpecListItem,
  insertSpecItem,
  isContainedInItem,
  isDisturbingOtherItems,
} from "#planning/model/living-spec/item-edit.ts";
import { outlineSpecItems } from "#planning/model/living-spec/item-outline.ts";
import { findListForHeading } from "#planning/model/project/requirement-lists.ts";
import type { ForeignRequirements } from "./import-source.ts";
import {
  formatRequirementText,
  type LabelledRequirement,
  normalizeBlock,
  parseRequirementText,
  qualifyForeignIds,
} from "./requirement-text.ts";

export const EMPTY_REQUIREMENTS = "# Requirements\n";

export interface FreeNumbers {
  readonly FR: number;
  readonly NFR: number;
}

interface NumberedRequirement extends LabelledRequirement {
  readonly id: string;
  readonly priority?: RequirementPriority | undefined;
}

/** An item that a requirements document can hold, with other tools' ids as text. Undefined if it cannot. */
export function createRequirementItem(
  requirement: LabelledRequirement,
  id: string,
  scope: string,
  known?: ReadonlyMap<string, string>,
): string | undefined {
  const text = qualifyForeignIds(formatRequirementText(requirement), scope, known);
  const isReadable = parseRequirementText(text)?.scenarios.length === requirement.scenarios.length;
  return isReadable && isContainedInItem(id, text) ? text : undefined;
}

/** Adds the requirements of a capability after those that are there. No other text changes. */
export function addRequirements(
  document: string,
  { capability, purpose, requirements }: ForeignRequirements,
  scope: string,
  free: FreeNumbers,
): { text: string; ids: readonly string[]; isPurposeKept: boolean } | { problem: string } {
  const next = { ...free };
  const numbered = requirements.map((requirement): NumberedRequirement => {
    const family = requirement.isQuality ? "NFR" : "FR";
    return { ...requirement, capability, id: `${family}-${String(next[family]++).padStart(3, "0")}` };
  });
  const known = new Map(requirements.flatMap(({ label }, i) => (label ? [[label, numbered[i]?.id ?? ""]] : [])));
  if (findConflictMarkers(parseProseLines(document)).length > 0) return { problem: "a merge left its marks in it" };
  const items = new Map<string, string>();
  for (const each of numbered) {
    const item = createRequirementItem(each, each.id, scope, known);
    if (item === undefined) return { problem: `the requirement "${each.name}" does not end where it should` };
    items.set(each.id, item);
  }
  const described = addCapabilityPurpose(document, capability, qualifyForeignIds(purpose, scope, known));
  const lists = Map.groupBy(numbered, ({ id, priority }) => chooseItemList(id, priority));
  const text = [...lists].reduce(
    (before, [list, own]) =>
      insertItemBlock(
        before,
        list,
        own.map(({ id }) => [id, items.get(id) ?? ""]),
      ),
    described ?? document,
  );
  if (isDisturbingOtherItems(document, text, [...items.keys()]))
    return { problem: "it would change how other requirements are read" };
  return { text, ids: [...items.keys()], isPurposeKept: purpose === "" || described !== undefined };
}

const BLOCK_MARK = "imported-block";

/** Inserts many items at once. Their ids are higher than all others, so they stay together. */
function insertItemBlock(
  document: string,
  list: Parameters<typeof insertSpecItem>[1],
  items: readonly (readonly [id: string, text: string])[],
): string {
  const [[first] = [""]] = items;
  const newline = document.includes("\r\n") ? "\r\n" : "\n";
  const block = items.flatMap(([id, text]) => formatSpecListItem(id, text)).join(newline);
  return insertSpecItem(document, list, first, BLOCK_MARK).replace(`- **${first}**: ${BLOCK_MARK}`, () => block);
}

const CAPABILITIES = "Capabilities";
const CAPABILITY_ITEM = /^- \*\*([^*]+)\*\*:(?: (.*))?$/;

/** Adds a line to `## Capabilities`. Undefined if the purpose cannot be kept there. */
export function addCapabilityPurpose(document: string, capability: string, purpose: string): string | undefined {
  if (purpose === "" || parseCapabilityPurposes(document).has(capability)) return document;
  const block = normalizeBlock(purpose);
  if (!isContainedInItem("FR-99997", block) || /[*\n]/.test(capability)) return undefined;
  const [first = "", ...below] = block.split("\n");
  const item = [`- **${capability}**: ${first}`, ...below.map((line) => (line === "" ? "" : `  ${line}`))];
  const newline = document.includes("\r\n") ? "\r\n" : "\n";
  const lines = document.split(/\r\n|\r|\n/);
  const headings = parseHeadings(parseProseLines(document));
  const section = headings.find(({ text }) => text === CAPABILITIES);
  const next = section
    ? headings.find(({ line, level }) => line > section.line && level <= section.level)
    : headings.find(({ text }) => findListForHeading(text) !== undefined);
  let at = next ? next.line - 1 : lines.length;
  while (at > 0 && (lines[at - 1] ?? "").trim() === "") at--;
  const head = section ? (section.hasText ? [] : [""]) : ["", `## ${CAPABILITIES}`, ""];
  const tail = lines.slice(at).every((line) => line.trim() === "")
    ? [""]
    : ["", ...lines.slice(at).slice(countBlank(lines, at))];
  return [...lines.slice(0, at), ...head, ...item, ...tail].join(newline);
}

function countBlank(lines: readonly string[], from: number): number {
  const filled = lines.slice(from).findIndex((line) => line.trim() !== "");
  return filled < 0 ? 0 : filled;
}

export function parseCapabilityPurposes(document: string): ReadonlyMap<string, string> {
  const lines = document.split(/\r\n|\r|\n/);
  const headings = parseHeadings(parseProseLines(document));
  const section = headings.find(({ text }) => text === CAPABILITIES);
  if (!section) return new Map();
  const next = headings.find(({ line, level }) => line > section.line && level <= section.level);
  const found: { name: string; lines: string[] }[] = [];
  for (const line of lines.slice(section.line, next ? next.line - 1 : undefined)) {
    const [whole, name = "", text = ""] = CAPABILITY_ITEM.exec(line) ?? [];
    if (whole !== undefined) found.push({ name, lines: [text] });
    else found.at(-1)?.lines.push(line.replace(/^ {2}/, ""));
  }
  return new Map(found.map(({ name, lines: text }) => [name, text.join("\n").trim()]));
}

export interface LivingRequirement {
  readonly id: string;
  readonly item: string;
  readonly requirement: LabelledRequirement | undefined;
}

export function listLivingRequirements(document: string): LivingRequirement[] {
  const outline = outlineSpecItems(document);
  const wont = outline.headings.filter(({ text }) => findListForHeading(text) === "wont");
  const isWanted = (line: number): boolean =>
    !wont.some(({ line: from, level }) => {
      const next = outline.headings.find((other) => other.line > from && other.level <= level);
      return line >= from && line < (next?.line ?? Infinity);
    });
  return outline.items
    .filter(({ isRemoved, start }) => !isRemoved && isWanted(start))
    .map(({ id, text }) => ({ id, item: text, requirement: parseRequirementText(text) }));
}

const foldName = (name: string): string => name.toLowerCase().replace(/\s+/g, " ").trim();

/** The requirement with this name, or with the same name in other letters. */
export function findRequirementByName(
  living: readonly LivingRequirement[],
  capability: string,
  name: string,
): LivingRequirement | undefined {
  const own = living.filter(({ requirement }) => requirement?.capability === capability);
  return (
    own.find(({ requirement }) => requirement?.name === name) ??
    own.find(({ requirement }) => foldName(requirement?.name ?? "") === foldName(name))
  );
}
