import type { CodeComponent, CodeImport, CodeOutline } from "../../model/index/code-outline.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { TermWeights } from "#kernel/model/search/search-ranking.ts";
import type { TraceSources } from "../../model/trace/trace-locations.ts";
import type { MutationSite } from "../../model/mutation-site.ts";
import type { CodeScan } from "../../model/scan/code-scan.ts";
import type { SummaryRecord } from "../../model/summary/code-summary.ts";

/** The stamp is disk metadata. A file with the same stamp is not read again; an empty one forces a read. */
export type IndexStamp = Readonly<{ hash: string; stamp: string }>;

export interface IndexedFile extends IndexStamp {
  readonly path: string;
  readonly isTest: boolean;
  /** Missing for files without code or with a parse failure. */
  readonly outline?: CodeOutline;
  readonly problem?: string;
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

/** A spec, requirement, rule, decision or document section, under its id or `docs/guide.md#install`. */
export type IndexedText = Readonly<Record<"key" | "path" | "title" | "text" | "hash", string>> &
  Readonly<{ kind: "spec" | "doc"; line: number }>;

export type IndexedTextFile = IndexStamp & Readonly<{ path: string; texts: readonly IndexedText[] }>;

type ImportedNames = Pick<CodeImport, "specifier" | "names">;
export type IndexedImporter = Readonly<{ path: string; language: string; imports: readonly ImportedNames[] }>;

export type IndexedFileRow = Pick<IndexedFile, "path" | "isTest" | "problem" | keyof IndexStamp> &
  Pick<CodeOutline, "language" | "isWhole" | "lines" | "doc">;

export type IndexedComponentRow = Omit<CodeComponent, "calls"> &
  Readonly<{ path: string; ref: string; isTest: boolean }>;

type IndexedTestRow = TraceSources["tests"][number];

/** A component, or a file without a `ref`. */
type CodeNode = Readonly<{ path: string; ref?: string }>;

/** A use found by syntax: a call by name, or an import between files. */
export type CodeDependency = Readonly<{ from: CodeNode; to: CodeNode; by: "call" | "import" }>;

/** A different hash of the summarized content makes the summary stale. */
export type IndexedSummary = SummaryRecord & Readonly<{ key: string; at: string }>;

export interface CodeIndexEntry extends Pick<IndexedText, "key" | "path" | "line" | "title" | "text"> {
  readonly id: number;
  readonly kind: "component" | "file" | IndexedText["kind"];
  /** Hash of a file or text. A different hash makes stored summaries stale. */
  readonly hash?: string;
  readonly component?: IndexedComponentRow;
  /** Calls of its name outside tests, divided by the number of definitions of that name. */
  readonly callers?: number;
}

export type IndexCandidates = Readonly<{
  entries: readonly CodeIndexEntry[];
  weights: TermWeights;
  repaired: { readonly from: string; readonly to: string }[];
}>;

type IndexFilter = Readonly<{ path?: string; name?: string; ref?: string; most?: number }>;

export type IndexProblem = "missing" | "old" | "foreign" | "damaged" | "unkept";

/** State of the file that a published copy replaced. A damaged file is kept under another name. */
export type ReplacedCopy =
  | { readonly was: "missing" | "same" | "earlier" | "old" }
  | { readonly was: "damaged"; readonly aside: string };

/** `isAfresh` rebuilds from scratch but keeps the summaries. */
export type IndexTurn = Readonly<{ cancelled: AbortSignal; isAfresh?: boolean }>;

/** In `.sdd/index.db`. A damaged or outdated index is recreated. Many processes may read it, one updates it. */
export interface CodeIndex {
  readonly isThere: boolean;
  /** False if nothing can be written. Then the index lives only in this process. */
  readonly isKept: boolean;
  /** Returned once. */
  takeNews(): IndexProblem | undefined;
  /** One process at a time; the turn ends with it. Replaces a damaged index and runs `work` again. */
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
  /** Classes and interfaces whose signature names this class or interface as a base. */
  subtypes(name: string, most: number): Promise<readonly IndexedComponentRow[]>;
  tags(where?: { readonly path?: string; readonly spec?: string }): Promise<TraceSources["tags"]>;
  tests(where?: Pick<IndexFilter, "path">): Promise<readonly IndexedTestRow[]>;
  texts(where?: { readonly key?: string; readonly kind?: IndexedText["kind"] }): Promise<readonly IndexedText[]>;
  uses(of: CodeNode): Promise<readonly CodeDependency[]>;
  usedBy(of: CodeNode): Promise<readonly CodeDependency[]>;
  /** Test code that calls a function of this name, wherever it is defined. */
  testCallers(name: string, most: number): Promise<readonly IndexedComponentRow[]>;
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
  /** Falls back to comments. Undefined for files without code or over 1 MB. Never throws for the content. */
  look(path: string, text: string): Promise<CodeScan | undefined>;
  outline(path: string, text: string): Promise<CodeOutline | undefined>;
  /** In several threads; yields each result as soon as it is ready, and holds only a few files at a time. */
  outlines(files: AsyncIterable<{ readonly path: string; readonly text: string }>): AsyncIterable<OutlinedFile>;
  /** Locations for mutations. Empty if no grammar knows the language. */
  sites(path: string, text: string): Promise<readonly MutationSite[]>;
}

/** Parsing of an unfinished file broke off for a reason outside the file, so it must be read again. */
export type OutlinedFile = Readonly<{ path: string; outline: CodeOutline | undefined; isUnfinished?: boolean }>;
