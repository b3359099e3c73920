import type { Config } from "../workspace/config.ts";
import type { FolderStack } from "./check.ts";

/** A file, or part of one, that decides how a check behaves: a script, a rule set, the settings of a runner. */
export interface ControlFile {
  readonly path: string;
  readonly hash: string;
  /** The relevant part, if it is not the whole file: `scripts`. */
  readonly part?: string;
  readonly shown?: readonly string[];
}

export interface CheckDefinitions {
  readonly stacks: readonly FolderStack[];
  readonly gates: Config["gates"];
  readonly control: readonly ControlFile[];
  /** Problems in profiles or settings. Invalid parts do not run. */
  readonly problems: readonly string[];
}
