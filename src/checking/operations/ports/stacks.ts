import type { CheckDefinitions, TrustGrant } from "../../model/stack/trusted-surface.ts";
import type { StackDetection } from "../../model/stack/stack-detection.ts";
import type { StackProfile } from "../../model/stack/stack-profile.ts";

export interface StackSurvey {
  readonly detections: readonly StackDetection[];
  readonly definitions: CheckDefinitions;
  readonly profiles: readonly StackProfile[];
  readonly origins: readonly {
    readonly directory: string;
    readonly kind: string;
    readonly tool: string;
    readonly from: string;
  }[];
}

/** Definitions that decide how gates judge, from the working files or a commit. */
export interface StackDefinitions {
  definitions(commit?: string): Promise<CheckDefinitions | undefined>;
  /** With working files that its own profiles choose, because a working profile could hide some. */
  onWorkingFiles(commit: string): Promise<CheckDefinitions | undefined>;
  survey(): Promise<StackSurvey>;
}

export interface TrustStore {
  /** The last permission for this repository at this path. Undefined if never given or revoked. */
  granted(): Promise<TrustGrant | undefined>;
  grant(granted: TrustGrant): Promise<void>;
  revoke(): Promise<void>;
  /** The hash that the caller trusts for this call only. */
  readonly given?: string | undefined;
}
