import { aboutLine } from "../indexing/outline.ts";
import { nameOfTag, type Tag } from "../scan/tags.ts";
import { isTestData } from "../scan/test-path.ts";
import type { NameReader } from "./test-names.ts";

/** A location in code or tests that names the id it serves. */
export interface Carrier extends Tag {
  readonly path: string;
  readonly isTest: boolean;
  readonly ref?: string;
  readonly test?: string;
}

interface Case {
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
}

export interface Ground {
  readonly tags: readonly (Tag & { readonly path: string; readonly isTest: boolean; readonly ref?: string })[];
  readonly tests: readonly (Case & { readonly path: string })[];
}

/** Collects tags, markers and ids in test names. Ignores test data. */
export function carriersIn({ tags, tests }: Ground, namesIn: NameReader): Carrier[] {
  const casesOf = Map.groupBy(tests, ({ path }) => path);
  const tagged = tags.map((tag): Carrier => {
    const test = aboutLine(casesOf.get(tag.path) ?? [], tag.line);
    return { ...tag, isTest: tag.isTest || test !== undefined, ...(test ? { test: test.name } : {}) };
  });
  const told = new Set(tagged.map(placeOf));
  const named = tests.flatMap(({ path, name, line }) =>
    namesIn(name).map((said): Carrier => ({ ...said, by: "name", path, line, isTest: true, test: name })),
  );
  return [...tagged, ...named.filter((each) => !told.has(placeOf(each)))]
    .filter(({ path }) => !isTestData(path))
    .toSorted((one, other) => compare(one.path, other.path) || one.line - other.line);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** A test that names an id both in its name and in a tag counts once. */
const placeOf = (each: Carrier): string => `${each.path}\0${each.test ?? each.line}\0${nameOfTag(each)}`;
