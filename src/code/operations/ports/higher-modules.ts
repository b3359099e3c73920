import type { CommandInvocation } from "#kernel/model/shell-command.ts";

/** Read position in a journal file. No line is read twice. */
export interface JournalPosition {
  readonly offset: number;
  /** First characters of the file. A new file under the same name is read from its start. */
  readonly first: string;
}

/** The part of the journal that the index needs: which paths hooks saw edited. */
export interface EditJournal {
  /** New content after these positions, oldest file first. Reading writes nothing. */
  unread(places: ReadonlyMap<string, JournalPosition>): Promise<
    readonly {
      readonly file: string;
      readonly first: string;
      readonly end: number;
      readonly lines: readonly { readonly paths: readonly string[] }[];
    }[]
  >;
}

/** The part of the stacks that prepared answers need: which commands check the code. */
export interface CheckCommands {
  definitions(): Promise<
    | {
        readonly stacks: readonly {
          readonly directory: string;
          readonly checks: readonly {
            readonly kind: string;
            readonly run: CommandInvocation;
            readonly variables?: Readonly<Record<string, string>>;
          }[];
        }[];
      }
    | undefined
  >;
}
