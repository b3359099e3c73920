import type { Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import type { JournalPlace } from "../../ports/journal.ts";

/** Which files agents edited since the index was last brought up to date, by what their hooks wrote down. */
export interface Edited {
  has(path: string): boolean;
  readonly size: number;
  /** From now on only what is edited afterwards counts. */
  settle(): Promise<void>;
}

/** The index has places of its own in the journal: what it has read is no matter of what the ledger has folded in. */
const NOTE = "journal";

export async function editedSince({ journal }: Pick<Engine, "journal">, index: CodeIndex): Promise<Edited> {
  const before = await index.note(NOTE);
  const parts = await journal.unread(placesIn(before));
  const paths = new Set(parts.flatMap(({ lines }) => lines.flatMap((line) => line.paths)));
  // Only the files that are there: a journal is taken away when its day is over.
  const now = JSON.stringify(
    parts.map(({ file, first, end }): [string, JournalPlace] => [file, { first, offset: end }]),
  );
  return {
    has: (path) => paths.has(path.normalize("NFC")),
    size: paths.size,
    settle: async () => {
      if (now !== (before ?? "[]")) await index.keepNote(NOTE, now);
    },
  };
}

function placesIn(note: string | undefined): ReadonlyMap<string, JournalPlace> {
  return new Map(note === undefined ? [] : (JSON.parse(note) as [string, JournalPlace][]));
}
