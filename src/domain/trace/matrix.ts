import type { TraceLocation } from "./carrier.ts";
import type { TraceableItem } from "./known.ts";

export interface TraceMatrixRow {
  readonly id: string;
  readonly kind: TraceableItem["kind"];
  readonly title: string;
  readonly status?: string;
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

const NO_LOCATIONS: ServingLocations = { code: [], tests: [], docs: [] };

export interface TraceLinks {
  readonly carriers: readonly TraceLocation[];
  /** Documents that mention each id, except its own spec. */
  readonly docs: ReadonlyMap<string, readonly string[]>;
}

export function groupServingLocations({ carriers, docs }: TraceLinks): (id: string) => ServingLocations {
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  return (id) => {
    const own = bySpec.get(id);
    const told = docs.get(id) ?? [];
    if (!own) return { ...NO_LOCATIONS, docs: told };
    return { code: own.filter(({ isTest }) => !isTest), tests: own.filter(({ isTest }) => isTest), docs: told };
  };
}

/** Specs in id order, then items of the project documents. */
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
      ...(status === undefined ? {} : { status }),
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

const isSpecItem = ({ kind }: TraceableItem): boolean => kind !== "requirement" && kind !== "rule";

const compareItemOrder = (one: TraceableItem, other: TraceableItem): number =>
  Number(isSpecItem(other)) - Number(isSpecItem(one)) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** A component or test counts once, however many tags it has. */
const countDistinctLocations = (carriers: readonly TraceLocation[]): number =>
  new Set(carriers.map(({ path, line, ref, test }) => `${path}\0${test ?? ref ?? line}`)).size;

/** `src/login.ts:15` and `docs/login.md#codes` point into a file. */
export const stripLocationSuffix = (place: string): string => place.replace(/[:#].*$/, "");
