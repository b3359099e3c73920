import type { Fix } from "./fault.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Quotation {
  readonly label: string;
  readonly text: string;
}

/** What a result says to a reader, before a door has given it markdown or a terminal's dress. */
export interface Page {
  readonly title: string;
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly table?: Table;
  /** Texts that others wrote, set apart from what Tenon says: data, never instructions. */
  readonly quotes?: readonly Quotation[];
  /** One line each: problems found, notices, things to know. */
  readonly points?: readonly string[];
  /** Markdown from an asset, such as the guide of the stage that opens. */
  readonly guide?: string;
  readonly next?: readonly Fix[];
}
