import type { StoreEngine } from "#store/operations/engine.ts";
import type { SnapshotStore, SourceFiles, WorktreeManager } from "./ports/git-files.ts";

export interface GitEngine extends StoreEngine {
  readonly source: SourceFiles;
  readonly mergeDrivers: { register(): Promise<boolean>; isRegistered(): Promise<boolean> };
  readonly snapshots: SnapshotStore;
  snapshotsOf(place: { readonly checkout: string; readonly root: string }): SnapshotStore | undefined;
  readonly worktrees: WorktreeManager;
}
