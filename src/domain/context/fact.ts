import { isObject, isTime } from "../flow/shape.ts";

/** How much a fact weighs: a critical one has to be answered before the stage may end. */
export const SEVERITIES = ["critical", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that follows from the documents alone, whatever anybody thinks of it. */
export interface Fact {
  /** `CF-1`… within one check. */
  readonly id: string;
  readonly severity: Severity;
  readonly fact: string;
}

/** A check that was made for a change, as its record keeps it. */
export interface ContextCheck {
  readonly at: string;
  /** Digest of all that it was made from. */
  readonly tree: string;
  readonly facts: readonly Fact[];
}

/** Of each severity; more would not be read, and a record has an end. */
export const MOST_FACTS = 40;
/** Characters. */
export const LONGEST_FACT = 400;

/** Whether a value is a check as a record keeps it. */
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
