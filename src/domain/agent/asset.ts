const PART = /\{\{> ([a-z-]+)\}\}/g;
/** Stops parts that include each other. */
const DEEPEST = 5;

export const partsNamed = (text: string): string[] => Array.from(text.matchAll(PART), ([, name = ""]) => name);

/** Replaces each `{{> severity}}` with its part. Parts may include other parts. */
export function withParts(text: string, parts: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > DEEPEST) throw new Error("The parts of a text name each other in a circle.");
  return text.replace(PART, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The text takes in "${name}", and there is no such part.`);
    return withParts(part.trim(), parts, depth + 1);
  });
}
