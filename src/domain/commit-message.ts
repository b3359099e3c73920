import { plain, shellWord } from "./quote.ts";

/** Characters of a first line that are shown whole everywhere. */
const LONGEST = 72;

/** `{id}: {what it is about}` in one line, as the commits of a roadmap say it. */
export function commitMessage(id: string, about: string): string {
  const [first = ""] = about.trim().split(/\r?\n/);
  return `${id}: ${plain(first, Math.max(LONGEST - id.length - 3, 20))}`;
}

/** Something to type, to take or to leave. */
export const offerCommit = (id: string, about: string): string =>
  `If you commit it: git commit -m ${shellWord(commitMessage(id, about))}`;
