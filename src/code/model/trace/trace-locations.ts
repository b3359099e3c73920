import { findSpanForLine } from "../index/code-outline.ts";
import { formatTagName, type SpecTag } from "../scan/spec-tags.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import type { TestCase } from "../scan/test-cases.ts";
import { isTestData } from "../scan/test-files.ts";
import type { TestNameReader } from "./id-mentions.ts";

export type TraceLocation = SpecTag & Readonly<{ path: string; isTest: boolean; ref?: string; test?: string }>;

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

type ComponentSpan = Readonly<{ ref: string; line: number; lastLine: number }>;

export type ServedLocation = Readonly<{ carrier: TraceLocation; from: "itself" | "around" | "file" }>;

export function listServedLocations(
  carriers: readonly TraceLocation[],
  holders: readonly ComponentSpan[],
  of: ComponentSpan | undefined,
): ServedLocation[] {
  if (!of) return carriers.map((carrier) => ({ carrier, from: "itself" }));
  const spans = new Map(holders.map((each) => [each.ref, each]));
  const rank = { itself: 0, around: 1, file: 2 };
  const isAround = (outer: ComponentSpan, inner: ComponentSpan): boolean =>
    outer.line <= inner.line && outer.lastLine >= inner.lastLine;
  const locate = ({ ref, test, line }: TraceLocation): ServedLocation["from"] | undefined => {
    if (ref === undefined && test === undefined) return "file";
    if (ref === undefined) return of.line <= line && line <= of.lastLine ? "itself" : undefined;
    const holder = spans.get(ref);
    if (ref === of.ref || (holder && isAround(of, holder))) return "itself";
    return holder && isAround(holder, of) ? "around" : undefined;
  };
  return carriers
    .flatMap((carrier): ServedLocation[] => {
      const from = locate(carrier);
      return from === undefined ? [] : [{ carrier, from }];
    })
    .toSorted((one, other) => rank[one.from] - rank[other.from]);
}

/** `src/a.ts`, `./src/a.ts`, `src/a.ts#Session.login`, `src/a.ts:15`. */
export type CodePosition = Readonly<{ path: string; symbol?: string; line?: number }>;

export function parseCodePosition(text: string): CodePosition {
  const clean = text
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
  const [, path = clean, symbol, line] = /^(.+?)(?:#(.+)|:([0-9]{1,7})(?::[0-9]+)?)?$/s.exec(clean) ?? [];
  return { path, ...(symbol === undefined ? {} : { symbol }), ...(line === undefined ? {} : { line: Number(line) }) };
}
