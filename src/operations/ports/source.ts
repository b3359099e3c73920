/** One of the user's own files. */
export interface SourceFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Of the disk, such as its time: as long as it stays the same, so does the file. */
  readonly stamp: string;
}

/** What stands at a path, and the stamp that it had when it was read; empty where a change might keep that stamp. */
export type StampedStanding = Standing & { readonly stamp: string };

/** How a file differs from what it was. */
export interface FileChange {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
  /** Where it was before it was renamed. */
  readonly from?: string;
  /** Lines that are new, with their numbers in the file as it is; none for what is not text. */
  readonly added: readonly AddedLine[];
  /** How many lines are gone. */
  readonly removed: number;
}

/** A commit of the branch that is checked out, or of one that was merged into it. */
export interface PastCommit {
  readonly hash: string;
  /** When it was committed, in UTC. */
  readonly at: string;
  /** At most 500 characters. */
  readonly subject: string;
  /** The lines at the end of its message that name something each. */
  readonly trailers: string;
  /** What it did to files; nothing for a merge, whose commits tell theirs. */
  readonly files: readonly CommittedFile[];
  readonly isMerge: boolean;
  /** Whether the history of a shallow clone ends with it: what it did to files is not known. */
  readonly isCut: boolean;
}

/** Lines are not counted in what git calls binary. */
export interface CommittedFile {
  readonly path: string;
  /** Where it was before it was renamed. */
  readonly from?: string;
  readonly insertions?: number;
  readonly deletions?: number;
}

export interface AddedLine {
  readonly number: number;
  readonly text: string;
}

/** What stands at a path: a text, or why there is none. */
export type Standing =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" | "link" | "large" | "binary" };

/** All files as they are, or as a commit has them, those of Tenon included. Nothing of the repository is run to see them. */
export interface Sight {
  /** Sorted; links are among them. */
  readonly paths: readonly string[];
  /** Single files that git ignores: tools read them all the same. What lies in an ignored folder is not among them. */
  readonly ignored: readonly string[];
  /** What stands at each of the paths, as long as it has at most so many bytes. Links are not followed. */
  read(paths: readonly string[], most?: number): Promise<ReadonlyMap<string, Standing>>;
}

/** What a file was in a commit. */
export interface PastText {
  readonly commit: string;
  /** What it was called there. */
  readonly path: string;
  readonly text: string;
}

/** The user's own files as git sees them: what is committed, or could be. Tenon's folders are not among them. */
export interface Source {
  /** Every file, sorted, without what git ignores. Outside git, without what is usually ignored. */
  files(): Promise<readonly SourceFile[]>;
  /** The text of a file; nothing when it is missing, larger than `most` bytes or not text. Links are not followed. */
  text(path: string, most?: number): Promise<string | undefined>;
  /** What stands at a path, of at most 1 MB, with its stamp. Links are not followed. */
  stamped(path: string): Promise<StampedStanding>;
  /** Tells, soon after they did, that files may have changed, those of Tenon included, until it is disposed of. */
  watch(tell: () => void): Promise<Disposable>;
  /** The commit that is checked out; nothing outside git or before the first commit. */
  head(): Promise<string | undefined>;
  /** When a commit was made that a tag, a branch or a hash names, in UTC; nothing when git knows none. */
  committedAt(name: string): Promise<string | undefined>;
  /** What differs from a commit in the files as they are, new files included; nothing when git does not know it. */
  changes(since: string): Promise<readonly FileChange[] | undefined>;
  /**
   * The newest commits, newest first: all that touch the workspace, or those whose message names an id such as `AUTH-001`.
   * None before the first one, and nothing outside git.
   */
  commits(asked: { readonly most: number; readonly naming?: string }): Promise<readonly PastCommit[] | undefined>;
  /** The files as they are, or as a commit has them; nothing when git does not know the commit. */
  at(commit?: string): Promise<Sight | undefined>;
  /** What a file was in the newest commits that touched it, at most so many, under its former names too; newest first. */
  past(path: string, most: number): Promise<readonly PastText[]>;
}
