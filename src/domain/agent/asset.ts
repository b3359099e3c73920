const PART_INCLUDE = /\{\{> ([a-z-]+)\}\}/g;
/** Stops parts that include each other. */
const MAX_PART_DEPTH = 5;

export const listIncludedParts = (text: string): string[] =>
  Array.from(text.matchAll(PART_INCLUDE), ([, name = ""]) => name);

/** Replaces each `{{> severity}}` with its part. Parts may include other parts. */
export function expandTextParts(text: string, parts: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > MAX_PART_DEPTH) throw new Error("The parts of a text name each other in a circle.");
  return text.replace(PART_INCLUDE, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The text takes in "${name}", and there is no such part.`);
    return expandTextParts(part.trim(), parts, depth + 1);
  });
}
