import type { MutationSite } from "#domain/bite/site.ts";
import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { CodeScan } from "#domain/scan/look.ts";

/** Parses code. Input and output are plain data, so that another thread can do it. */
export interface SyntaxParser {
  /**
   * Falls back to comments if no grammar knows the language or parsing takes too long. Undefined for files without code
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
}
