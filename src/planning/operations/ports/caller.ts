/** The program behind a call. Marks name processes as `1234.5678@place`; see `process-marks.ts`. */
export interface CallingProgram {
  /** A name for its calls that name no session. Undefined for a user at a terminal, who has the project's session. */
  readonly name?: string | undefined;
  /** The process that ends together with the program's connection. */
  mark(): string | undefined;
  /** The processes that led to this call, nearest first. */
  clients(): readonly string[];
  /** Only true if it is certain. */
  isGone(mark: string): boolean;
  /** Only true if it is certain. */
  isRunning(mark: string): boolean;
  /** Notes the session that a call named. `given` is that session, as long as all calls named the same. */
  note(session: string): void;
  readonly given?: string | undefined;
}

export const UNKNOWN_CALLER: CallingProgram = {
  mark: () => undefined,
  clients: () => [],
  isGone: () => false,
  isRunning: () => false,
  note: () => undefined,
};
