import { plain } from "../quote.ts";

export const NOTE_KINDS = ["feature", "bugfix", "change", "decision"] as const;

/** Something that was finished, as its record says. */
export interface Note {
  readonly kind: (typeof NOTE_KINDS)[number];
  /** `user-login`, `AUTH-001`, `BUG-042`, `fix-the-search`, `ADR-0003`. */
  readonly id: string;
  readonly title: string;
  /** When; of a spec only the day is known. */
  readonly at: string;
  /** What there is to know besides, in a few words. */
  readonly more?: string | undefined;
}

const HEADINGS: Readonly<Record<Note["kind"], string>> = {
  feature: "Features",
  bugfix: "Bugs mended",
  change: "Changes",
  decision: "Decisions",
};

/** Whether it was finished at that time or later. A day counts as a whole. */
export const isSince = ({ at }: Note, since: string): boolean => at >= since.slice(0, at.length);

/** What was finished, as Markdown, oldest first under each heading. */
export function notesMarkdown(notes: readonly Note[]): string {
  const parts = NOTE_KINDS.flatMap((kind) => {
    const own = notes.filter((note) => note.kind === kind).toSorted((a, b) => (a.at < b.at ? -1 : 1));
    return own.length === 0 ? [] : [[`## ${HEADINGS[kind]}`, "", ...own.map(lineOf)].join("\n")];
  });
  return parts.join("\n\n");
}

const lineOf = ({ id, title, more }: Note): string =>
  `- **${id}**: ${plain(title, 300)}${more === undefined ? "" : ` (${plain(more, 100)})`}`;

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)?$/;

/** A day or a time in UTC, as the beginning of what is meant; nothing for what is neither. */
export function timeSaid(word: string): string | undefined {
  if (!DAY.test(word)) return undefined;
  return word.includes("T") ? word : `${word}T00:00:00Z`;
}
