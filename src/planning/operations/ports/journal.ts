import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { JournalLine } from "../../model/workflow/journal-fold.ts";

export interface JournalPart {
  /** `2026-01-31.jsonl` */
  readonly file: string;
  readonly first: string;
  readonly lines: readonly StoredJournalLine[];
  /** End offsets of lines that no hook wrote. */
  readonly garbage: readonly number[];
  readonly end: number;
  /** True if the day of the file is over. */
  readonly isSpent: boolean;
}

export interface StoredJournalLine extends JournalLine {
  readonly end: number;
  readonly ms: number;
}

/** Lines written by hooks in this checkout, until an operation folds them into the ledger. */
export interface Journal {
  readonly checkout: string;
  /** New content after these positions, oldest file first. Reading writes nothing. */
  unread(places: ReadonlyMap<string, JournalPosition>): Promise<readonly JournalPart[]>;
  remove(file: string): Promise<void>;
}
