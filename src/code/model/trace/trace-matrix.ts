import type { TraceLocation } from "./trace-locations.ts";
import { type TraceableItem, isUnknownId, type TraceableIds, isMissingCriterion } from "./traceable-ids.ts";
import { compareTexts, findClosestWord, sanitizeText } from "#kernel/model/text-format.ts";
import { isFeatureTag, formatTagName, formatTagComment } from "../scan/spec-tags.ts";

export interface TraceMatrixRow {
  readonly id: string;
  readonly kind: TraceableItem["kind"];
  readonly title: string;
  readonly status?: string | undefined;
  readonly criteria: number;
  readonly covered: number;
  readonly code: number;
  readonly tests: number;
  readonly docs: number;
}

export interface ServingLocations {
  readonly code: readonly TraceLocation[];
  readonly tests: readonly TraceLocation[];
  readonly docs: readonly string[];
}

/** `docs`: documents that mention each id, except its own spec. */
export function groupServingLocations(
  carriers: readonly TraceLocation[],
  docs: ReadonlyMap<string, readonly string[]>,
): (id: string) => ServingLocations {
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  return (id) => {
    const { code = [], tests = [] } = Object.groupBy(bySpec.get(id) ?? [], ({ isTest }) => (isTest ? "tests" : "code"));
    return { code, tests, docs: docs.get(id) ?? [] };
  };
}

export function buildTraceMatrix(
  known: Iterable<TraceableItem>,
  carried: (id: string) => ServingLocations,
): TraceMatrixRow[] {
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

export interface TraceProblem {
  readonly kind: (typeof TRACE_PROBLEM_KINDS)[number];
  readonly id: string;
  readonly path?: string;
  readonly line?: number;
  readonly problem: string;
  /** Whether it must be fixed. Unfinished work may still be open. */
  readonly due: boolean;
}

export function findOrphanTags(carriers: readonly TraceLocation[], known: TraceableIds): TraceProblem[] {
  const names = [...known.ids.keys(), ...(known.features ?? [])];
  return carriers.flatMap((carrier): TraceProblem[] => {
    const why = explainOrphanTag(carrier, known, names);
    if (why === undefined) return [];
    const { path, line } = carrier;
    const problem = `${sanitizeText(path, 200)}:${line}: ${why}`;
    return [{ kind: "orphan", id: formatTagName(carrier), path, line, problem, due: true }];
  });
}

function explainOrphanTag(carrier: TraceLocation, known: TraceableIds, names: readonly string[]): string | undefined {
  const { spec, criterion = "" } = carrier;
  if (isUnknownId(known, carrier)) {
    const near = findClosestWord(spec, names);
    return `nothing defines ${spec}${near === undefined ? "" : `, but there is ${near}`}.`;
  }
  if (!isMissingCriterion(known, carrier)) return undefined;
  const has = known.ids.get(spec)?.criteria?.map(({ id }) => id) ?? [];
  return `${spec} has no ${criterion}${has.length === 0 ? "" : `; it has ${has.slice(0, 10).join(", ")}`}.`;
}

/**
 * Finds missing links of a spec. A draft needs none. Gaps of a specified spec are reported, but need no fix yet. An
 * implemented spec needs code and tests; a feature also needs a test per criterion and a document. Research and
 * requirements need nothing.
 */
export function findSpecGaps(
  { id, kind, status = "draft", criteria = [], trace, path }: TraceableItem,
  { code, tests, docs }: ServingLocations,
  isThere: (path: string) => boolean,
): TraceProblem[] {
  if ((kind !== "feature" && kind !== "bug" && kind !== "roadmap") || status === "draft") return [];
  const due = status !== "specified";
  const problem = (of: TraceProblem["kind"], text: string, name = id): TraceProblem[] => [
    { kind: of, id: name, path, problem: text, due },
  ];
  const untested = criteria
    .filter((criterion) => kind !== "bug" && filterCriterionTests(tests, criterion.id).length === 0)
    .flatMap((criterion) => problem("untested", describeUntestedCriterion(id, criterion.id), `${id}.${criterion.id}`));
  if (kind === "roadmap") {
    // A roadmap feature needs the files of its design and a test per criterion.
    const missing = trace.code.filter((file) => due && !isThere(file));
    return [
      ...untested,
      ...missing.flatMap((file) =>
        problem("stale", `The design of ${id} names ${sanitizeText(file, 120)}, which is not there.`),
      ),
    ];
  }
  const tag = formatTagComment({ spec: id });
  const hasDocs = kind === "bug" || docs.length > 0 || trace.docs.length > 0;
  return [
    ...(code.length > 0 ? [] : problem("no-code", `${id} is ${status}, and no code says ${tag}.`)),
    ...(tests.length > 0 ? [] : problem("no-tests", `${id} is ${status}, and no test says ${tag}.`)),
    ...untested,
    ...(hasDocs
      ? []
      : problem("no-docs", `${id} is ${status}, and no document names it; nor does trace.docs of its spec name one.`)),
    ...(["code", "tests", "docs"] as const).flatMap((side) =>
      trace[side]
        .filter((place) => !isThere(stripLocationSuffix(place)))
        .flatMap((place) =>
          problem("stale", `trace.${side} of ${id} names ${sanitizeText(place, 120)}, which is not there.`),
        ),
    ),
  ];
}

export function describeUntestedCriterion(spec: string, criterion: string): string {
  const said = { spec, criterion };
  return `No test names ${formatTagName(said)}: say ${formatTagComment(said)} in the one that shows it, or just above.`;
}

export function listUntracedTestFiles(
  tests: readonly { readonly path: string }[],
  carriers: readonly TraceLocation[],
): { path: string; tests: number }[] {
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
