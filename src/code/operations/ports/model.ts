export type ModelAnswer =
  | { readonly said: string }
  /** The reason as one sentence, without the prompt and without keys. */
  | { readonly failed: string };

/** A model chosen by the user, by flag or environment. A repository cannot choose one. */
export interface LanguageModel {
  /** Display name: `claude -p`, `llama3.2 at 127.0.0.1:11434`. */
  readonly name: string;
  /** One request within the user's time limit. Never throws for a model failure. */
  answer(prompt: string, cancelled: AbortSignal): Promise<ModelAnswer>;
}

/** The command is that of an agent that reads the prompt from standard input. */
export type ModelChoice = Readonly<Partial<Record<"command" | "url" | "model" | "timeout", string | undefined>>>;
