import type { Definitions } from "#domain/stack/definitions.ts";
import type { Detection } from "#domain/stack/detect/detection.ts";
import type { Profile } from "#domain/stack/profile/profile.ts";

/** How the working files are taken for what they are. */
export interface StackSurvey {
  readonly detections: readonly Detection[];
  readonly definitions: Definitions;
  /** The built-in profiles and the project's own, each with what it inherits. */
  readonly profiles: readonly Profile[];
}

/** What decides how gates judge, read from the working files or from a commit. */
export interface Stacks {
  /** Of the working files, or of a commit; nothing when git does not know the commit. */
  definitions(commit?: string): Promise<Definitions | undefined>;
  /**
   * Of a commit, on the files that decide what its checks do as they lie in the working files. Which those are is up to
   * the commit's own profiles: one of the working files could leave out what it wants to hide.
   */
  onWorkingFiles(commit: string): Promise<Definitions | undefined>;
  survey(): Promise<StackSurvey>;
}
