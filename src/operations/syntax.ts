import type { Look } from "#domain/scan/look.ts";

/** Code as a syntax tree. */
export interface Syntax {
  /** What the tree shows; nothing for a language that is not known or a text that is too large. */
  look(path: string, text: string): Promise<Look | undefined>;
}
