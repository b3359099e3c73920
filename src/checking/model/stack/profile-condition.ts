import * as z from "zod/mini";
import { createMapping, createRule, createTextList, isNamePattern } from "./profile-values.ts";

const wordList = z.exactOptional(createTextList(200));
const patternList = z.exactOptional(
  createTextList(200).check(
    z.refine(
      (files) => files.every(isNamePattern),
      "may have a star only in its last name, and leads to nothing outside",
    ),
  ),
);
const sectionList = z.exactOptional(
  createTextList(200).check(
    z.refine(
      (names) => names.every((name) => /^[^#/]+#[^#]+$/.test(name)),
      "must be a file and a key, as pyproject.toml#tool.ruff",
    ),
  ),
);

/** Each key lists alternatives. */
const CONDITION_SHAPE = {
  /** In a manifest of the folder or of a folder above. */
  dependency: wordList,
  /** In the folder itself; the last name may contain `*`. */
  file: patternList,
  /** In the folder or a folder above, where most tools search for their settings. */
  config: patternList,
  /** A key of a manifest in the folder or a folder above: `pyproject.toml#tool.ruff`. */
  section: sectionList,
  /** A script of the folder's `package.json`, by name or with its full line: `test: node --test`. */
  script: wordList,
  target: wordList,
  /** Extensions of files that belong to the folder: `tsx`. Only detection uses them. */
  sources: wordList,
};
type ConditionKey = keyof typeof CONDITION_SHAPE;
const CONDITION_KEYS = Object.keys(CONDITION_SHAPE) as ConditionKey[];

/** Requirements on a folder: every given key must match, with at least one of its words. */
export type FolderCondition = { readonly [Key in ConditionKey]?: readonly string[] } & {
  readonly above?: FolderConditions;
  readonly not?: FolderConditions;
};

/** One of them must hold. An empty list always holds. */
export type FolderConditions = readonly FolderCondition[];

const DEEPEST_CONDITION = 4;

/** One condition or a list of alternatives. A missing value always holds. */
const createConditions = (depth: number): z.ZodMiniType<FolderConditions> => {
  if (depth > DEEPEST_CONDITION) return createRule<FolderConditions>(() => false, "is nested too deeply");
  const inner = z.exactOptional(createConditions(depth + 1));
  const condition = createMapping({ ...CONDITION_SHAPE, above: inner, not: inner }).check(
    z.refine((one) => Object.keys(one).length > 0, "says nothing"),
  );
  return z.pipe(
    z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
    z.array(condition).check(z.minLength(1, "must not be empty")),
  );
};

export const Conditions = createConditions(0);

const CONDITION_PHRASES: Readonly<Record<ConditionKey, (words: string) => string>> = {
  dependency: (words) => `${words} among the dependencies`,
  file: (words) => `a file ${words}`,
  config: (words) => `a file ${words}`,
  section: (words) => `the section ${words}`,
  script: (words) => `a script ${words} in package.json`,
  target: (words) => `a target ${words} in the Makefile`,
  sources: (words) => `files that end in .${words}`,
};

export function describeConditions(conditions: FolderConditions): string {
  return [...new Set(mergeConditions(conditions).map(describeCondition))].filter((words) => words !== "").join(", or ");
}

/** The easiest alternatives. Omits conditions that include another one, and rare keys. */
export function pickSimplestConditions(conditions: FolderConditions, most = 2): FolderConditions {
  const isMore = (one: FolderCondition): boolean =>
    conditions.some(
      (other) => other !== one && Object.keys(other).length < Object.keys(one).length && includesCondition(one, other),
    );
  const rank = (one: FolderCondition): number => CONDITION_RANK.findIndex((key) => one[key] !== undefined);
  const ways = mergeConditions(conditions.filter((one) => !isMore(one) && rank(one) >= 0));
  return ways.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

const CONDITION_RANK: readonly ConditionKey[] = ["dependency", "script", "target", "file", "config", "section"];

const includesCondition = (one: FolderCondition, other: FolderCondition): boolean =>
  Object.entries(other).every(
    ([key, words]) => JSON.stringify(Object.entries(one).find(([own]) => own === key)?.[1]) === JSON.stringify(words),
  );

function mergeConditions(conditions: FolderConditions): FolderConditions {
  const found: FolderCondition[] = [];
  for (const condition of conditions) {
    const key = getOnlyConditionKey(condition);
    const like = key && found.findIndex((other) => getOnlyConditionKey(other) === key);
    if (key === undefined || like === undefined || like < 0) found.push(condition);
    else found[like] = { [key]: [...new Set([...(found[like]?.[key] ?? []), ...(condition[key] ?? [])])] };
  }
  return found;
}

function getOnlyConditionKey(condition: FolderCondition): ConditionKey | undefined {
  const [key, ...others] = Object.keys(condition);
  return others.length > 0 ? undefined : CONDITION_KEYS.find((word) => word === key);
}

function describeCondition(condition: FolderCondition): string {
  const parts = CONDITION_KEYS.flatMap((key) => {
    const words = condition[key];
    return words ? [CONDITION_PHRASES[key](formatOrList(words))] : [];
  });
  if (condition.above) parts.push(`above it ${describeConditions(condition.above)}`);
  if (condition.not) parts.push(`no ${describeConditions(condition.not)}`);
  return parts.join(" and ");
}

const formatOrList = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
