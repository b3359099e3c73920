import { findSpanForLine } from "../indexing/outline.ts";
import { formatTagName, type SpecTag } from "../scan/tags.ts";
import { isTestData } from "../scan/test-path.ts";
import type { TestNameReader } from "./test-names.ts";

/** A location in code or tests that names the id it serves. */
export interface TraceLocation extends SpecTag {
  readonly path: string;
  readonly isTest: boolean;
  readonly ref?: string;
  readonly test?: string;
}

interface TestSpan {
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
}

export interface TraceSources {
  readonly tags: readonly (SpecTag & { readonly path: string; readonly isTest: boolean; readonly ref?: string })[];
  readonly tests: readonly (TestSpan & { readonly path: string })[];
}

/** Collects tags, markers and ids in test names. Ignores test data. */
export function collectTraceLocations({ tags, tests }: TraceSources, namesIn: TestNameReader): TraceLocation[] {
  const casesOf = Map.groupBy(tests, ({ path }) => path);
  const tagged = tags.map((tag): TraceLocation => {
    const test = findSpanForLine(casesOf.get(tag.path) ?? [], tag.line);
    return { ...tag, isTest: tag.isTest || test !== undefined, ...(test ? { test: test.name } : {}) };
  });
  const told = new Set(tagged.map(formatTraceLocationKey));
  const named = tests.flatMap(({ path, name, line }) =>
    namesIn(name).map((said): TraceLocation => ({ ...said, by: "name", path, line, isTest: true, test: name })),
  );
  return [...tagged, ...named.filter((each) => !told.has(formatTraceLocationKey(each)))]
    .filter(({ path }) => !isTestData(path))
    .toSorted((one, other) => compareLocationPaths(one.path, other.path) || one.line - other.line);
}

const compareLocationPaths = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** A test that names an id both in its name and in a tag counts once. */
const formatTraceLocationKey = (each: TraceLocation): string =>
  `${each.path}\0${each.test ?? each.line}\0${formatTagName(each)}`;
