import type { PathDifference } from "./git-files.ts";

interface ActionWorktree {
  /** The workspace inside the worktree, where the agent works. */
  readonly folder: string;
  /** The tree of its files when the agent starts. */
  readonly start: string;
}

interface WorktreeRequest {
  readonly name: string;
  /** The commit to check out. */
  readonly base: string;
  /** Ignored folders of the main checkout, such as `node_modules`, to link. */
  readonly linked: readonly string[];
  /** The documents are those of `base`, not those of the main checkout. */
  readonly isExact?: boolean;
  /** Writes files of the project into the worktree. They do not count as the agent's. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Its changes do not matter, so `start` is the commit. */
  readonly isReadOnly?: boolean;
}

/** Files of a finished agent, compared with those it started from. */
interface WorktreeChanges {
  readonly tree: string;
  /** Relative to the workspace. Paths outside of it start with `../`. */
  readonly changed: readonly PathDifference[];
}

export interface KeptWorktree {
  readonly name: string;
  readonly bytes: number;
  readonly ageMs: number;
}

export type MergeResult = { readonly commit: string } | { readonly conflicts: readonly string[] };

/** `moved`: the branch has another tip. `blocked`: changed files in the checkout, or another reason to wait. */
export type LandingResult =
  | { readonly kind: "landed" | "moved" }
  | { readonly kind: "blocked"; readonly paths: readonly string[]; readonly why: string };

/** Agents never commit: each worktree has a detached HEAD, and `commit` stores work as `refs/tenon/run/<name>`. */
export interface LandingStore {
  /** The checked-out branch and its commit. Undefined without either. */
  target(): Promise<{ readonly branch: string; readonly tip: string } | undefined>;
  /** Checks `base` out and copies the documents of the main checkout, committed or not, over it. */
  open(request: WorktreeRequest): Promise<ActionWorktree>;
  /** The workspace inside an existing worktree. */
  folder(name: string): Promise<string | undefined>;
  changes(name: string, start: string): Promise<WorktreeChanges>;
  /** Gives these files of a worktree the contents of the tree, and removes those that it lacks. */
  restore(name: string, tree: string, changes: readonly PathDifference[]): Promise<void>;
  /** A commit on `base` with these changes and no others. */
  commit(request: {
    readonly name: string;
    readonly base: string;
    readonly changes: readonly PathDifference[];
    readonly message: string;
  }): Promise<string>;
  /** Text of a file in a commit or tree. Undefined if it has none. */
  text(tree: string, path: string): Promise<string | undefined>;
  /** Merges a commit onto the tip, file by file. Takes no side: a conflict writes nothing. */
  merge(tip: string, commit: string): Promise<MergeResult>;
  /** The difference between two commits as text, at most this many characters. */
  diff(from: string, to: string, paths: readonly string[], most: number): Promise<string>;
  isAncestor(commit: string, of: string): Promise<boolean>;
  /** Only if the branch is still at the first commit and no changed file is in the way. */
  land(request: { readonly branch: string; readonly from: string; readonly to: string }): Promise<LandingResult>;
  /** Deletes the worktree with everything in it, and the ref of its commit if it may have one. */
  remove(name: string, mayHaveCommit?: boolean): Promise<void>;
  /** All worktrees except the named ones. */
  list(except: ReadonlySet<string>): Promise<readonly KeptWorktree[]>;
  /** Free bytes where worktrees are created. */
  freeBytes(): Promise<number>;
}
