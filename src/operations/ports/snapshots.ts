export interface SnapshotFile {
  /** Git file mode: `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  readonly mode: string;
  readonly blob: string;
}

export interface PathDifference {
  readonly path: string;
  readonly from?: SnapshotFile;
  readonly to?: SnapshotFile;
}

export interface ComingFile {
  readonly path: string;
  readonly text: string;
}

export interface TakenSnapshot {
  readonly commit: string;
  readonly tree: string;
  readonly head?: string;
}

export interface SnapshotCommit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  readonly paths: readonly string[];
}

/**
 * Result of a restore, the same when it is repeated. `foreign` lists paths that changed meanwhile or are not user
 * files. They are left alone.
 */
export interface RestoreResult {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly foreign: readonly string[];
}

/**
 * Working files as git trees under private refs. Untracked files are included, ignored files and submodule contents are
 * not. Only `restore` changes working files or the index, and no branch moves. Paths are relative to the workspace.
 */
export interface SnapshotStore {
  isPossible(): Promise<boolean>;
  /** Why a rollback is unsafe now, such as "a merge is under way". */
  obstacle(): Promise<string | undefined>;
  tree(): Promise<string>;
  /**
   * Hash of the files as git would commit them, without `sdd` and `.sdd`. It is the same in every clone with the same
   * files.
   */
  sourceTree(): Promise<string>;
  /** Like `sourceTree`, remembered by this process. Undefined outside git. */
  rememberSourceTree(): Promise<string | undefined>;
  /** The remembered hash if nothing changed since, without running git. */
  knownSourceTree(): Promise<string | undefined>;
  /** Updates the remembered hash if something changed. Call it while the user waits anyway. */
  keepKnown(): Promise<void>;
  sourceTreeOf(commit: string): Promise<string>;
  /**
   * Stores the current files and the index as `refs/tenon/<id>/<n>`. `coming` is included as if it were already
   * written, so that both happen in one write or neither.
   */
  take(id: string, n: number, message: string, coming?: ComingFile): Promise<TakenSnapshot>;
  /** Removes the ref, after which git may delete its objects. A missing ref is not an error. */
  drop(id: string, n: number): Promise<void>;
  /** Also removes refs that the ledger does not know. */
  dropAll(id: string): Promise<void>;
  has(commit: string): Promise<boolean>;
  between(from: string, to: string): Promise<readonly PathDifference[]>;
  /** Sorted paths that differ from the checked-out commit, including untracked ones. */
  uncommitted(): Promise<readonly string[]>;
  /** Commits after `commit`, or all, oldest first. At most the newest 5,000. */
  commitsSince(commit: string | undefined): Promise<readonly SnapshotCommit[]>;
  /**
   * Restores paths to snapshot `to` in the working files and the index, if they still match snapshot `from`. Safe to
   * repeat after a crash. Check `obstacle` first.
   */
  restore(request: {
    readonly from: string;
    readonly to: string;
    readonly paths: readonly string[];
  }): Promise<RestoreResult>;
}

export interface CreatedWorktree {
  readonly path: string;
  readonly branch: string;
  readonly checkout: string;
}

export interface TemporaryCheckoutRequest {
  readonly commit: string;
  /** Paths whose working files, or their absence, replace those of the commit. */
  readonly over: readonly string[];
  /** Ignored folders such as `node_modules`, linked if the commit has none. */
  readonly linked: readonly string[];
}

export interface TemporaryCheckout extends AsyncDisposable {
  readonly root: string;
  put(path: string, text: string): Promise<void>;
}

export interface WorktreeManager {
  /**
   * Creates and verifies a worktree on its own branch from the checked-out commit. Copies uncommitted `files` into it.
   */
  add(name: string, files?: readonly ComingFile[]): Promise<CreatedWorktree>;
  /** Removes folder and branch if nothing would be lost. Otherwise keeps them and returns the reason. */
  remove(name: string): Promise<{ readonly removed: boolean; readonly why?: string }>;
  /** Checks a commit out into a temporary folder. Changes there do not reach the working files. */
  lend(lending: TemporaryCheckoutRequest): Promise<TemporaryCheckout>;
}
