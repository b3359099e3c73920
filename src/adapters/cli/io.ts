/** The terminal, or what stands in for it. Nothing below prints any other way. */
export interface Io {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Standard error may go to a file while standard output goes to a terminal. */
  readonly hasErrorColour: boolean;
  /** Columns of the terminal that standard error goes to; nothing when it goes elsewhere. */
  readonly errorWidth: number | undefined;
  /** Calls back once when the user wants to stop, who may have to say it twice to be rid of us. Returns what ends that. */
  onInterrupt(then: () => void): () => void;
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
  /** Writes such a file, whole or not at all, over whatever file is there. */
  save(path: string, text: string): Promise<void>;
}
