import type { GrammarVocabulary } from "../vocabulary.ts";
import type { NodeTypeTable } from "./language.ts";

export const indexTableByType = <T>(
  { types, isNamed }: GrammarVocabulary,
  table: NodeTypeTable<T> | undefined,
): readonly (T | undefined)[] =>
  types.map((type, id) =>
    isNamed[id] === 1 && table !== undefined && Object.hasOwn(table, type) ? table[type] : undefined,
  );

export const flagNodeTypes = ({ types }: GrammarVocabulary, names: readonly string[] | undefined): Uint8Array =>
  Uint8Array.from(types, (type) => Number(names?.includes(type) ?? false));
