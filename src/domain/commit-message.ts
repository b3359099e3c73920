import { plain, shellWord } from "./quote.ts";

/** Git tools show a subject line up to this length. */
const LONGEST = 72;

export function commitMessage(id: string, about: string): string {
  const [first = ""] = about.trim().split(/\r?\n/);
  return `${id}: ${plain(first, Math.max(LONGEST - id.length - 3, 20))}`;
}

export const offerCommit = (id: string, about: string): string =>
  `If you commit it: git commit -m ${shellWord(commitMessage(id, about))}`;
