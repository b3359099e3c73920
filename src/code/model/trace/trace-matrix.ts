import type { TraceLocation } from "./trace-locations.ts";
import { type TraceableItem, isUnknownId, type TraceableIds, isMissingCriterion } from "./traceable-ids.ts";
import { compareTexts, findClosestWord, sanitizeText } from "#kernel/model/text-format.ts";
import { isFeatureTag, formatTagName, formatTagComment } from "../scan/spec-tags.ts";

export type TraceMatrixRow = ReturnType<typeof buildTraceMatrix>[number];

type ServingLocations = Readonly<Record<"code" | "tests", readonly TraceLocation[]> & { docs: readonly string[] }>;

/** `docs`: documents that mention each id, except its own spec. */
export function groupServingLocations(
  carriers: readonly TraceLocation[],
  docs: ReadonlyMap<string, readonly string[]>,
) {
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  return (id: string): ServingLocations => {
    const { code = [], tests = [] } = Object.groupBy(bySpec.get(id) ?? [], ({ isTest }) => (isTest ? "tests" : "code"));
    return { code, tests, docs: docs.get(id) ?? [] };
  };
}

export function buildTraceMatrix(known: Iterable<TraceableItem>, carried: (id: string) => ServingLocations) {
  return [...known].toSorted(compareItemOrder).map((each) => {
    const { id, kind, title, status, criteria = [] } = each;
    const { code, tests, docs } = carried(id);
    return {
      id,
      kind,
      title,
      status,
      criteria: criteria.length,
      covered: criteria.filter((criterion) => filterCriterionTests(tests, criterion.id).length > 0).length,
      code: countDistinctLocations(code),
      tests: countDistinctLocations(tests),
      docs: new Set([...docs, ...each.trace.docs.map(stripLocationSuffix)]).size,
    };
  });
}

export const filterCriterionTests = (tests: readonly TraceLocation[], criterion: string): TraceLocation[] =>
  tests.filter((each) => each.criterion === criterion);

export const isSpecItem = ({ kind }: Pick<TraceableItem, "kind">): boolean => kind !== "requirement" && kind !== "rule";

/** Specs precede the items of the project documents. */
export const compareItemOrder = (one: TraceableItem, other: TraceableItem): number =>
  Number(isSpecItem(other)) - Number(isSpecItem(one)) || compareTexts(one.id, other.id);

/** A component or test counts once, however many tags it has. */
const countDistinctLocations = (carriers: readonly TraceLocation[]): number =>
  new Set(carriers.map(({ path, line, ref, test }) => `${path}\0${test ?? ref ?? line}`)).size;

