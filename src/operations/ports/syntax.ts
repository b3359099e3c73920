import type { Site } from "#domain/bite/site.ts";
import type { Outline } from "#domain/indexing/outline.ts";
import type { Look } from "#domain/scan/look.ts";

/** Code as a syntax tree. What is asked and answered is plain data, so that it can be asked of another thread. */
export interface Syntax {
  /**
   * What the tree shows; by comments alone where no grammar knows the language or the tree takes too long. Nothing for
   * what is no code, or over 1 MB. It never throws for what a file holds.
   */
  look(path: string, text: string): Promise<Look | undefined>;
  /** What the index asks of a file; nothing for what is no code, or over 1 MB. It never throws for what a file holds. */
  outline(path: string, text: string): Promise<Outline | undefined>;
  /** The same of many files, in several threads, each told as soon as it is read. Only a few are held at a time. */
  outlines(files: AsyncIterable<{ readonly path: string; readonly text: string }>): AsyncIterable<OutlinedFile>;
  /** The places where code could be made wrong; none where no grammar knows the language. */
  sites(path: string, text: string): Promise<readonly Site[]>;
}

export interface OutlinedFile {
  readonly path: string;
  readonly outline: Outline | undefined;
}
