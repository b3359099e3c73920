/** `**` matches any number of folders. Small, because hooks load it, and without backtracking. */
export const isGlobPattern = (path: string): boolean => /[*?]/.test(path);

export const matchesPathGlob = (glob: string, path: string): boolean => canGlobsOverlap(glob, path);

export function canGlobsOverlap(one: string, other: string): boolean {
  if (!isGlobPattern(one) && !isGlobPattern(other)) return one === other;
  const fixed = Math.min(countFixedCharacters(one), countFixedCharacters(other));
  if (one.slice(0, fixed) !== other.slice(0, fixed)) return false;
  return canSequencesMatch(one.split("/"), other.split("/"), "**", canNamesOverlap);
}

const countFixedCharacters = (path: string): number => {
  const wild = path.search(/[*?]/);
  return wild < 0 ? path.length : wild;
};

const canNamesOverlap = (one: string, other: string): boolean =>
  one === other ||
  ((isGlobPattern(one) || isGlobPattern(other)) &&
    canSequencesMatch(Array.from(one), Array.from(other), "*", (a, b) => a === b || a === "?" || b === "?"));

/** True if two sequences can match the same text. A wild part matches any number of parts of the other sequence. */
function canSequencesMatch(
  one: readonly string[],
  other: readonly string[],
  wild: string,
  isSame: (a: string, b: string) => boolean,
): boolean {
  // Row i, column j: can the rests match? Computed from the end, so that each cell is computed once.
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row: boolean[] = Array.from({ length: other.length + 1 }, () => false);
    for (let j = other.length; j >= 0; j--) {
      const [a, b] = [one[i], other[j]];
      if (a === undefined && b === undefined) row[j] = true;
      else if (a === wild) row[j] = below[j] === true || (b !== undefined && row[j + 1] === true);
      else if (b === wild) row[j] = row[j + 1] === true || (a !== undefined && below[j] === true);
      else row[j] = a !== undefined && b !== undefined && isSame(a, b) && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}
