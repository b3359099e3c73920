import type { Language } from "web-tree-sitter";

const COMMENT_NODE_TYPE = /^(?:line_|block_|html_)?comment$/;

/** Node types and fields of a grammar, read once so that a walk works with numbers only. */
export interface GrammarVocabulary {
  /** By number. The last entry is for parse errors. */
  readonly types: readonly string[];
  readonly isNamed: Uint8Array;
  readonly isComment: Uint8Array;
  readonly fields: ReadonlyMap<string, number>;
}

const vocabularyByLanguage = new WeakMap<Language, GrammarVocabulary>();

export function getGrammarVocabulary(language: Language): GrammarVocabulary {
  const found = vocabularyByLanguage.get(language) ?? readGrammarVocabulary(language);
  vocabularyByLanguage.set(language, found);
  return found;
}

function readGrammarVocabulary(language: Language): GrammarVocabulary {
  const types = [...language.types, "ERROR"].map((type) => type ?? "");
  const flags = (test: (type: string, id: number) => boolean): Uint8Array =>
    Uint8Array.from(types, (type, id) => Number(test(type, id)));
  return {
    types,
    isNamed: flags((_, id) => id >= language.types.length || language.nodeTypeIsNamed(id)),
    isComment: flags((type, id) => COMMENT_NODE_TYPE.test(type) && language.nodeTypeIsNamed(id)),
    fields: new Map(language.fields.flatMap((name, id) => (name === null ? [] : [[name, id] as const]))),
  };
}
