/** At most two edits away, and fewer than the letters of the known word. */
export function findClosestWord(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: measureEditDistance(word, candidate) }))
    .filter((entry) => entry.distance <= Math.min(2, entry.candidate.length - 1))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Levenshtein distance. Cuts the input at 40 characters; no command is longer. */
function measureEditDistance(a: string, b: string): number {
  const left = a.slice(0, 40);
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
