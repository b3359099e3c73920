import type { GitEngine } from "#git/operations/engine.ts";
import type { CodeIndex, SyntaxParser } from "./ports/code-index.ts";
import type { CheckCommands, EditJournal } from "./ports/higher-modules.ts";
import type { LanguageModel } from "./ports/model.ts";
import type { RequirementSource } from "./ports/requirements.ts";

export interface CodeEngine extends GitEngine {
  readonly journal: EditJournal;
  readonly stacks: CheckCommands;
  readonly requirements: RequirementSource;
  readonly syntax: SyntaxParser;
  codeIndex(): Promise<CodeIndex>;
  model(): Promise<LanguageModel | undefined>;
}
