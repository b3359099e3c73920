import type { ModelChoice } from "#operations/ports/model.ts";
import type { Command } from "./command.ts";

/** Only a user names a model: agents are not offered these flags, and repository settings cannot set them. */
export const MODEL_FLAGS: NonNullable<Command["ownFlags"]> = {
  with: {
    type: "string",
    value: "command",
    description: "An agent's command line, which reads the prompt on its input",
  },
  url: { type: "string", value: "url", description: "A host that speaks as Anthropic, OpenAI or Ollama do" },
  model: { type: "string", value: "name", description: "The model to ask there" },
  timeout: { type: "string", value: "seconds", description: "For each answer, at most 60; default 10" },
};

export const modelIn = (flags: Readonly<Record<string, unknown>>): ModelChoice => ({
  command: said(flags["with"]),
  url: said(flags["url"]),
  model: said(flags["model"]),
  timeout: said(flags["timeout"]),
});

const said = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
