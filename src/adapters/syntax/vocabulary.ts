import type { Language } from "web-tree-sitter";

const COMMENT = /^(?:line_|block_|html_)?comment$/;

/** Node types and fields of a grammar, read once so that a walk works with numbers only. */
export interface Vocabulary {
  /** By number. The last entry is for parse errors. */
  readonly types: readonly string[];
  readonly isNamed: Uint8Array;
  readonly isComment: Uint8Array;
  readonly fields: ReadonlyMap<string, number>;
}

const known = new WeakMap<Language, Vocabulary>();

export function vocabularyOf(language: Language): Vocabulary {
  const found = known.get(language) ?? asked(language);
  known.set(language, found);
  return found;
}

function asked(language: Language): Vocabulary {
  const types = [...language.types, "ERROR"].map((type) => type ?? "");
  const flags = (test: (type: string, id: number) => boolean): Uint8Array =>
    Uint8Array.from(types, (type, id) => Number(test(type, id)));
  return {
    types,
    isNamed: flags((_, id) => id >= language.types.length || language.nodeTypeIsNamed(id)),
    isComment: flags((type, id) => COMMENT.test(type) && language.nodeTypeIsNamed(id)),
    fields: new Map(language.fields.flatMap((name, id) => (name === null ? [] : [[name, id] as const]))),
  };
}
