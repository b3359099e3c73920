import type { Carrier } from "./carrier.ts";
import type { Known } from "./known.ts";

export interface MatrixRow {
  readonly id: string;
  readonly kind: Known["kind"];
  readonly title: string;
  readonly status?: string;
  readonly criteria: number;
  readonly covered: number;
  readonly code: number;
  readonly tests: number;
  readonly docs: number;
}

export interface Carried {
  readonly code: readonly Carrier[];
  readonly tests: readonly Carrier[];
  readonly docs: readonly string[];
}

const NOTHING: Carried = { code: [], tests: [], docs: [] };

export interface Trace {
  readonly carriers: readonly Carrier[];
  /** Documents that mention each id, except its own spec. */
  readonly docs: ReadonlyMap<string, readonly string[]>;
}

export function carriedBy({ carriers, docs }: Trace): (id: string) => Carried {
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  return (id) => {
    const own = bySpec.get(id);
    const told = docs.get(id) ?? [];
    if (!own) return { ...NOTHING, docs: told };
    return { code: own.filter(({ isTest }) => !isTest), tests: own.filter(({ isTest }) => isTest), docs: told };
  };
}

/** Specs in id order, then items of the project documents. */
export function matrixOf(known: Iterable<Known>, carried: (id: string) => Carried): MatrixRow[] {
  return [...known].toSorted(inOrder).map((each) => {
    const { id, kind, title, status, criteria = [] } = each;
    const { code, tests, docs } = carried(id);
    return {
      id,
      kind,
      title,
      ...(status === undefined ? {} : { status }),
      criteria: criteria.length,
      covered: criteria.filter((criterion) => testsOf(tests, criterion.id).length > 0).length,
      code: placesIn(code),
      tests: placesIn(tests),
      docs: new Set([...docs, ...each.trace.docs.map(fileOf)]).size,
    };
  });
}

export const testsOf = (tests: readonly Carrier[], criterion: string): Carrier[] =>
  tests.filter((each) => each.criterion === criterion);

const isSpec = ({ kind }: Known): boolean => kind !== "requirement" && kind !== "rule";

const inOrder = (one: Known, other: Known): number =>
  Number(isSpec(other)) - Number(isSpec(one)) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** A component or test counts once, however many tags it has. */
const placesIn = (carriers: readonly Carrier[]): number =>
  new Set(carriers.map(({ path, line, ref, test }) => `${path}\0${test ?? ref ?? line}`)).size;

/** `src/login.ts:15` and `docs/login.md#codes` point into a file. */
export const fileOf = (place: string): string => place.replace(/[:#].*$/, "");
