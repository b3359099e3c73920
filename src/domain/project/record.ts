import type { FlowState } from "../flow/flow.ts";
import type { Assessed } from "./clarity.ts";
import type { ProjectVerdict } from "./vocabulary.ts";
import type { Mode } from "./flow.ts";

/** One pass through the Clarity Gate: what was answered, what each dimension came to, and whether it was enough. */
export interface Round {
  readonly at: string;
  readonly answers?: string;
  readonly dimensions: readonly Assessed[];
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
}

/** A verdict on the whole, what the documents themselves say, and why the two may differ. */
export interface Validation {
  readonly at: string;
  readonly verdict: ProjectVerdict;
  readonly facts: ProjectVerdict;
  readonly override?: string;
}

/** The content of `sdd/sdd.json`. */
export interface ProjectRecord extends FlowState {
  readonly name: string;
  readonly description: string;
  readonly mode: Mode;
  /** Every id of a requirement or a rule that was ever given. None is given twice. */
  readonly ids: readonly string[];
  readonly rounds: readonly Round[];
  readonly validations: readonly Validation[];
  readonly reopenings: readonly { readonly stage: string; readonly reason: string; readonly at: string }[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly schema: 1;
  readonly rev: number;
}
