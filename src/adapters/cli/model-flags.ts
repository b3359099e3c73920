import type { ModelChoice } from "#operations/ports/model.ts";
import type { CliCommand } from "./command.ts";

/** Only a user names a model: agents are not offered these flags, and repository settings cannot set them. */
export const MODEL_FLAGS: NonNullable<CliCommand["ownFlags"]> = {
  with: {
    type: "string",
    value: "command",
    description: "An agent's command line, which reads the prompt on its input",
  },
  url: { type: "string", value: "url", description: "A host that speaks as Anthropic, OpenAI or Ollama do" },
  model: { type: "string", value: "name", description: "The model to ask there" },
  timeout: { type: "string", value: "seconds", description: "For each answer, at most 60; default 10" },
};

export const readModelChoice = (flags: Readonly<Record<string, unknown>>): ModelChoice => ({
  command: readTextFlag(flags["with"]),
  url: readTextFlag(flags["url"]),
  model: readTextFlag(flags["model"]),
  timeout: readTextFlag(flags["timeout"]),
});

const readTextFlag = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
