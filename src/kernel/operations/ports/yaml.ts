import type { YamlEdit, LocatedNode } from "../../model/yaml-tree.ts";

export interface YamlReading {
  readonly tree?: LocatedNode;
  readonly problems: readonly { readonly problem: string; readonly line: number }[];
}

/** One document without anchors, aliases, tags and repeated keys. Reading is fast for any text and never throws. */
export interface YamlEditor {
  read(text: string): YamlReading;
  /** Keeps comments, key order and all other text. */
  edit(text: string, edits: readonly YamlEdit[]): string;
}
