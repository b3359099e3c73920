import type { StoreEngine } from "#store/operations/engine.ts";
import type { SnapshotStore, SourceFiles, WorktreeManager } from "./ports/git-files.ts";

interface MergeDriverRegistry {
  register(): Promise<boolean>;
  isRegistered(): Promise<boolean>;
}

export interface GitEngine extends StoreEngine {
  readonly source: SourceFiles;
  readonly mergeDrivers: MergeDriverRegistry;
  readonly snapshots: SnapshotStore;
  snapshotsOf(place: { readonly checkout: string; readonly root: string }): SnapshotStore | undefined;
  readonly worktrees: WorktreeManager;
}
