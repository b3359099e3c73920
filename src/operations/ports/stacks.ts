import type { CheckDefinitions } from "#domain/stack/definitions.ts";
import type { StackDetection } from "#domain/stack/detect/detection.ts";
import type { StackProfile } from "#domain/stack/profile/profile.ts";

export interface StackSurvey {
  readonly detections: readonly StackDetection[];
  readonly definitions: CheckDefinitions;
  readonly profiles: readonly StackProfile[];
}

/** Definitions that decide how gates judge, from the working files or a commit. */
export interface StackDefinitions {
  definitions(commit?: string): Promise<CheckDefinitions | undefined>;
  /**
   * The commit's definitions applied to the working files that decide what its checks do. The commit's own profiles
   * choose those files, because a working profile could hide some.
   */
  onWorkingFiles(commit: string): Promise<CheckDefinitions | undefined>;
  survey(): Promise<StackSurvey>;
}
