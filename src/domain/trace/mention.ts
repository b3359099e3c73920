export interface IdMention {
  readonly id: string;
  readonly line: number;
}

/** Emphasis may surround an id. A letter, a digit or a hyphen makes it a different word. */
const SPEC_ID_MENTION = /(?<![A-Za-z0-9-]_{0,2})[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}(?!_*[A-Za-z0-9]|-\w)/g;

export function findSpecIdMentions(text: string, isKnown: (id: string) => boolean): IdMention[] {
  const found = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries())
    for (const [id] of line.matchAll(SPEC_ID_MENTION)) if (!found.has(id) && isKnown(id)) found.set(id, at + 1);
  return [...found].map(([id, line]) => ({ id, line }));
}
