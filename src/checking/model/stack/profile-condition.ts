import * as z from "zod/mini";
import { createMapping, createRule, createTextList, isNamePattern } from "./profile-values.ts";

const wordList = z.exactOptional(createTextList(200));
const createWordList = (isWord: (word: string) => boolean, rule: string) =>
  z.exactOptional(createTextList(200).check(z.refine((words) => words.every(isWord), rule)));
const patternList = createWordList(
  isNamePattern,
  "may have a star only in its last part, and must stay inside the folder",
);
const sectionList = createWordList(
  (name) => /^[^#/]+#[^#]+$/.test(name),
  "must be a file and a key, such as pyproject.toml#tool.ruff",
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
  /** A program that the test script of `package.json` calls, with an option if needed: `mocha`, `node --test`. */
  runs: wordList,
  target: wordList,
  /** A command in the project's CI file, tox, nox, Makefile, justfile or scripts: `pytest`, `rake test`. */
  command: wordList,
  /** `pytest` if a Python test in the folder is written for it, `unittest` if all are written for unittest. */
  test_style: wordList,
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
  runs: (words) => `a test script that runs ${words}`,
  target: (words) => `a target ${words} in the Makefile`,
  command: (words) => `${words} in the project's own commands`,
  test_style: (words) => `tests written for ${words}`,
  sources: (words) => `files that end in .${words}`,
};

export function describeConditions(conditions: FolderConditions): string {
  const phrases = mergeConditions(conditions).map((condition) => {
    const parts = CONDITION_KEYS.flatMap((key) => {
      const words = condition[key];
      return words ? [CONDITION_PHRASES[key](formatOrList(words))] : [];
    });
    if (condition.above) parts.push(`above it ${describeConditions(condition.above)}`);
    if (condition.not) parts.push(`no ${describeConditions(condition.not)}`);
    return parts.join(" and ");
  });
  return [...new Set(phrases)].filter((words) => words !== "").join(", or ");
}

/** The easiest alternatives. Omits conditions that include another one, exceptions, and rare keys. */
export function pickSimplestConditions(conditions: FolderConditions, most = 2): FolderConditions {
  const listKeys = (one: FolderCondition): string[] => Object.entries(one).map((entry) => JSON.stringify(entry));
  const isMore = (one: FolderCondition): boolean =>
    conditions.some((other) => {
      const [mine, theirs] = [listKeys(one), listKeys(other)];
      return theirs.length < mine.length && theirs.every((key) => mine.includes(key));
    });
  const rank = (one: FolderCondition): number => CONDITION_RANK.findIndex((key) => one[key] !== undefined);
  const own = conditions
    .filter((one) => !isMore(one) && rank(one) >= 0)
    .map((one) => {
      const { not: _, ...way } = one;
      return way;
    });
  const ways = mergeConditions(own);
  return ways.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

const CONDITION_RANK: readonly ConditionKey[] = [
  "dependency",
  "script",
  "runs",
  "target",
  "file",
  "config",
  "section",
  "command",
];

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

const formatOrList = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
