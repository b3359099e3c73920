import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { readDeltaTitle, isIdLine } from "./delta-forms.ts";
import { outlineSpecItems } from "./item-outline.ts";

/** A requirement that its author knows by a name, as in OpenSpec, and the id that Tenon found or gave. */
interface NamedItem {
  readonly id: string;
  readonly name: string;
}

interface LivingItem extends NamedItem {
  readonly text: string;
}

const NAMED_HEADING = /^(#{2,6})\s+requirement\s*:\s*(.+?)\s*#*$/i;
/** `shall` of EARS, or `must`. */
const STATEMENT = /^((?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)(.*\b(?:shall|must)\b.*)$/i;
const RENAME_SIDE = /^\s*(?:[-*+]\s+)?(FROM|TO)\s*:\s*[`*]*(?:#{2,6}\s*Requirement:\s*)?(.+?)[`*]*\s*$/i;
/** The last line of an imported requirement. */
const LABEL = /^\((?:capability: [^;)]*; )?name: ([^;)]*)\)$/m;

/**
 * Gives ids to requirements under delta headings that have only a name: a free one where they are added, else the id of the
 * requirement with this name. In a spec, plain statements under ADDED get ids too, unless any item has one.
 */
export function numberNamedItems(markdown: string, nextId: string, requirements: string, isSpec: boolean) {
  const lines = markdown.split("\n");
  const prose = parseProseLines(markdown);
  const headings = new Map(parseHeadings(prose).map((heading) => [heading.line, heading]));
  const living = listLivingItems(requirements);
  const renames = findRenames(lines, living);
  const known = new Map([...living, ...renames.map(({ item, to }) => ({ ...item, name: to }))].map(createEntry));
  const isUnnumbered = isSpec && !lines.some(isIdLine);
  const named: NamedItem[] = [];
  let added = Number(/\d+$/.exec(nextId)?.[0]);
  const takeNextId = (): string => nextId.replace(/\d+$/, String(added++).padStart(3, "0"));
  let op: ReturnType<typeof readDeltaTitle>;
  let isBelowName = false;
  for (const { number, text, isCode } of prose) {
    if (isCode) continue;
    const heading = headings.get(number);
    const [, marks = "", name = ""] = heading ? (NAMED_HEADING.exec(text) ?? []) : [];
    const section = readDeltaTitle(heading?.text);
    if (section) [op, isBelowName] = [section, false];
    else if (name !== "" && !isIdLine(text)) {
      const id = op === "added" ? takeNextId() : op && known.get(normalizeName(name))?.id;
      isBelowName = true;
      if (id === undefined) continue;
      named.push({ id, name });
      lines[number - 1] = `${marks} ${id}: ${name}`;
    } else if (heading && heading.level <= 2) op = undefined;
    else if (op === "added" && !isBelowName && isUnnumbered) {
      lines[number - 1] = text.replace(STATEMENT, (_, mark: string, statement: string) => {
        const id = takeNextId();
        named.push({ id, name: statement });
        return `${mark}${id}: ${statement}`;
      });
    }
  }
  for (const { at, item, to } of renames) {
    const isModified = named.some(({ id }) => id === item.id);
    lines[at] = isModified ? `- Note: "${item.name}" is called "${to}" now.` : `- ${item.id}: ${renameItem(item, to)}`;
    lines[at + 1] = "";
    const heading = [...headings.keys()].findLast((line) => line <= at) ?? 0;
    lines[heading - 1] = (lines[heading - 1] ?? "").replace(/renamed/i, "MODIFIED");
    if (!isModified) named.push({ id: item.id, name: to });
  }
  return { text: lines.join("\n"), named };
}

const normalizeName = (name: string): string =>
  name
    .replaceAll(/[\s*_`.:]+/g, " ")
    .trim()
    .toLowerCase();

const createEntry = (item: LivingItem): [string, LivingItem] => [normalizeName(item.name), item];

const renameItem = ({ text, name }: LivingItem, to: string): string =>
  text.replace(name, () => to).replaceAll("\n", "\n  ");

/** The line of FROM, with the line of TO below it. */
const findRenames = (lines: readonly string[], living: readonly LivingItem[]) =>
  lines.flatMap((line, at) => {
    const [, from, name = ""] = RENAME_SIDE.exec(line) ?? [];
    const [, side, to = ""] = RENAME_SIDE.exec(lines[at + 1] ?? "") ?? [];
    if (from?.toUpperCase() !== "FROM" || side?.toUpperCase() !== "TO") return [];
    const item = living.find((each) => normalizeName(each.name) === normalizeName(name));
    return item ? [{ at, item, to }] : [];
  });

/** Requirements by the name in their label or first line, without names that several have. */
function listLivingItems(requirements: string): LivingItem[] {
  const items = outlineSpecItems(requirements).items.flatMap(({ id, text, isRemoved }) => {
    const name = LABEL.exec(text)?.[1] ?? text.split("\n", 1)[0] ?? "";
    return isRemoved || name.trim() === "" ? [] : [{ id, name: name.trim(), text }];
  });
  return items.filter(
    ({ id, name }) => !items.some((other) => other.id !== id && normalizeName(other.name) === normalizeName(name)),
  );
}
