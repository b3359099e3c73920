import type { Vocabulary } from "../vocabulary.ts";
import type { ByType } from "./language.ts";

export const byId = <T>({ types, isNamed }: Vocabulary, table: ByType<T> | undefined): readonly (T | undefined)[] =>
  types.map((type, id) =>
    isNamed[id] === 1 && table !== undefined && Object.hasOwn(table, type) ? table[type] : undefined,
  );

export const idsOf = ({ types }: Vocabulary, names: readonly string[] | undefined): Uint8Array =>
  Uint8Array.from(types, (type) => Number(names?.includes(type) ?? false));
