import { BUSINESS_RULES_PATH, type WorkspacePath, REQUIREMENTS_PATH } from "../workspace/path.ts";

/** The documents that deltas change. Undefined for a document that does not exist. */
export interface SpecBooks {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
}
export type SpecBook = keyof SpecBooks;

export const findSpecBook = (id: string): SpecBook => (id.startsWith("BR-") ? "rules" : "requirements");

export const SPEC_BOOK_PATHS: Readonly<Record<SpecBook, WorkspacePath>> = {
  requirements: REQUIREMENTS_PATH,
  rules: BUSINESS_RULES_PATH,
};

export const NEW_SPEC_BOOKS: Readonly<Record<SpecBook, string>> = {
  requirements: "# Requirements\n",
  rules: "# Business rules\n",
};
