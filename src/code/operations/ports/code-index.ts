import type { CodeComponent, CodeImport, CodeOutline } from "../../model/index/code-outline.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { TermWeights } from "#kernel/model/search/search-ranking.ts";
import type { TraceSources } from "../../model/trace/trace-locations.ts";
import type { MutationSite } from "../../model/mutation-site.ts";
import type { CodeScan } from "../../model/scan/code-scan.ts";

/** Identifies an unchanged file. */
export interface IndexStamp {
  readonly hash: string;
  /** Disk metadata such as size and time. A file with the same stamp is not read again. Empty forces a read. */
  readonly stamp: string;
}

export interface IndexedFile extends IndexStamp {
  readonly path: string;
  readonly isTest: boolean;
  /** Missing for files without code or with a parse failure. */
  readonly outline?: CodeOutline;
  readonly problem?: string;
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

/** A searchable text that is not code: a spec, requirement, rule, decision or document section. */
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

export interface IndexedTextFile extends IndexStamp {
  readonly path: string;
  readonly texts: readonly IndexedText[];
}

export interface IndexedImporter {
  readonly path: string;
  readonly language: string;
  readonly imports: readonly Pick<CodeImport, "specifier" | "names">[];
}

export interface IndexedFileRow extends IndexStamp {
  readonly path: string;
  readonly language: string;
  readonly isTest: boolean;
  readonly isWhole: boolean;
  readonly lines: number;
  readonly doc: string;
  readonly problem?: string;
}

export interface IndexedComponentRow extends Omit<CodeComponent, "calls"> {
  readonly path: string;
  readonly ref: string;
  readonly isTest: boolean;
}

type IndexedTagRow = TraceSources["tags"][number];
export type IndexedTestRow = TraceSources["tests"][number];

/** A component, or a file without a `ref`. */
interface CodeNode {
  readonly path: string;
  readonly ref?: string;
}

/** A use found by syntax: a call by name, or an import between files. */
export interface CodeDependency {
  readonly from: CodeNode;
  readonly to: CodeNode;
  readonly by: "call" | "import";
}

export interface IndexedSummary {
  readonly key: string;
  readonly text: string;
  /** Hash of the summarized content. A different hash makes the summary stale. */
  readonly hash: string;
  readonly source: "model" | "agent" | "manual";
  readonly at: string;
}

export interface CodeIndexEntry extends Pick<IndexedText, "key" | "path" | "line" | "title" | "text"> {
  readonly id: number;
  readonly kind: "component" | "file" | IndexedText["kind"];
  /** Hash of a file or text. A different hash makes stored summaries stale. */
  readonly hash?: string;
  readonly component?: IndexedComponentRow;
}

export interface IndexCandidates {
  readonly entries: readonly CodeIndexEntry[];
  readonly weights: TermWeights;
  readonly repaired: { readonly from: string; readonly to: string }[];
}

interface IndexFilter {
  readonly path?: string;
  readonly name?: string;
  readonly ref?: string;
  readonly most?: number;
}

export type IndexProblem = "missing" | "old" | "foreign" | "damaged" | "unkept";

/** State of the file that a published copy replaced. A damaged file is kept under another name. */
export type ReplacedCopy =
  | { readonly was: "missing" | "same" | "earlier" | "old" }
  | { readonly was: "damaged"; readonly aside: string };

export interface IndexTurn {
  readonly cancelled: AbortSignal;
  /** Rebuilds from scratch but keeps the summaries. */
  readonly isAfresh?: boolean;
}

/**
 * The code index of this checkout in `.sdd/index.db`. It can be rebuilt from the files, so a damaged or outdated index
 * is recreated. Many processes may read it, one updates it.
 */
export interface CodeIndex {
  readonly isThere: boolean;
  /** False if nothing can be written. Then the index lives only in this process. */
  readonly isKept: boolean;
  /** Returned once. */
  takeNews(): IndexProblem | undefined;
  /**
   * Runs an update, one process at a time. The turn ends with the process. If the index is damaged or not writable, it
   * is replaced and `work` runs again.
   */
  alone<T>(work: () => Promise<T>, turn: IndexTurn): Promise<T>;
  stamps(): Promise<ReadonlyMap<string, IndexStamp>>;
  /** Replaces these files and forgets deleted ones, atomically. */
  put(files: readonly IndexedFile[], gone?: readonly string[]): Promise<void>;
  restamp(files: readonly (IndexStamp & { readonly path: string })[]): Promise<void>;
  importers(): AsyncIterable<IndexedImporter>;
  retarget(targets: ReadonlyMap<string, IndexedFile["targets"]>): Promise<void>;
  textStamps(): Promise<ReadonlyMap<string, IndexStamp>>;
  putTexts(files: readonly IndexedTextFile[], gone?: readonly string[]): Promise<void>;
  /** A stored value, such as the commit of the last update. */
  note(name: string): Promise<string | undefined>;
  /** Undefined deletes the value. */
  keepNote(name: string, value: string | undefined): Promise<void>;
  counts(): Promise<Readonly<Record<"files" | "components" | "tags" | "tests" | "texts" | "problems", number>>>;
  files(where?: Pick<IndexFilter, "path" | "most">): Promise<readonly IndexedFileRow[]>;
  problems(most: number): Promise<readonly IndexedFileRow[]>;
  components(where?: IndexFilter): Promise<readonly IndexedComponentRow[]>;
  tags(where?: { readonly path?: string; readonly spec?: string }): Promise<readonly IndexedTagRow[]>;
  tests(where?: Pick<IndexFilter, "path">): Promise<readonly IndexedTestRow[]>;
  texts(where?: { readonly key?: string; readonly kind?: IndexedText["kind"] }): Promise<readonly IndexedText[]>;
  uses(of: CodeNode): Promise<readonly CodeDependency[]>;
  usedBy(of: CodeNode): Promise<readonly CodeDependency[]>;
  /** Best matches by weight, to be ranked by the caller. */
  candidates(question: SearchQuestion, most: number): Promise<IndexCandidates>;
  namesNear(word: string, most: number): Promise<readonly string[]>;
  sizes(): Promise<readonly { readonly path: string; readonly components: number; readonly importers: number }[]>;
  /** Names with many callers that exactly one component defines, without tests. */
  mostCalled(most: number): Promise<readonly { readonly component: IndexedComponentRow; readonly calls: number }[]>;
  /** Writes a read-only copy next to the index, atomically. Requires a turn and a stored index. */
  publish(copy: string, now: string): Promise<ReplacedCopy>;
  summaries(keys?: readonly string[]): Promise<ReadonlyMap<string, IndexedSummary>>;
  keepSummary(summary: IndexedSummary): Promise<void>;
}

/** Parses code. Input and output are plain data, so that another thread can do it. */
export interface SyntaxParser {
  /**
   * Falls back to comments if no grammar knows the language or parsing takes too much work. Undefined for files without code
   * or over 1 MB. Never throws for the content.
   */
  look(path: string, text: string): Promise<CodeScan | undefined>;
  outline(path: string, text: string): Promise<CodeOutline | undefined>;
  /**
   * Parses many files in several threads and yields each result as soon as it is ready. Holds only a few files at a
   * time.
   */
  outlines(files: AsyncIterable<{ readonly path: string; readonly text: string }>): AsyncIterable<OutlinedFile>;
  /** Locations for mutations. Empty if no grammar knows the language. */
  sites(path: string, text: string): Promise<readonly MutationSite[]>;
}

export interface OutlinedFile {
  readonly path: string;
  readonly outline: CodeOutline | undefined;
  /** Parsing broke off for a reason outside the file, so it must be read again. */
  readonly isUnfinished?: boolean;
}