/** `src/login.ts:15` and `docs/login.md#codes` point into a file. */
export const stripLocationSuffix = (place: string): string => place.replace(/[:#].*$/, "");

export const TRACE_PROBLEM_KINDS = ["orphan", "no-code", "no-tests", "untested", "no-docs", "stale"] as const;

/** Due problems must be fixed. Unfinished work may still be open. */
export type TraceProblem = Readonly<{ id: string; path?: string; line?: number; problem: string; due: boolean }> & {
  readonly kind: (typeof TRACE_PROBLEM_KINDS)[number];
};

export function findOrphanTags(carriers: readonly TraceLocation[], known: TraceableIds): TraceProblem[] {
  const names = [...known.ids.keys(), ...(known.features ?? [])];
  return carriers.flatMap((carrier): TraceProblem[] => {
    const { path, line, spec, criterion = "" } = carrier;
    const isUnknown = isUnknownId(known, carrier);
    if (!isUnknown && !isMissingCriterion(known, carrier)) return [];
    const near = isUnknown ? findClosestWord(spec, names) : undefined;
    const has = (known.ids.get(spec)?.criteria ?? []).map(({ id }) => id);
    const why = isUnknown
      ? `nothing defines ${spec}${near === undefined ? "" : `, but there is ${near}`}.`
      : `${spec} has no ${criterion}${has.length === 0 ? "" : `; it has ${has.slice(0, 10).join(", ")}`}.`;
    const problem = `${sanitizeText(path, 200)}:${line}: ${why}`;
    return [{ kind: "orphan", id: formatTagName(carrier), path, line, problem, due: true }];
  });
}

/**
 * A draft needs no links; gaps of a specified spec are not due yet. An implemented spec needs code and tests, a feature
 * also a test per criterion and a document.
 */
export function findSpecGaps(
  { id, kind, status = "draft", criteria = [], trace, path }: TraceableItem,
  { code, tests, docs }: ServingLocations,
  isThere: (path: string) => boolean,
): TraceProblem[] {
  if ((kind !== "feature" && kind !== "bug" && kind !== "roadmap") || status === "draft") return [];
  const due = status !== "specified";
  const createProblem = (of: TraceProblem["kind"], problem: string, name = id): TraceProblem => {
    return { kind: of, id: name, path, problem, due };
  };
  const untested = criteria
    .filter((criterion) => kind !== "bug" && filterCriterionTests(tests, criterion.id).length === 0)
    .map(({ id: own }) => createProblem("untested", describeUntestedCriterion(id, own), `${id}.${own}`));
  if (kind === "roadmap") {
    // A roadmap feature needs the files of its design and a test per criterion.
    const missing = trace.code.filter((file) => due && !isThere(file));
    const stale = missing.map((file) => `The design of ${id} names ${sanitizeText(file, 120)}, which does not exist.`);
    return [...untested, ...stale.map((problem) => createProblem("stale", problem))];
  }
  const tag = formatTagComment({ spec: id });
  const hasDocs = kind === "bug" || docs.length > 0 || trace.docs.length > 0;
  const noDocs = `${id} is ${status}, and no document names it; nor does trace.docs of its spec name one.`;
  return [
    ...(code.length > 0 ? [] : [createProblem("no-code", `${id} is ${status}, and no code is tagged ${tag}.`)]),
    ...(tests.length > 0 ? [] : [createProblem("no-tests", `${id} is ${status}, and no test is tagged ${tag}.`)]),
    ...untested,
    ...(hasDocs ? [] : [createProblem("no-docs", noDocs)]),
    ...(["code", "tests", "docs"] as const).flatMap((side) => {
      const missing = trace[side].filter((place) => !isThere(stripLocationSuffix(place)));
      const stale = missing.map((place) => `trace.${side} of ${id} names ${sanitizeText(place, 120)}`);
      return stale.map((problem) => createProblem("stale", `${problem}, which does not exist.`));
    }),
  ];
}

export function describeUntestedCriterion(spec: string, criterion: string): string {
  const said = { spec, criterion };
  return `No test names ${formatTagName(said)}: say ${formatTagComment(said)} in the one that shows it, or just above.`;
}

export function listUntracedTestFiles(tests: readonly { readonly path: string }[], carriers: readonly TraceLocation[]) {
  const serving = new Set(carriers.map(({ path }) => path));
  return [...Map.groupBy(tests, ({ path }) => path)]
    .filter(([path]) => !serving.has(path))
    .map(([path, own]) => ({ path, tests: own.length }))
    .toSorted((one, other) => other.tests - one.tests || compareTexts(one.path, other.path));
}

export function suggestTraceIds(word: string, { ids, features }: TraceableIds): string[] {
  const names = [...ids.keys(), ...(features ?? [])];
  const same = names.find((name) => name.toLowerCase() === word.toLowerCase());
  const near = same ?? findClosestWord(word, names);
  const family = isFeatureTag(word) ? undefined : word.replace(/-.*$/, "-");
  const others = family === undefined ? [] : names.filter((name) => name.startsWith(family));
  return [...new Set([...(near === undefined ? [] : [near]), ...others])].slice(0, 5);
}
