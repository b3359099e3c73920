import { quote } from "../quote.ts";
import type { FeatureName } from "./name.ts";

/** How far a change of the criterion reaches dependent features: everything, the calls they make, or nothing. */
export const CRITERION_STABILITIES = ["constraint", "contract", "behavior"] as const;
export type CriterionStability = (typeof CRITERION_STABILITIES)[number];

export interface DesignSpec {
  readonly number: number;
  readonly title: string;
  readonly goal: string;
  readonly criteria: readonly DesignCriterion[];
  readonly line: number;
}

export interface DesignCriterion {
  /** As `S2.AC1`. */
  readonly id: string;
  readonly cited: string;
  readonly text: string;
  readonly stability: CriterionStability | null;
  readonly line: number;
}

export const formatCriterionId = (spec: number, criterion: number): string => `S${spec}.AC${criterion}`;

/** As tests name it: `user-login.S2.AC1`. */
export const qualifyCriterionId = (feature: FeatureName, id: string): string => `${feature}.${id}`;

export const listCriterionIds = (specs: readonly DesignSpec[]): string[] =>
  specs.flatMap(({ criteria }) => criteria.map(({ id }) => id));

/** The targets of a list such as `1.1, 1.3, 2`, where 2 means all of Spec 2. */
export interface CriterionReferences {
  readonly criteria: readonly string[];
  readonly specs: readonly number[];
  readonly problems: readonly string[];
}

const CRITERION_REFERENCE_PATTERN = /^(?:spec |s)?(\d{1,4})(?:\.(?:ac)?(\d{1,4}))?$/i;
const CRITERION_RANGE_PATTERN = /^(?:s)?(\d{1,4})\.(?:ac)?(\d{1,4}) ?[-–] ?(?:s?(\d{1,4})\.)?(?:ac)?(\d{1,4})$/i;
const REFERENCE_SYNTAX_HINT = "write 1.2 for criterion 2 of Spec 1, or 1 for all of it";

export function parseCriterionReferences(text: string, known: readonly DesignSpec[]): CriterionReferences {
  const words = text
    .replace(/[`*]/g, "")
    .split(/[,;]|\band\b/)
    .map((word) => word.trim().replace(/\s+/g, " "))
    .filter((word) => word !== "" && !/^(?:[-–—]|none|n\/a)\.?$/i.test(word));
  const found = words.map((word) => resolveCriterionReference(word, known));
  return {
    criteria: [...new Set(found.flatMap(({ criteria }) => criteria))],
    specs: [...new Set(found.flatMap(({ specs }) => specs))],
    problems: found.flatMap(({ problems }) => problems),
  };
}

function resolveCriterionReference(word: string, known: readonly DesignSpec[]): CriterionReferences {
  const nothing = (problem: string): CriterionReferences => ({ criteria: [], specs: [], problems: [problem] });
  const [, from, first, to = from, last] = CRITERION_RANGE_PATTERN.exec(word) ?? [];
  if (last !== undefined && from === to)
    return resolveCriterionRange(word, Number(from), [Number(first), Number(last)], known);
  const [, spec, criterion] = CRITERION_REFERENCE_PATTERN.exec(word) ?? [];
  if (spec === undefined)
    return nothing(`${quote(word, 40)} is no id of a spec or criterion: ${REFERENCE_SYNTAX_HINT}.`);
  const found = known.find(({ number }) => number === Number(spec));
  if (!found) return nothing(`${quote(word, 40)} refers to nothing: there is no Spec ${Number(spec)}.`);
  const of = found.criteria.map(({ id }) => id);
  if (criterion === undefined) return { criteria: of, specs: [found.number], problems: [] };
  const id = formatCriterionId(found.number, Number(criterion));
  if (of.includes(id)) return { criteria: [id], specs: [found.number], problems: [] };
  return nothing(`${quote(word, 40)} refers to nothing: Spec ${found.number} has no criterion ${Number(criterion)}.`);
}

function resolveCriterionRange(
  word: string,
  spec: number,
  [first, last]: [number, number],
  known: readonly DesignSpec[],
): CriterionReferences {
  const found = known.find(({ number }) => number === spec);
  const wanted = Array.from({ length: Math.min(Math.max(last - first + 1, 0), 1_000) }, (_, i) =>
    formatCriterionId(spec, first + i),
  );
  const of = new Set(found?.criteria.map(({ id }) => id));
  const isWhole = first < last && wanted.every((id) => of.has(id));
  if (isWhole) return { criteria: wanted, specs: [spec], problems: [] };
  return {
    criteria: [],
    specs: [],
    problems: [`${quote(word, 40)} refers to nothing: Spec ${spec} has no such criteria.`],
  };
}
