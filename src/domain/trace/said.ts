import type { Spec } from "../spec/yaml/read.ts";

/** What a spec says of itself, and each of its criteria, as far as code is to follow it. */
export interface Said {
  /** Whether it is to be built as it stands: past its draft, and with criteria. */
  readonly isBinding: boolean;
  readonly title: string;
  /** All but the criteria, and what only says how far it is. */
  readonly rest: unknown;
  /** By `AC-1`. */
  readonly criteria: ReadonlyMap<string, CriterionSaid>;
}

export type CriterionSaid = string | Readonly<Record<string, unknown>>;

/** What says how far it is, how urgent, and what it waits for: no code has to follow that. */
const BESIDE = new Set(["trace", "metadata", "status", "priority", "owner", "tags", "notes", "risks", "dependencies"]);

export function saidBy(spec: Spec): Said {
  const criteria = criteriaOf(spec);
  const fields = Object.entries(spec).filter(([name]) => name !== "acceptance_criteria" && !BESIDE.has(name));
  const rest = Object.fromEntries(fields) as Fields;
  const { acceptance_criteria: _, risks: __, ...fix } = (rest["fix_approach"] ?? {}) as Fields;
  return {
    isBinding: spec.status !== "draft" && criteria.size > 0,
    title: spec.type === "research" ? spec.topic : spec.title,
    rest: spec.type === "bug" ? { ...rest, fix_approach: fix } : rest,
    criteria,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A bug's criteria have no numbers of their own: they are counted. */
function criteriaOf(spec: Spec): ReadonlyMap<string, CriterionSaid> {
  if (spec.type === "feature")
    return new Map(spec.acceptance_criteria.map(({ id, ...said }) => [id, said as Readonly<Record<string, unknown>>]));
  if (spec.type === "bug")
    return new Map(spec.fix_approach.acceptance_criteria.map((said, i) => [`AC-${i + 1}`, said]));
  return new Map();
}

/** A value as one text, whatever the order of its keys. */
export function oneForm(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneForm).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${oneForm(each)}`)
    .join(",")}}`;
}
