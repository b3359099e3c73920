import type { JournalLine } from "#domain/workflow/fold.ts";

/** How far a file of the journal was read: no line is folded in twice. */
export interface JournalPlace {
  /** Bytes. */
  readonly offset: number;
  /** How the file begins: one made anew under an old name is read from its beginning. */
  readonly first: string;
}

/** What a file of the journal holds beyond the place up to which it was read. */
export interface JournalPart {
  /** `2026-01-31.jsonl` */
  readonly file: string;
  readonly first: string;
  /** Whole lines in their order. */
  readonly lines: readonly WrittenLine[];
  /** Where lines end that no hook wrote. */
  readonly garbage: readonly number[];
  /** The end of the last whole line. */
  readonly end: number;
  /** Whether nobody will write to it any more: its day is over. */
  readonly isSpent: boolean;
}

export interface WrittenLine extends JournalLine {
  /** Where it ends in its file. */
  readonly end: number;
  /** What its hook took, in milliseconds. */
  readonly ms: number;
}

/** What hooks wrote down in this checkout, until an operation folds it into the ledger. */
export interface Journal {
  /** What the ledger calls this checkout. */
  readonly checkout: string;
  /** Every file of the journal, oldest first, from these places on, by its name. Looking writes nothing. */
  unread(places: ReadonlyMap<string, JournalPlace>): Promise<readonly JournalPart[]>;
  /** Takes away a file that is spent. */
  remove(file: string): Promise<void>;
}
