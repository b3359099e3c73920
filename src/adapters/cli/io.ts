/** The terminal, or what stands in for it. Nothing below prints any other way. */
export interface Io {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Standard error may go to a file while standard output goes to a terminal. */
  readonly hasErrorColour: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Whether a person sits at both ends. */
  readonly canAsk: boolean;
  /** Asks that person; whatever is not yes is no. */
  ask(question: string): Promise<boolean>;
  /** All of standard input. */
  stdin(): Promise<string>;
  /** A file named on the command line. */
  file(path: string): Promise<string>;
}
