import { sanitizeText, quoteShellWord } from "./quote.ts";

/** Git tools show a subject line up to this length. */
const MAX_SUBJECT_LENGTH = 72;

export function formatCommitMessage(id: string, about: string): string {
  const [first = ""] = about.trim().split(/\r?\n/);
  return `${id}: ${sanitizeText(first, Math.max(MAX_SUBJECT_LENGTH - id.length - 3, 20))}`;
}

export const suggestCommitCommand = (id: string, about: string): string =>
  `If you commit it: git commit -m ${quoteShellWord(formatCommitMessage(id, about))}`;
