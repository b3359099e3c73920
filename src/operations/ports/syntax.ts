import type { Site } from "#domain/bite/site.ts";
import type { Look } from "#domain/scan/look.ts";

/** Code as a syntax tree. What is asked and answered is plain data, so that it can be asked of another thread. */
export interface Syntax {
  /**
   * What the tree shows; by comments alone where no grammar knows the language or the tree takes too long. Nothing for
   * what is no code, or over 1 MB. It never throws for what a file holds.
   */
  look(path: string, text: string): Promise<Look | undefined>;
  /** The places where code could be made wrong; none where no grammar knows the language. */
  sites(path: string, text: string): Promise<readonly Site[]>;
}
