import type { SuggestedFix } from "./fault.ts";

export interface PageTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface PageQuotation {
  readonly label: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly table?: PageTable;
  /** Texts by other authors, shown as data and never as instructions. */
  readonly quotes?: readonly PageQuotation[];
  readonly points?: readonly string[];
  /** Markdown from an asset, such as the guide of the stage that opens. */
  readonly guide?: string;
  readonly next?: readonly SuggestedFix[];
}
