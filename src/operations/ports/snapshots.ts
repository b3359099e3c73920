/** A file of a snapshot: how git keeps it. */
export interface Kept {
  /** As git writes it: `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  readonly mode: string;
  readonly blob: string;
}

/** How one path differs between two trees; a missing side is a file that is not there. */
export interface PathDifference {
  readonly path: string;
  readonly from?: Kept;
  readonly to?: Kept;
}

/** A file that is about to be written. */
export interface ComingFile {
  readonly path: string;
  readonly text: string;
}

export interface Taken {
  /** The commit behind the private ref; its tree is what the working files were. */
  readonly commit: string;
  readonly tree: string;
  /** The commit that was checked out; nothing before the first one. */
  readonly head?: string;
}

/** A commit since some other, with the files that it touched. */
export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  readonly paths: readonly string[];
}

/**
 * What restoring did to each path that differs between the two snapshots; asked again, it tells the same. `foreign` are
 * those that somebody changed meanwhile, and those that are no files of the user's: they are left alone.
 */
export interface Restored {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly foreign: readonly string[];
}

/**
 * The user's working files as trees in git, kept under private refs with the bytes that are on the disk. Untracked files
 * are among them, ignored ones are not, nor are submodules' insides. Nothing here moves a branch; only `restore` touches
 * working files or the index. Paths are relative to the workspace, and only what is below it counts.
 */
export interface Snapshots {
  /** Whether there is a repository with working files here at all. */
  isPossible(): Promise<boolean>;
  /** What makes a rollback unsafe now, in words: "a merge is under way"; nothing when all is calm. */
  obstacle(): Promise<string | undefined>;
  /** The hash of the files as they are. */
  tree(): Promise<string>;
  /**
   * The hash of the files as git would commit them, without Tenon's own (`sdd` and `.sdd`): the same in every clone
   * that has the same files, and untouched by what Tenon writes.
   */
  sourceTree(): Promise<string>;
  /** The same, and remembered by this process; nothing outside git. */
  rememberSourceTree(): Promise<string | undefined>;
  /** What was remembered last, at once and without git, if nothing changed since; nothing otherwise. */
  knownSourceTree(): Promise<string | undefined>;
  /** Remembers anew where something changed since: for when somebody waits anyway. */
  keepKnown(): Promise<void>;
  /** The same of a commit. */
  sourceTreeOf(commit: string): Promise<string>;
  /**
   * Keeps the files as they are, and what is staged, as `refs/tenon/<id>/<n>`. A file that is about to be written can be
   * kept as if it were there, so that both happen in one write or neither.
   */
  take(id: string, n: number, message: string, coming?: ComingFile): Promise<Taken>;
  /** Removes the ref; what it kept may go with git's next clean-up. No ref is no failure. */
  drop(id: string, n: number): Promise<void>;
  /** Removes every ref of a workflow, also those that nobody knows of. */
  dropAll(id: string): Promise<void>;
  /** Whether the commit of a snapshot is still there, with its tree. */
  has(commit: string): Promise<boolean>;
  /** The paths that differ between two trees or commits, sorted. */
  between(from: string, to: string): Promise<readonly PathDifference[]>;
  /** Paths that differ from the commit that is checked out, untracked ones included, sorted. */
  uncommitted(): Promise<readonly string[]>;
  /** What was committed since a commit, oldest first; all there is when nothing is named. At most the newest 5,000. */
  commitsSince(commit: string | undefined): Promise<readonly Commit[]>;
  /**
   * Makes the named paths what they were in snapshot `to`, in the working files and in the index, if they are still what
   * snapshot `from` says. It may be called again after a crash: what is done is left alone. Ask for an obstacle first.
   */
  restore(request: {
    readonly from: string;
    readonly to: string;
    readonly paths: readonly string[];
  }): Promise<Restored>;
}

export interface MadeWorktree {
  readonly path: string;
  readonly branch: string;
  /** What the ledger calls it. */
  readonly checkout: string;
}

export interface Lending {
  readonly commit: string;
  /** Paths whose working files, or their absence, are put over what the commit has. */
  readonly over: readonly string[];
  /** Folders that git ignores, such as `node_modules`, linked where the commit has none. */
  readonly linked: readonly string[];
}

/** A folder to try something in; gone when it is disposed of. */
export interface Lent extends AsyncDisposable {
  readonly root: string;
  /** Writes a file of it, whatever stood there. */
  put(path: string, text: string): Promise<void>;
}

/** Working folders of their own for work that must not meet. */
export interface Worktrees {
  /**
   * A worktree on a branch of its own, made from the commit that is checked out; checked to be what it should be. The
   * files are put into it, for they are not committed yet.
   */
  add(name: string, files?: readonly ComingFile[]): Promise<MadeWorktree>;
  /** Removes the folder and its branch if nothing in it would be lost; says what would be otherwise, and keeps it. */
  remove(name: string): Promise<{ readonly removed: boolean; readonly why?: string }>;
  /** A temporary folder with the files of a commit; nothing that happens in it reaches the working files. */
  lend(lending: Lending): Promise<Lent>;
}
