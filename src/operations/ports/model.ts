/** What came of a question to a model. */
export type Answered =
  | { readonly said: string }
  /** Why there is no answer, in a sentence that holds nothing of what was sent, and no key. */
  | { readonly failed: string };

/** A model that the user named, for this call or by the environment. No repository can name one. */
export interface Model {
  /** As it may be shown: `claude -p`, `llama3.2 at 127.0.0.1:11434`. */
  readonly name: string;
  /** Asks once, for as long as the user lets it take. It never throws for what the model does. */
  answer(prompt: string, cancelled: AbortSignal): Promise<Answered>;
}

/** What the user says of it on the command line; the rest is looked for in the environment. */
export interface ModelChoice {
  /** An agent's command line, which reads the prompt on its standard input. */
  readonly command?: string | undefined;
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  /** Seconds for each answer. */
  readonly timeout?: string | undefined;
}
