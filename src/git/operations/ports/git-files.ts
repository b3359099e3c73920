export interface SourceFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Disk metadata such as the time. An equal stamp means an unchanged file. */
  readonly stamp: string;
}

/** File content with its stamp. The stamp is empty if a later change could keep it. */
export type StampedContent = SourceContent & { readonly stamp: string };

export interface SourceChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  readonly from?: string;
  /** New lines with their current numbers. Empty for binary files. */
  readonly added: readonly AddedSourceLine[];
  readonly removed: number;
}

export interface PastCommit {
  readonly hash: string;
  readonly at: string;
  readonly subject: string;
  readonly trailers: string;
  /** Changed files. Empty for a merge, because its commits list theirs. */
  readonly files: readonly CommittedFile[];
  /** True at the end of a shallow clone's history: the changed files are unknown. */
  readonly isCut: boolean;
}

export interface CommittedFile {
  readonly path: string;
  readonly from?: string;
  readonly insertions?: number;
  readonly deletions?: number;
}

export interface AddedSourceLine {
  readonly number: number;
  readonly text: string;
}

export type SourceContent =
  | { readonly kind: "text"; readonly text: string }
  /** A binary file has a hash, so that its changes can be noticed. */
  | { readonly kind: "missing" | "link" | "large" | "binary"; readonly hash?: string };

/** All files of the working tree or of a commit, including Tenon's own. Reading them runs no code of the repository. */
export interface SourceView {
  /** Sorted, including links. */
  readonly paths: readonly string[];
  /** Ignored single files, which tools read anyway. Ignored folders are not listed. */
  readonly ignored: readonly string[];
  /** Content up to `most` bytes each. Links are not followed. */
  read(paths: readonly string[], most?: number): Promise<ReadonlyMap<string, SourceContent>>;
}

/** The user's files that are committed or could be, without Tenon's folders. */
export interface SourceFiles {
  /** Sorted, without ignored files. Outside git, without usually ignored files. */
  files(): Promise<readonly SourceFile[]>;
  /** Undefined for a missing, binary or larger file. Links are not followed. */
  text(path: string, most?: number): Promise<string | undefined>;
  stamped(path: string): Promise<StampedContent>;
  /** Calls back soon after files may have changed, including Tenon's own, until disposed. */
  watch(tell: () => void): Promise<Disposable>;
  /** The checked-out commit. Undefined outside git or before the first commit. */
  head(): Promise<string | undefined>;
  /**
   * The commit that the checked-out branch left the default branch, or `from`, at. On the default branch, the commit
   * before the newest, or the only one. `shallow` if the clone lacks it, undefined before the first commit.
   */
  forkPoint(from?: string): Promise<string | undefined>;
  /** Commit time in UTC of a tag, branch or hash. Undefined if git does not know it. */
  committedAt(name: string): Promise<string | undefined>;
  /** Differences to the working files, including new files. Undefined if git does not know the commit. */
  changes(since: string): Promise<readonly SourceChange[] | undefined>;
  /**
   * Newest first: all without merges, whose commits are listed anyway, or those that name an id. Empty before the first
   * commit, undefined outside git.
   */
  commits(asked: { readonly most: number; readonly naming?: string }): Promise<readonly PastCommit[] | undefined>;
  at(commit?: string): Promise<SourceView | undefined>;
  /** Content in the newest commits that touched the file, including its former names. Newest first. */
  past(
    path: string,
    most: number,
  ): Promise<readonly { readonly commit: string; readonly path: string; readonly text: string }[]>;
}

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

/** The files when a piece of work began, committed or not. */
export interface WorkBaseline {
  readonly commit: string;
  readonly head?: string | undefined;
  /** Branches on which the work was seen before, `HEAD` without one. Commits made here on others came from outside. */
  readonly branches: readonly string[];
  /** The newest entry of git's log of HEAD. */
  readonly log_mark?: string | undefined;
  /** In milliseconds. A file that changed later was changed after the work began. */
  readonly begun_ms?: number | undefined;
  /** Paths whose every difference from `head` belongs to the work, even one from before it began. */
  readonly claimed?: readonly string[];
}

/** `from` is the file without the work: as it was when the work began, with all commits from outside. */
export type WorkDifference = PathDifference;

export interface ChangedFile {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  /** In milliseconds by the file system. 0 for a missing file. */
  readonly changed_ms: number;
}

export interface ComingFile {
  readonly path: string;
  readonly text: string;
}

interface TakenSnapshot {
  readonly commit: string;
  readonly tree: string;
  readonly head?: string;
}

export interface HiddenFile {
  readonly path: string;
  readonly how: "assume-unchanged" | "skip-worktree" | "ignored" | "sparse";
  /** When a sparse checkout left the file out, in milliseconds. */
  readonly since?: number;
  /** The file with the rule that ignores it, and the rule. */
  readonly rules?: string;
  readonly pattern?: string;
  /** Whether the rule is in a `.gitignore`. */
  readonly isShared?: boolean;
}

/** A snapshot as its ref shows it, without the ledger. */
export interface SnapshotRef extends TakenSnapshot {
  readonly id: string;
  readonly n: number;
  readonly at: string;
  readonly message: string;
}

export interface SnapshotCommit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  readonly paths: readonly string[];
}

/** The same when repeated. `foreign` lists paths that changed meanwhile or are not the user's; they stay. */
export interface RestoreResult {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly foreign: readonly string[];
}

