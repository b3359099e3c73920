import type { Carrier } from "./carrier.ts";
import type { Known } from "./known.ts";

/** How far a spec or a requirement is carried. */
export interface MatrixRow {
  readonly id: string;
  readonly kind: Known["kind"];
  readonly title: string;
  readonly status?: string;
  readonly criteria: number;
  /** Of them, those that a test names. */
  readonly covered: number;
  readonly code: number;
  readonly tests: number;
  readonly docs: number;
}

/** By what each id is carried. */
export interface Carried {
  readonly code: readonly Carrier[];
  readonly tests: readonly Carrier[];
  /** Documents that tell of it. */
  readonly docs: readonly string[];
}

const NOTHING: Carried = { code: [], tests: [], docs: [] };

export interface Trace {
  readonly carriers: readonly Carrier[];
  /** The documents that name each id, its own spec left out. */
  readonly docs: ReadonlyMap<string, readonly string[]>;
}

/** What carries each id, gone through once. */
export function carriedBy({ carriers, docs }: Trace): (id: string) => Carried {
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  return (id) => {
    const own = bySpec.get(id);
    const told = docs.get(id) ?? [];
    if (!own) return { ...NOTHING, docs: told };
    return { code: own.filter(({ isTest }) => !isTest), tests: own.filter(({ isTest }) => isTest), docs: told };
  };
}

/** Specs first, in the order of their ids, then what the project's documents define. */
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

/** The tests that name a criterion. */
export const testsOf = (tests: readonly Carrier[], criterion: string): Carrier[] =>
  tests.filter((each) => each.criterion === criterion);

const isSpec = ({ kind }: Known): boolean => kind !== "requirement" && kind !== "rule";

const inOrder = (one: Known, other: Known): number =>
  Number(isSpec(other)) - Number(isSpec(one)) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** Components and tests count once, however many tags they have. */
const placesIn = (carriers: readonly Carrier[]): number =>
  new Set(carriers.map(({ path, line, ref, test }) => `${path}\0${test ?? ref ?? line}`)).size;

/** `src/login.ts:15` and `docs/login.md#codes` name a place in a file. */
export const fileOf = (place: string): string => place.replace(/[:#].*$/, "");
