import { aboutLine } from "../indexing/outline.ts";
import { nameOfTag, type Tag } from "../scan/tags.ts";
import { isTestData } from "../scan/test-path.ts";
import type { NameReader } from "./test-names.ts";

/** A place in code or tests that says what it belongs to. */
export interface Carrier extends Tag {
  readonly path: string;
  readonly isTest: boolean;
  /** The component that says so; nothing where it is the file. */
  readonly ref?: string;
  /** The test that says so, where it is one. */
  readonly test?: string;
}

/** A test as a trace needs it. */
interface Case {
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
}

/** What is known of code, as far as a trace needs it. */
export interface Ground {
  readonly tags: readonly (Tag & { readonly path: string; readonly isTest: boolean; readonly ref?: string })[];
  readonly tests: readonly (Case & { readonly path: string })[];
}

/** Everything that says what it belongs to: tags, markers and the names of tests. What tests are fed says nothing. */
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

/** A test that says the same in its name and in a tag says it once. */
const placeOf = (each: Carrier): string => `${each.path}\0${each.test ?? each.line}\0${nameOfTag(each)}`;
