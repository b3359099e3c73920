import { isPlainObject, isTimestamp } from "#kernel/model/flow/record-shape.ts";

/** A critical fact needs an answer before the stage may end. */
export const FACT_SEVERITIES = ["critical", "warning", "info"] as const;
export type FactSeverity = (typeof FACT_SEVERITIES)[number];

export interface ContextFact {
  readonly id: string;
  readonly severity: FactSeverity;
  readonly fact: string;
}

export interface ContextCheck {
  readonly at: string;
  /** Digest of everything the check read. */
  readonly tree: string;
  readonly facts: readonly ContextFact[];
}

/** Limit per severity, so that the list is readable and the record stays small. */
export const MAX_FACTS_PER_SEVERITY = 40;
export const MAX_FACT_LENGTH = 400;

export function isContextCheck(value: unknown): boolean {
  if (!isPlainObject(value) || !Array.isArray(value["facts"])) return false;
  const { at, tree, facts } = value;
  return (
    isTimestamp(at) &&
    typeof tree === "string" &&
    /^[0-9a-f]{64}$/.test(tree) &&
    facts.length <= FACT_SEVERITIES.length * MAX_FACTS_PER_SEVERITY &&
    facts.every(isContextFact)
  );
}

function isContextFact(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { id, severity, fact } = value;
  return (
    typeof id === "string" &&
    /^CF-\d{1,3}$/.test(id) &&
    FACT_SEVERITIES.some((each) => each === severity) &&
    typeof fact === "string" &&
    fact.length <= 2 * MAX_FACT_LENGTH
  );
}
