import type { AnySpec } from "../spec/yaml/read.ts";

export interface SpecContent {
  readonly isBinding: boolean;
  readonly title: string;
  /** All other fields, without criteria and status. */
  readonly rest: unknown;
  readonly criteria: ReadonlyMap<string, CriterionContent>;
}

export type CriterionContent = string | Readonly<Record<string, unknown>>;

/** Status, priority and dependencies are not requirements on code. */
const NON_BINDING_FIELDS = new Set([
  "trace",
  "metadata",
  "status",
  "priority",
  "owner",
  "tags",
  "notes",
  "risks",
  "dependencies",
]);

export function extractSpecContent(spec: AnySpec): SpecContent {
  const criteria = extractCriteriaContent(spec);
  const fields = Object.entries(spec).filter(
    ([name]) => name !== "acceptance_criteria" && !NON_BINDING_FIELDS.has(name),
  );
  const rest = Object.fromEntries(fields) as ContentFields;
  const { acceptance_criteria: _, risks: __, ...fix } = (rest["fix_approach"] ?? {}) as ContentFields;
  return {
    isBinding: spec.status !== "draft" && criteria.size > 0,
    title: spec.type === "research" ? spec.topic : spec.title,
    rest: spec.type === "bug" ? { ...rest, fix_approach: fix } : rest,
    criteria,
  };
}

type ContentFields = Readonly<Record<string, unknown>>;

/** Criteria of a bug have no ids, so they are numbered. */
function extractCriteriaContent(spec: AnySpec): ReadonlyMap<string, CriterionContent> {
  if (spec.type === "feature")
    return new Map(spec.acceptance_criteria.map(({ id, ...said }) => [id, said as Readonly<Record<string, unknown>>]));
  if (spec.type === "bug")
    return new Map(spec.fix_approach.acceptance_criteria.map((said, i) => [`AC-${i + 1}`, said]));
  return new Map();
}

export function formatSortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatSortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${formatSortedJson(each)}`)
    .join(",")}}`;
}
