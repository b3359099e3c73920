import type { DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";
import type { Observation } from "../model/memory-records.ts";
import type { SqlProgram } from "./sql-program.ts";

export type IndexedText = Pick<Observation, "title" | "content">;

/** The rows that a search reads: one range of places, and conditions on the table `observations o`. */
export interface TermArea {
  readonly from: bigint;
  readonly to: bigint;
  /** Prompts have their own index, so that a question does not find itself. */
  readonly isPrompts: boolean;
  readonly where: string;
  readonly values: readonly DatabaseValue[];
}

export interface TermMatch {
  /** All of them must be in the text. */
  readonly terms: readonly string[];
  readonly most: number;
}

/** The index from terms to texts. It holds each term once; weights are computed from the texts. */
export interface TermIndex {
  /** Adds a text, and its terms to the vocabulary for typo repair; listing the terms of the index is slow. */
  add(place: number | bigint, type: string, text: IndexedText): SqlProgram<void>;
  drop(place: number | bigint, type: string): SqlProgram<void>;
  /** Removes the terms of destroyed texts that no other text contains. */
  forget(texts: readonly IndexedText[]): SqlProgram<void>;
  /** The terms of these that some text contains or contained. */
  known(terms: readonly string[]): SqlProgram<readonly string[]>;
  /** For each match the places of its newest rows. */
  find(area: TermArea, matches: readonly TermMatch[]): SqlProgram<readonly (readonly number[])[]>;
}

export const listIndexTerms = (texts: readonly IndexedText[]): string[] => [
  ...new Set(extractSearchTerms(texts.map(({ title, content }) => `${title}\n${content}`).join("\n"))),
];

export const MOST_FILTERED_ROWS = 100_000;
