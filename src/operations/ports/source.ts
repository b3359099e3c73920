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
  readonly isMerge: boolean;
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
  | { readonly kind: "missing" | "link" | "large" | "binary" };

/** All files of the working tree or of a commit, including Tenon's own. Reading them runs no code of the repository. */
export interface SourceView {
  /** Sorted, including links. */
  readonly paths: readonly string[];
  /** Ignored single files, which tools read anyway. Ignored folders are not listed. */
  readonly ignored: readonly string[];
  /** Content up to `most` bytes each. Links are not followed. */
  read(paths: readonly string[], most?: number): Promise<ReadonlyMap<string, SourceContent>>;
}

export interface PastFileText {
  readonly commit: string;
  readonly path: string;
  readonly text: string;
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
  /** Commit time in UTC of a tag, branch or hash. Undefined if git does not know it. */
  committedAt(name: string): Promise<string | undefined>;
  /**
   * Differences between a commit and the working files, including new files. Undefined if git does not know the commit.
   */
  changes(since: string): Promise<readonly SourceChange[] | undefined>;
  /**
   * Newest first: all commits that touch the workspace, or those that name an id such as `AUTH-001`. Empty before the
   * first commit, undefined outside git.
   */
  commits(asked: { readonly most: number; readonly naming?: string }): Promise<readonly PastCommit[] | undefined>;
  at(commit?: string): Promise<SourceView | undefined>;
  /** Content in the newest commits that touched the file, including its former names. Newest first. */
  past(path: string, most: number): Promise<readonly PastFileText[]>;
}
