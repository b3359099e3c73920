import type { CommandInvocation } from "#kernel/model/shell-command.ts";

/** No line is read twice. `first` has the file's first characters: a new file of that name is read from its start. */
export type JournalPosition = Readonly<{ offset: number; first: string }>;

type JournalLines = readonly Readonly<{ paths: readonly string[] }>[];

/** The part of the journal that the index needs: which paths hooks saw edited. */
export interface EditJournal {
  /** New content after these positions, oldest file first. Reading writes nothing. */
  unread(
    places: ReadonlyMap<string, JournalPosition>,
  ): Promise<readonly Readonly<{ file: string; first: string; end: number; lines: JournalLines }>[]>;
}

type CheckCommand = Readonly<{ kind: string; run: CommandInvocation; variables?: Readonly<Record<string, string>> }>;
type StackCommands = Readonly<{ directory: string; checks: readonly CheckCommand[] }>;

/** The part of the stacks that prepared answers need: which commands check the code. */
export interface CheckCommands {
  definitions(): Promise<{ readonly stacks: readonly StackCommands[] } | undefined>;
}
