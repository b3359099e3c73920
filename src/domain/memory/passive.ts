const LEARNINGS_HEADING = /^#{2,3}\s+(?:key\s+)?(?:learnings?|aprendizajes(?:\s+clave)?)\s*:?\s*$/i;
const NUMBERED_LEARNING = /^\s*\d+[.)]\s+(.+)$/;
const BULLET_LEARNING = /^\s*[-*+]\s+(.+)$/;
/** In characters. Shorter items are remarks. */
const MIN_LEARNING_LENGTH = 20;

export function extractLearnings(text: string): string[] {
  let found: string[] = [];
  let section: string[] | undefined;
  const close = (): void => {
    const items = section ? readLearningItems(section) : [];
    if (items.length > 0) found = items;
  };
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    if (!/^#{1,6}\s/.test(line)) {
      section?.push(line);
      continue;
    }
    close();
    section = LEARNINGS_HEADING.test(line.trim()) ? [] : undefined;
  }
  close();
  return found;
}

function readLearningItems(lines: readonly string[]): string[] {
  const under = (mark: RegExp): string[] => lines.flatMap((line) => mark.exec(line)?.[1] ?? []);
  const numbered = under(NUMBERED_LEARNING);
  return (numbered.length > 0 ? numbered : under(BULLET_LEARNING))
    .map(removeInlineMarks)
    .filter((item) => item.length >= MIN_LEARNING_LENGTH);
}

const removeInlineMarks = (text: string): string =>
  text
    .replace(/\*\*([^*]+)\*\*/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, "$1")
    .trim();
