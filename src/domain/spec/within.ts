import { parseProseLines } from "../document/prose.ts";
import { findIdDefinitions } from "../document/reference.ts";
import { findItemList } from "./edit.ts";
import { outlineSpecItems } from "./outline.ts";

/**
 * Parses the text between another item and a heading. An open comment, an open code block or a heading in the text
 * would change the items around it.
 */
export function isContainedInItem(id: string, text: string): boolean {
  const [first = "", ...below] = text.split("\n");
  const item = [`- **${id}**: ${first}`, ...below.map((line) => (line === "" ? "" : `  ${line}`))];
  const around = ["## Above", "", ...item, "- **FR-99998**: Next.", "", "## Below", ""].join("\n");
  const { items, headings } = outlineSpecItems(around);
  const lines = parseProseLines(around);
  const defined = [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")];
  return (
    headings.length === 2 &&
    defined.length === 2 &&
    items.length === 2 &&
    items[0]?.text === text.trimEnd() &&
    items[1]?.text === "Next."
  );
}

export function isDisturbingOtherItems(before: string, after: string, own: readonly (string | undefined)[]): boolean {
  const others = (text: string): string => {
    const found = outlineSpecItems(text);
    return JSON.stringify(
      found.items
        .filter(({ id }) => !own.includes(id))
        .map((item) => [item.id, item.text, item.isRemoved, findItemList(found, item)]),
    );
  };
  return others(before) !== others(after);
}
