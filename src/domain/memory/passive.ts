const HEADING = /^#{2,3}\s+(?:key\s+)?(?:learnings?|aprendizajes(?:\s+clave)?)\s*:?\s*$/i;
const NUMBERED = /^\s*\d+[.)]\s+(.+)$/;
const BULLET = /^\s*[-*+]\s+(.+)$/;
/** In characters. Shorter items are remarks. */
const SHORTEST = 20;

export function learningsIn(text: string): string[] {
  let found: string[] = [];
  let section: string[] | undefined;
  const close = (): void => {
    const items = section ? itemsIn(section) : [];
    if (items.length > 0) found = items;
  };
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (!/^#{1,6}\s/.test(line)) {
      section?.push(line);
      continue;
    }
    close();
    section = HEADING.test(line.trim()) ? [] : undefined;
  }
  close();
  return found;
}

function itemsIn(lines: readonly string[]): string[] {
  const under = (mark: RegExp): string[] => lines.flatMap((line) => mark.exec(line)?.[1] ?? []);
  const numbered = under(NUMBERED);
  return (numbered.length > 0 ? numbered : under(BULLET)).map(bare).filter((item) => item.length >= SHORTEST);
}

const bare = (text: string): string =>
  text
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, "$1")
    .trim();
