import type { FlowState } from "../flow/flow.ts";
import type { AssessedDimension } from "./clarity.ts";
import type { ProjectVerdict } from "./vocabulary.ts";
import type { ProjectMode } from "./flow.ts";

export interface ClarityRound {
  readonly at: string;
  readonly answers?: string;
  readonly dimensions: readonly AssessedDimension[];
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
}

/** The given verdict, the verdict derived from the documents, and the reason for a difference. */
export interface ProjectValidation {
  readonly at: string;
  readonly verdict: ProjectVerdict;
  readonly facts: ProjectVerdict;
  readonly override?: string;
}

export interface ProjectRecord extends FlowState {
  readonly name: string;
  readonly description: string;
  readonly mode: ProjectMode;
  /** Every requirement and rule id ever assigned. Ids are never reused. */
  readonly ids: readonly string[];
  readonly rounds: readonly ClarityRound[];
  readonly validations: readonly ProjectValidation[];
  readonly reopenings: readonly { readonly stage: string; readonly reason: string; readonly at: string }[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly schema: 1;
  readonly rev: number;
}
