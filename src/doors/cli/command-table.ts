import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { OperationId } from "../catalogue.ts";
import { DOOR_TABLE } from "../door-table.ts";
import type { CliCommand } from "./command-types.ts";

/** What a command does besides running its operation. */
const EXTRAS: Partial<Record<OperationId, Pick<CliCommand, "afterwards" | "names">>> = {
  "ci.run": { afterwards: async () => (await import("./ci-output.ts")).printCiAnnotations },
  "gate.verify": { afterwards: async () => (await import("./ci-output.ts")).writeVerificationReports },
  "indexing.update": { afterwards: async () => (await import("./watch-index.ts")).watchCodeIndex },
  // Only a user names a model: agents are not offered these flags, and repository settings cannot set them.
  "indexing.summarize": { names: readModelChoice },
};

export const CLI_COMMANDS: readonly CliCommand[] = Object.entries(DOOR_TABLE).map(([id, { command, ...row }]) => {
  const operation = id as OperationId;
  return { path: command, operation, ...row, ...EXTRAS[operation] };
});

function readModelChoice(flags: Readonly<Record<string, unknown>>): ModelChoice {
  const read = (name: string): string | undefined => (typeof flags[name] === "string" ? flags[name] : undefined);
  return { command: read("with"), url: read("url"), model: read("model"), timeout: read("timeout") };
}

export interface CommandMatch {
  readonly command: CliCommand;
  readonly rest: readonly string[];
}

export function matchCommand(words: readonly string[]): CommandMatch | undefined {
  const first = words.slice(0, 2).join(" ");
  const command =
    CLI_COMMANDS.find((candidate) => candidate.path === first) ??
    CLI_COMMANDS.find((candidate) => candidate.path === words[0]);
  return command && { command, rest: words.slice(command.path.split(" ").length) };
}

export const listGroupCommands = (word: string): readonly CliCommand[] =>
  CLI_COMMANDS.filter((command) => command.path.startsWith(`${word} `));
