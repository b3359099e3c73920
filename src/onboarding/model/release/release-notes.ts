import { sanitizeText } from "#kernel/model/text-format.ts";

export const RELEASE_NOTE_KINDS = ["feature", "bugfix", "change", "decision"] as const;

export interface ReleaseNote {
  readonly kind: (typeof RELEASE_NOTE_KINDS)[number];
  /** `user-login`, `AUTH-001`, `BUG-042`, `fix-the-search`, `ADR-0003`. */
  readonly id: string;
  readonly title: string;
  /** Time of completion; for a spec only the day is known. */
  readonly at: string;
  readonly more?: string | undefined;
}

const RELEASE_NOTE_HEADINGS: Readonly<Record<ReleaseNote["kind"], string>> = {
  feature: "Features",
  bugfix: "Bugs fixed",
  change: "Changes",
  decision: "Decisions",
};

/** Whether it was finished at that time or later. A note with only a day counts for the whole day. */
export const isFinishedSince = ({ at }: ReleaseNote, since: string): boolean => at >= since.slice(0, at.length);

/** Oldest first under each heading. */
export function formatReleaseNotes(notes: readonly ReleaseNote[]): string {
  const parts = RELEASE_NOTE_KINDS.flatMap((kind) => {
    const own = notes.filter((note) => note.kind === kind).toSorted((a, b) => (a.at < b.at ? -1 : 1));
    return own.length === 0
      ? []
      : [[`## ${RELEASE_NOTE_HEADINGS[kind]}`, "", ...own.map(formatReleaseNote)].join("\n")];
  });
  return parts.join("\n\n");
}

const formatReleaseNote = ({ id, title, more }: ReleaseNote): string =>
  `- **${id}**: ${sanitizeText(title, 300)}${more === undefined ? "" : ` (${sanitizeText(more, 100)})`}`;

const RELEASE_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)?$/;

/** Parses a UTC day or time; a day means its start. Undefined for other text. */
export function parseReleaseDate(word: string): string | undefined {
  if (!RELEASE_DATE.test(word)) return undefined;
  return word.includes("T") ? word : `${word}T00:00:00Z`;
}