/**
 * Working files as git trees under private refs. Untracked files are included, ignored files and submodule contents are
 * not. Only `restore` changes working files, and only `commitOwnFiles` moves the branch. Paths are relative to the workspace.
 */
export interface SnapshotStore {
  isPossible(): Promise<boolean>;
  /** Why a rollback is unsafe now, such as "a merge is in progress". */
  obstacle(): Promise<string | undefined>;
  tree(): Promise<string>;
  /** As git would commit them, without `sdd` and `.sdd`: the same in every clone with the same files. */
  sourceTree(): Promise<string>;
  sourceTreeOf(commit: string): Promise<string>;
  /** Stores files and index as `refs/tenon/<id>/<n>`, with `coming` as if it were already written. */
  take(id: string, n: number, message: string, coming?: ComingFile): Promise<TakenSnapshot>;
  /** Removes the ref, after which git may delete its objects. A missing ref is not an error. */
  drop(id: string, n: number): Promise<void>;
  list(): Promise<readonly SnapshotRef[]>;
  /** Also removes refs that the ledger does not know. */
  dropAll(id: string): Promise<void>;
  /** Snapshot refs that name no object, as after a power cut. */
  damagedRefs(isRemoving: boolean): Promise<readonly string[]>;
  /** The branch, or `HEAD` if none is checked out. */
  branch(): Promise<string>;
  /** Stores the files of this moment. Git may remove them after two weeks, unless `keepBaseline` gives them a ref. */
  takeBaseline(): Promise<WorkBaseline>;
  /** As `refs/tenon/<id>/0`. */
  keepBaseline(id: string, commit: string): Promise<void>;
  /** A merge, pull or rebase changes nothing: commits from outside are part of both sides. */
  sinceBaseline(baseline: WorkBaseline): Promise<readonly WorkDifference[]>;
  /** Paths that commits from outside changed after the `head` of the baseline. */
  changedOutside(baseline: WorkBaseline): Promise<ReadonlySet<string>>;
  /**
   * A commit of the current files with the given ones as they were without the work. Tenon's own files are those of the
   * commit `records`.
   */
  without(
    work: readonly WorkDifference[],
    records: string | undefined,
  ): Promise<{ readonly commit: string; readonly tree: string }>;
  has(commit: string): Promise<boolean>;
  between(from: string, to: string): Promise<readonly PathDifference[]>;
  /** When each path last changed, in milliseconds by the file system. For a missing file, that of its folder. */
  changedAt(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  listFiles(tree: string): Promise<ReadonlyMap<string, SnapshotFile>>;
  /** Commits only uncommitted files below `sdd` and those in `also`. Undefined without any; the reason if git refuses. */
  commitOwnFiles(
    message: string,
    also?: readonly string[],
  ): Promise<{ readonly hash: string } | { readonly why: string } | undefined>;
  /**
   * Files on disk that a commit would leave out: edited ones that the index hides, and ones that only rules of this
   * machine ignore. With `isIgnoreEdited`, all ignored files.
   */
  hidden(isIgnoreEdited: boolean): Promise<readonly HiddenFile[]>;
  /** Tags of the checked-out commit and its ancestors, the highest version first. */
  tags(): Promise<readonly string[]>;
  /** An annotated tag. Undefined if git made it, else the reason. */
  createTag(name: string, message: string, commit: string): Promise<string | undefined>;
  /** Sorted paths that differ from the checked-out commit, including untracked ones. */
  uncommitted(): Promise<readonly string[]>;
  /** Commits after `commit`, or all, oldest first. At most the newest 5,000. */
  commitsSince(commit: string | undefined): Promise<readonly SnapshotCommit[]>;
  /**
   * Restores paths to snapshot `to` in the working files and the index, if they still match snapshot `from`. Safe to
   * repeat after a crash. Check `obstacle` first. Trees have no index, so with them the index stays.
   */
  restore(request: {
    readonly from: string;
    readonly to: string;
    readonly paths: readonly string[];
  }): Promise<RestoreResult>;
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
  /** Folders of changed packages that programs in the checkout import from the working files, as built there. */
  readonly leaks: readonly string[];
  put(path: string, text: string): Promise<void>;
  remove(paths: readonly string[]): Promise<void>;
  /** The content at each path, to compare with a later state. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface TemporaryClone extends AsyncDisposable {
  /** The workspace in the clone. */
  readonly root: string;
}

export interface WorktreeManager {
  /** Creates and verifies a worktree on its own branch, with copies of the uncommitted `files`. */
  add(
    name: string,
    files?: readonly ComingFile[],
  ): Promise<{
    path: string;
    branch: string;
    checkout: string;
    /** Folders of installed packages that the main checkout has, and the commands that install them. */
    missing: readonly { readonly folder: string; readonly command: string }[];
  }>;
  /** Removes folder and branch if nothing would be lost. Otherwise keeps them and returns the reason. */
  remove(name: string): Promise<{ readonly removed: boolean; readonly why?: string }>;
  /** Checks a commit out into a temporary folder. Changes there do not reach the working files. */
  lend(lending: TemporaryCheckoutRequest): Promise<TemporaryCheckout>;
  /** While the work runs, a checkout that is given back serves the next request, with what compilers left in it. */
  reuse<T>(work: () => Promise<T>): Promise<T>;
  /**
   * A temporary repository with this commit checked out and all its history, but with nothing else of this one: no
   * ignored files, settings, hooks, exclusions or index flags.
   */
  clone(commit: string): Promise<TemporaryClone>;
}
