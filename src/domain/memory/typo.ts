const TYPO_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Shorter words are one typo away from too many others. */
const MIN_TYPO_LENGTH = 4;
const MAX_TYPO_LENGTH = 24;

/** Words with one letter missing, added, wrong, or swapped with the next. */
export function listTypoVariants(word: string): string[] {
  if (word.length < MIN_TYPO_LENGTH || word.length > MAX_TYPO_LENGTH) return [];
  const slips = new Set<string>();
  for (let i = 0; i <= word.length; i++) {
    const [before, after] = [word.slice(0, i), word.slice(i)];
    if (after !== "") slips.add(before + after.slice(1));
    if (after.length > 1) slips.add(before + after[1] + after[0] + after.slice(2));
    for (const letter of TYPO_LETTERS) {
      slips.add(before + letter + after);
      if (after !== "") slips.add(before + letter + after.slice(1));
    }
  }
  slips.delete(word);
  return [...slips];
}
