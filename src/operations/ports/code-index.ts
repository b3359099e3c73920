import type { Component, Import, Outline } from "#domain/indexing/outline.ts";
import type { Question } from "#domain/memory/question.ts";
import type { Weights } from "#domain/memory/rank.ts";
import type { Tag } from "#domain/scan/tags.ts";
import type { TestCase } from "#domain/scan/tests/test-case.ts";

/** By what a file is known to be what it was. */
export interface Stamp {
  readonly hash: string;
  /** Of the disk, such as size and time: a file with the same stamp is not read again. Empty where it must be. */
  readonly stamp: string;
}

/** A file as the index keeps it. */
export interface IndexedFile extends Stamp {
  readonly path: string;
  readonly isTest: boolean;
  /** Nothing for what is no code, or could not be read. */
  readonly outline?: Outline;
  /** Why there is none, where there should be. */
  readonly problem?: string;
  /** The files of the workspace that each import means, by its specifier. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

/** Something else that can be asked for: a spec, a requirement or a rule; a decision, a section of a document. */
export interface IndexedText {
  readonly kind: "spec" | "doc";
  /** `AUTH-001`, `FR-012`, `ADR-0003`, `docs/guide.md#install`. */
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
  readonly hash: string;
}

/** A file of prose, with what can be asked for in it. */
export interface TextFile extends Stamp {
  readonly path: string;
  readonly texts: readonly IndexedText[];
}

/** What a file asks for of others, as the index keeps it: enough to see anew what it means. */
export interface Importer {
  readonly path: string;
  readonly language: string;
  readonly imports: readonly Pick<Import, "specifier" | "names">[];
}

export interface FileRow extends Stamp {
  readonly path: string;
  readonly language: string;
  readonly isTest: boolean;
  readonly isWhole: boolean;
  readonly lines: number;
  readonly doc: string;
  readonly problem?: string;
}

export interface ComponentRow extends Omit<Component, "calls"> {
  readonly path: string;
  readonly ref: string;
  readonly isTest: boolean;
}

export interface TagRow extends Tag {
  readonly path: string;
  readonly isTest: boolean;
  /** The component that the tag is about; nothing where it is about the file. */
  readonly ref?: string;
}

export interface TestRow extends Pick<TestCase, "name" | "line" | "lastLine"> {
  readonly path: string;
}

/** One component uses another, as far as syntax tells: by a call of its name, or a file imports another. */
export interface Dependency {
  readonly from: { readonly path: string; readonly ref?: string };
  readonly to: { readonly path: string; readonly ref?: string };
  readonly by: "call" | "import";
}

export interface Summary {
  /** The key of a component (`src/auth.ts#login`), a path, or the key of a text. */
  readonly key: string;
  readonly text: string;
  /** Of what it sums up: another hash makes it stale. */
  readonly hash: string;
  readonly source: "model" | "agent" | "manual";
  readonly at: string;
}

/** What a question may be about. */
export interface Entry {
  readonly id: number;
  readonly kind: "component" | "file" | "spec" | "doc";
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly text: string;
  /** Of a file or a text: what was said of another one holds no more. */
  readonly hash?: string;
  /** What is known of it, where it is one. */
  readonly component?: ComponentRow;
}

export interface Candidates {
  readonly entries: readonly Entry[];
  readonly weights: Weights;
  /** Words of the question that nothing holds, and the term one slip away that was looked for instead. */
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

interface IndexCounts {
  readonly files: number;
  readonly components: number;
  readonly tags: number;
  readonly tests: number;
  readonly texts: number;
  /** Files that could not be read, or only in part. */
  readonly problems: number;
}

/** Which of the rows; all of them where nothing is said. */
export interface Where {
  readonly path?: string;
  readonly name?: string;
  readonly ref?: string;
  readonly most?: number;
}

/** Why there was nothing to go by, or why nothing is kept for the next time. */
export type IndexNews = "missing" | "old" | "foreign" | "damaged" | "unkept";

/**
 * What stood where a copy of the index was put: none, the same but for the time, an earlier one, one of another version, or
 * something damaged, which is kept under another name.
 */
export type Replaced =
  | { readonly was: "missing" | "same" | "earlier" | "old" }
  | { readonly was: "damaged"; readonly aside: string };

export interface Turn {
  /** Whoever waits for its turn may give up. */
  readonly cancelled: AbortSignal;
  /** From scratch; what was summed up is kept. */
  readonly isAfresh?: boolean;
}

/**
 * The index of this checkout's code in `.sdd/index.db`. It can be made again from the files at any time, so whatever is
 * damaged or of another version is made anew. Several processes may read it at once, and one brings it up to date.
 */
export interface CodeIndex {
  /** Whether anybody has made one yet. */
  readonly isThere: boolean;
  /** Whether the next process will find it. Where nothing can be written, it is this process's alone. */
  readonly isKept: boolean;
  /** What became of it, told once. */
  takeNews(): IndexNews | undefined;
  /**
   * Runs what brings it up to date, one process at a time: the turn ends with the process, whatever becomes of it. Where
   * the index turns out damaged, or cannot be written, another takes its place and `work` runs again on that.
   */
  alone<T>(work: () => Promise<T>, turn: Turn): Promise<T>;
  stamps(): Promise<ReadonlyMap<string, Stamp>>;
  /** Puts files in the place of what the index knew of them, and forgets those that are gone; whole or not at all. */
  put(files: readonly IndexedFile[], gone?: readonly string[]): Promise<void>;
  /** Takes note of stamps of files that are what they were. */
  restamp(files: readonly (Stamp & { readonly path: string })[]): Promise<void>;
  /** Every file that imports something. */
  importers(): AsyncIterable<Importer>;
  /** What the imports of these files mean now, by their specifiers. */
  retarget(targets: ReadonlyMap<string, IndexedFile["targets"]>): Promise<void>;
  textStamps(): Promise<ReadonlyMap<string, Stamp>>;
  /** Puts the texts of files in the place of what the index knew of them, and forgets those of files that are gone. */
  putTexts(files: readonly TextFile[], gone?: readonly string[]): Promise<void>;
  /** What was noted under a name, such as the commit at which the index was last brought up to date. */
  note(name: string): Promise<string | undefined>;
  /** Keeps what is to be known the next time, or forgets it. */
  keepNote(name: string, value: string | undefined): Promise<void>;
  counts(): Promise<IndexCounts>;
  files(where?: Pick<Where, "path" | "most">): Promise<readonly FileRow[]>;
  /** Files that could not be read, or only in part, by their paths. */
  problems(most: number): Promise<readonly FileRow[]>;
  /** In the order of paths and lines. */
  components(where?: Where): Promise<readonly ComponentRow[]>;
  tags(where?: { readonly path?: string; readonly spec?: string }): Promise<readonly TagRow[]>;
  tests(where?: Pick<Where, "path">): Promise<readonly TestRow[]>;
  /** All of them, or those of a key, in whatever case it is written. */
  texts(where?: { readonly key?: string; readonly kind?: IndexedText["kind"] }): Promise<readonly IndexedText[]>;
  /** What a component, or a file where no `ref` is given, uses. */
  uses(of: { readonly path: string; readonly ref?: string }): Promise<readonly Dependency[]>;
  /** What uses it. */
  usedBy(of: { readonly path: string; readonly ref?: string }): Promise<readonly Dependency[]>;
  /** What holds most of what the question weighs, for ranking. */
  candidates(question: Question, most: number): Promise<Candidates>;
  /** Names of components that are spelled like a word, or hold it. */
  namesNear(word: string, most: number): Promise<readonly string[]>;
  /** What each file offers to others, and how many import it, outside of tests. */
  sizes(): Promise<readonly { readonly path: string; readonly components: number; readonly importers: number }[]>;
  /** The names that most components call and that only one other has, outside of tests, with how many call them. */
  mostCalled(most: number): Promise<readonly { readonly component: ComponentRow; readonly calls: number }[]>;
  /** Puts a copy for readers beside the index, whole or not at all; nobody reads it back. Only in a turn, and where it is kept. */
  publish(copy: string, now: string): Promise<Replaced>;
  summaries(keys?: readonly string[]): Promise<ReadonlyMap<string, Summary>>;
  keepSummary(summary: Summary): Promise<void>;
}
