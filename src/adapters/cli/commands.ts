import type { Command } from "./command.ts";
import { adoptCommands } from "./commands/adopt.ts";
import { adrCommands } from "./commands/adr.ts";
import { changeCommands } from "./commands/change.ts";
import { ciCommands } from "./commands/ci.ts";
import { contextCommands } from "./commands/context.ts";
import { exploreCommands } from "./commands/explore.ts";
import { featureCommands } from "./commands/roadmap/feature.ts";
import { gateCommands } from "./commands/gate.ts";
import { handoverCommands } from "./commands/roadmap/handover.ts";
import { importingCommands } from "./commands/importing.ts";
import { indexingCommands } from "./commands/indexing.ts";
import { knowledgeCommands } from "./commands/roadmap/knowledge.ts";
import { memoryCommands } from "./commands/memory.ts";
import { projectCommands } from "./commands/project.ts";
import { releaseCommands } from "./commands/release.ts";
import { reviewCommands } from "./commands/roadmap/review.ts";
import { roadmapCommands } from "./commands/roadmap/roadmap.ts";
import { workflowCommands } from "./commands/workflow.ts";
import { setupCommands } from "./commands/setup.ts";
import { specCommands } from "./commands/spec.ts";
import { stackCommands } from "./commands/stack.ts";
import { steeringCommands } from "./commands/roadmap/steering.ts";
import { traceCommands } from "./commands/trace.ts";
import { workspaceCommands } from "./commands/workspace.ts";

export const COMMANDS: readonly Command[] = [
  ...workspaceCommands,
  ...ciCommands,
  ...setupCommands,
  ...releaseCommands,
  ...adoptCommands,
  ...importingCommands,
  ...exploreCommands,
  ...projectCommands,
  ...changeCommands,
  ...workflowCommands,
  ...roadmapCommands,
  ...featureCommands,
  ...reviewCommands,
  ...steeringCommands,
  ...handoverCommands,
  ...knowledgeCommands,
  ...gateCommands,
  ...contextCommands,
  ...specCommands,
  ...stackCommands,
  ...indexingCommands,
  ...traceCommands,
  ...adrCommands,
  ...memoryCommands,
];

export const GROUPS: Readonly<Record<string, string>> = {
  ci: "Files that let others run tenon ci",
  adopt: "Specs for code that is there already",
  explore: "Before any work",
  project: "Take a new project from idea to tasks",
  change: "Take a change through its stages",
  workflow: "Several pieces of work side by side",
  review: "What is the user's alone to say of a review",
  knowledge: "What is the user's alone to make of what was learned",
  context: "See what is there already",
  spec: "Specs of features, bugs and research",
  adr: "Keep decisions",
  memory: "What agents remember",
};

export interface Match {
  readonly command: Command;
  readonly rest: readonly string[];
}

export function matchCommand(words: readonly string[]): Match | undefined {
  const first = words.slice(0, 2).join(" ");
  const command =
    COMMANDS.find((candidate) => candidate.path === first) ?? COMMANDS.find((candidate) => candidate.path === words[0]);
  return command && { command, rest: words.slice(command.path.split(" ").length) };
}

export const groupOf = (word: string): readonly Command[] =>
  COMMANDS.filter((command) => command.path.startsWith(`${word} `));
