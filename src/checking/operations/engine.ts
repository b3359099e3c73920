import type { PlanningEngine } from "#planning/operations/engine.ts";
import type { CommandRunner, ScratchFolder } from "#kernel/operations/ports/runner.ts";
import type { StackDefinitions, TrustStore } from "./ports/stacks.ts";

export interface CheckingEngine extends PlanningEngine {
  readonly stacks: StackDefinitions;
  readonly runner: CommandRunner;
  scratch(): Promise<ScratchFolder>;
  /** Whether a check in this folder would find the program. */
  isInstalled(program: string, folder: string): Promise<boolean>;
  readonly trust: TrustStore;
  /** The same program on another folder, such as a clone. Trust stays that of this workspace. */
  openClone(root: string): CheckingEngine;
}
