const PART = /\{\{> ([a-z-]+)\}\}/g;
/** Deeper than any text of ours goes: a part that names itself would go on for ever. */
const DEEPEST = 5;

/** The names of the parts that a text takes in. */
export const partsNamed = (text: string): string[] => Array.from(text.matchAll(PART), ([, name = ""]) => name);

/** A text with the parts that it names, as `{{> severity}}`, in their places. A part may name others. */
export function withParts(text: string, parts: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > DEEPEST) throw new Error("The parts of a text name each other in a circle.");
  return text.replace(PART, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The text takes in "${name}", and there is no such part.`);
    return withParts(part.trim(), parts, depth + 1);
  });
}
