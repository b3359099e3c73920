import type { Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import type { JournalPosition } from "../../ports/journal.ts";

/** Files that agents edited since the last refresh, from the journal of their hooks. */
export interface EditedFiles {
  has(path: string): boolean;
  readonly size: number;
  settle(): Promise<void>;
}

/** The index keeps its own journal positions, independent of the ledger. */
const JOURNAL_NOTE = "journal";

export async function loadEditedFiles({ journal }: Pick<Engine, "journal">, index: CodeIndex): Promise<EditedFiles> {
  const before = await index.note(JOURNAL_NOTE);
  const parts = await journal.unread(parseJournalPlaces(before));
  const paths = new Set(parts.flatMap(({ lines }) => lines.flatMap((line) => line.paths)));
  // Keeps only existing journal files: each is deleted when its day is over.
  const now = JSON.stringify(
    parts.map(({ file, first, end }): [string, JournalPosition] => [file, { first, offset: end }]),
  );
  return {
    has: (path) => paths.has(path.normalize("NFC")),
    size: paths.size,
    settle: async () => {
      if (now !== (before ?? "[]")) await index.keepNote(JOURNAL_NOTE, now);
    },
  };
}

function parseJournalPlaces(note: string | undefined): ReadonlyMap<string, JournalPosition> {
  return new Map(note === undefined ? [] : (JSON.parse(note) as [string, JournalPosition][]));
}
