import { formatShortList } from "#kernel/model/text-format.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { SpecDelta } from "../living-spec/item-outline.ts";

/** A requirement or rule that a change promises to carry with code and a test. */
export type OwedRequirement = Pick<SpecDelta, "id" | "op" | "text">;

/** A requirement or rule that a change takes away or gives another id. */
type DroppedRequirement = Pick<SpecDelta, "id" | "op" | "text" | "to">;

/** An owed requirement that the user may accept without code or without a test. */
export interface UncodedRequirement extends OwedRequirement {
  readonly reason: string;
}

export interface RequirementCarrier {
  readonly path: string;
  readonly isTest: boolean;
  /** False if the test was run and did not pass, or was left out. */
  readonly hasPassed?: boolean | undefined;
}

export const listOwedRequirements = (deltas: readonly SpecDelta[] = []): OwedRequirement[] =>
  deltas.flatMap(({ op, id, text }) => (op === "added" || op === "modified" ? [{ op, id, text }] : []));

export const listDroppedRequirements = (deltas: readonly SpecDelta[] = []): DroppedRequirement[] =>
  deltas.filter(({ op }) => op === "removed" || op === "renamed");

/** Of a quality less is asked than of a behaviour, so only the user makes one of the other. */
export const listRemovals = (deltas: readonly SpecDelta[] = []): { readonly what: string; readonly reason: string }[] =>
  listDroppedRequirements(deltas).flatMap(({ id, to, text }) => {
    if (to === undefined) return [{ what: `${id} is removed`, reason: text }];
    const isSameKind = id.startsWith("NFR-") === to.startsWith("NFR-");
    return isSameKind ? [] : [{ what: `${id} becomes ${to}`, reason: "It gets another kind." }];
  });

const UNCODED_LINE =
  /^[\s*_>+\-[\]x|]*((?:N?FR|BR)-\d{3,5})\b.{0,40}?\b(?:not in (?:the )?code|no test|not tested|untested)\b[\s:;,.|*_–—-]*(?:because\b)?(.*?)[|\s*_]*$/i;
const MIN_REASON_WORDS = 3;
const MOST_NAMED_FILES = 4;

/** Reads "FR-003: not in code: <reason>" from the evidence. A line without a reason does not count. */
export function listUncodedRequirements(evidence: string, owed: readonly OwedRequirement[]): UncodedRequirement[] {
  const reasons = new Map(
    parseProseLines(evidence).flatMap(({ text }): [string, string][] => {
      const [, id = "", reason = ""] = UNCODED_LINE.exec(text) ?? [];
      const words = new Set(reason.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
      return id !== "" && words.size >= MIN_REASON_WORDS ? [[id, reason.trim()]] : [];
    }),
  );
  return owed.flatMap((each) => {
    const reason = reasons.get(each.id);
    return reason === undefined ? [] : [{ ...each, reason }];
  });
}

export interface UncarriedProblem extends Problem {
  readonly id: string;
}

/** `changed` are the files of the change; undefined if git does not know. */
export function findUncarriedProblems(
  owed: readonly OwedRequirement[],
  carriers: ReadonlyMap<string, readonly RequirementCarrier[]>,
  changed: ReadonlySet<string> | undefined,
): UncarriedProblem[] {
  const createProblem = (id: string, problem: string): UncarriedProblem[] => [{ id, problem }];
  return owed.flatMap(({ id, op }) => {
    const all = carriers.get(id) ?? [];
    const tests = all.filter(({ isTest }) => isTest);
    const accept = `If that cannot be, write "${id}: not in code: <reason>" as evidence, and the user is asked.`;
    if (tests.length === all.length)
      return createProblem(
        id,
        `${id} is ${op}, but no code carries it. Tag what implements it: @spec ${id}. ${accept}`,
      );
    if (tests.length === 0)
      return createProblem(
        id,
        `${id} is ${op}, but no test carries it. Tag the test that shows it: @spec ${id}. ${accept}`,
      );
    if (tests.every(({ hasPassed }) => hasPassed === false)) {
      const named = formatShortList([...new Set(tests.map(({ path }) => path))], MOST_NAMED_FILES);
      return createProblem(id, `${id} is ${op}, but no test that carries it ran and passed: ${named}.`);
    }
    if (op !== "modified" || !changed || all.some(({ path }) => changed.has(path))) return [];
    const named = formatShortList([...new Set(all.map(({ path }) => path))], MOST_NAMED_FILES);
    return createProblem(id, `${id} is modified, but nothing that carries it changed: ${named}. ${accept}`);
  });
}

/** Code and tests that name an id which no requirement has after the change. */
export function findDroppedCarriers(
  dropped: readonly DroppedRequirement[],
  carriers: ReadonlyMap<string, readonly RequirementCarrier[]>,
): UncarriedProblem[] {
  return dropped.flatMap(({ id, to }) => {
    const paths = [...new Set((carriers.get(id) ?? []).map(({ path }) => path))];
    if (paths.length === 0) return [];
    const [what, cure] =
      to === undefined
        ? ["removed", "Remove what implements and tests it, or the tag there."]
        : [`renamed to ${to}`, `Write ${to} there.`];
    const named = formatShortList(paths, MOST_NAMED_FILES);
    return [{ id, problem: `${id} is ${what}, and still tagged in ${named}. ${cure}` }];
  });
}
