import type { Edit } from "#domain/spec/yaml/edit.ts";
import type { Located } from "#domain/spec/yaml/located.ts";

export interface YamlReading {
  /** Nothing when it cannot be read, or says nothing. */
  readonly tree?: Located;
  readonly problems: readonly { readonly problem: string; readonly line: number }[];
}

/**
 * YAML as people write it for people: one document, no anchors, no aliases, no tags, no key twice. Whatever the text is,
 * reading it ends soon and never throws.
 */
export interface Yaml {
  read(text: string): YamlReading;
  /** The text with the edits made in it; comments, the order of keys and all else stay as they are. */
  edit(text: string, edits: readonly Edit[]): string;
}
