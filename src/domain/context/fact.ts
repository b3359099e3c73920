import { isObject, isTime } from "../flow/shape.ts";

/** A critical fact needs an answer before the stage may end. */
export const SEVERITIES = ["critical", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Fact {
  readonly id: string;
  readonly severity: Severity;
  readonly fact: string;
}

export interface ContextCheck {
  readonly at: string;
  /** Digest of everything the check read. */
  readonly tree: string;
  readonly facts: readonly Fact[];
}

/** Limit per severity, so that the list is readable and the record stays small. */
export const MOST_FACTS = 40;
export const LONGEST_FACT = 400;

export function isContextCheck(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value["facts"])) return false;
  const { at, tree, facts } = value;
  return (
    isTime(at) &&
    typeof tree === "string" &&
    /^[0-9a-f]{64}$/.test(tree) &&
    facts.length <= SEVERITIES.length * MOST_FACTS &&
    facts.every(isFact)
  );
}

function isFact(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, severity, fact } = value;
  return (
    typeof id === "string" &&
    /^CF-\d{1,3}$/.test(id) &&
    SEVERITIES.some((each) => each === severity) &&
    typeof fact === "string" &&
    fact.length <= 2 * LONGEST_FACT
  );
}
