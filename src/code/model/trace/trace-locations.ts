import { findSpanForLine } from "../index/code-outline.ts";
import { formatTagName, type SpecTag } from "../scan/spec-tags.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import type { TestCase } from "../scan/test-case-readers.ts";
import { isTestData } from "../scan/test-files.ts";
import type { TestNameReader } from "./id-mentions.ts";

/** A location in code or tests that names the id it serves. */
export interface TraceLocation extends SpecTag {
  readonly path: string;
  readonly isTest: boolean;
  readonly ref?: string;
  readonly test?: string;
}

export interface TraceSources {
  readonly tags: readonly Omit<TraceLocation, "test">[];
  readonly tests: readonly (Pick<TestCase, "name" | "line" | "lastLine"> & { readonly path: string })[];
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
    .toSorted((one, other) => compareTexts(one.path, other.path) || one.line - other.line);
}

/** A test that names an id both in its name and in a tag counts once. */
const formatTraceLocationKey = (each: TraceLocation): string =>
  `${each.path}\0${each.test ?? each.line}\0${formatTagName(each)}`;

interface ComponentSpan {
  readonly ref: string;
  readonly line: number;
  readonly lastLine: number;
}

export interface ServedLocation {
  readonly carrier: TraceLocation;
  readonly from: "itself" | "around" | "file";
}

export function listServedLocations(
  carriers: readonly TraceLocation[],
  holders: readonly ComponentSpan[],
  of: ComponentSpan | undefined,
): ServedLocation[] {
  if (!of) return carriers.map((carrier) => ({ carrier, from: "itself" }));
  const spans = new Map(holders.map((each) => [each.ref, each]));
  const rank = { itself: 0, around: 1, file: 2 };
  return carriers
    .flatMap((carrier): ServedLocation[] => {
      if (carrier.ref === undefined) return [{ carrier, from: carrier.test === undefined ? "file" : "itself" }];
      if (carrier.ref === of.ref) return [{ carrier, from: "itself" }];
      const holder = spans.get(carrier.ref);
      if (!holder) return [];
      if (isSpanAround(of, holder)) return [{ carrier, from: "itself" }];
      return isSpanAround(holder, of) ? [{ carrier, from: "around" }] : [];
    })
    .filter(({ carrier }) => carrier.ref !== undefined || carrier.test === undefined || isLineInSpan(of, carrier.line))
    .toSorted((one, other) => rank[one.from] - rank[other.from]);
}

const isSpanAround = (outer: ComponentSpan, inner: ComponentSpan): boolean =>
  outer.line <= inner.line && outer.lastLine >= inner.lastLine;

const isLineInSpan = ({ line, lastLine }: ComponentSpan, at: number): boolean => line <= at && at <= lastLine;

/** `src/a.ts`, `./src/a.ts`, `src/a.ts#Session.login`, `src/a.ts:15`. */
export interface CodePosition {
  readonly path: string;
  readonly symbol?: string;
  readonly line?: number;
}

export function parseCodePosition(text: string): CodePosition {
  const clean = text
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
  const [, path = clean, symbol, line] = /^(.+?)(?:#(.+)|:([0-9]{1,7})(?::[0-9]+)?)?$/s.exec(clean) ?? [];
  return { path, ...(symbol === undefined ? {} : { symbol }), ...(line === undefined ? {} : { line: Number(line) }) };
}
