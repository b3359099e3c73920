import type { Config } from "../workspace/config.ts";
import type { StackUse } from "./check.ts";

/** A file, or a part of one, that decides what a check does: a script, a rule set, a runner's settings. */
export interface ControlFile {
  readonly path: string;
  /** SHA-256 of what counts of it, as 64 hexadecimal digits. */
  readonly hash: string;
  /** Which part counts, where it is not the whole: `scripts`. */
  readonly part?: string;
  /** The lines of it that a user has to see: the scripts. */
  readonly shown?: readonly string[];
}

/** What decides how a gate judges: which commands run where, by whose rules, and what may be done without. */
export interface Definitions {
  readonly stacks: readonly StackUse[];
  readonly gates: Config["gates"];
  readonly control: readonly ControlFile[];
  /** What was wrong with a profile or a setting, in words; then nothing of it is run. */
  readonly problems: readonly string[];
}
