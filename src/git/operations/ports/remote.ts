import type { MergeResult } from "./landings.ts";

/** The repository that the clones of a team share: their remote `origin`. */
export interface RemoteStore {
  exists(): Promise<boolean>;
  /** Fetches a branch. Undefined if the remote does not have it. */
  fetchTip(branch: string): Promise<string | undefined>;
  /** False if the branch is no longer at `from`. */
  push(request: { readonly branch: string; readonly from: string | undefined; readonly to: string }): Promise<boolean>;
  /** Joins two lines of commits. A conflict writes nothing. */
  mergeTips(own: string, theirs: string): Promise<MergeResult>;
  /** Stores an agent's commit where other clones find it. */
  share(commit: string): Promise<void>;
  fetchShared(commit: string): Promise<void>;
  listShared(): Promise<readonly string[]>;
  forgetShared(commits: readonly string[]): Promise<void>;
}
