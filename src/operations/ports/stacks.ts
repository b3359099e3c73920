import type { Definitions } from "#domain/stack/definitions.ts";
import type { Detection } from "#domain/stack/detect/detection.ts";
import type { Profile } from "#domain/stack/profile/profile.ts";

export interface StackSurvey {
  readonly detections: readonly Detection[];
  readonly definitions: Definitions;
  readonly profiles: readonly Profile[];
}

/** Definitions that decide how gates judge, from the working files or a commit. */
export interface StackDefinitions {
  definitions(commit?: string): Promise<Definitions | undefined>;
  /**
   * The commit's definitions applied to the working files that decide what its checks do. The commit's own profiles
   * choose those files, because a working profile could hide some.
   */
  onWorkingFiles(commit: string): Promise<Definitions | undefined>;
  survey(): Promise<StackSurvey>;
}
