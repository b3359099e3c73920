import words from "./stop-words.json" with { type: "json" };

const STOP_WORDS: ReadonlySet<string> = new Set(words);

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);
