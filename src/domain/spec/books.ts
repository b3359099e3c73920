import { BUSINESS_RULES, type Path, REQUIREMENTS } from "../workspace/path.ts";

/** The documents that deltas change. Undefined for a document that does not exist. */
export interface Books {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
}
export type Book = keyof Books;

export const bookOf = (id: string): Book => (id.startsWith("BR-") ? "rules" : "requirements");

export const BOOK_PATHS: Readonly<Record<Book, Path>> = { requirements: REQUIREMENTS, rules: BUSINESS_RULES };

export const NEW_BOOKS: Readonly<Record<Book, string>> = {
  requirements: "# Requirements\n",
  rules: "# Business rules\n",
};
