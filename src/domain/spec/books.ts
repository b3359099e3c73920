import { BUSINESS_RULES, type Path, REQUIREMENTS } from "../workspace/path.ts";

/** The documents that deltas are about; nothing for one that is not there. */
export interface Books {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
}
export type Book = keyof Books;

/** The document that an id belongs to. */
export const bookOf = (id: string): Book => (id.startsWith("BR-") ? "rules" : "requirements");

export const BOOK_PATHS: Readonly<Record<Book, Path>> = { requirements: REQUIREMENTS, rules: BUSINESS_RULES };

/** What a document begins with that is not there yet. */
export const NEW_BOOKS: Readonly<Record<Book, string>> = {
  requirements: "# Requirements\n",
  rules: "# Business rules\n",
};
