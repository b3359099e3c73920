/** The terminal, or a test double. All output goes through it. */
export interface TerminalIo {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Standard error may go to a file while standard output goes to a terminal. */
  readonly hasErrorColour: boolean;
  /** Columns of the terminal behind standard error; undefined when it goes elsewhere. */
  readonly errorWidth: number | undefined;
  /** Calls `then` on the first interrupt; a second one ends the process. Returns a function that stops listening. */
  onInterrupt(then: () => void): () => void;
  out(text: string): void;
  err(text: string): void;
  readonly canAsk: boolean;
  /** Asks that person. Every answer except yes counts as no. */
  ask(question: string): Promise<boolean>;
  stdin(): Promise<string>;
  file(path: string): Promise<string>;
  /** Replaces a file named on the command line, completely or not at all. */
  save(path: string, text: string): Promise<void>;
}
