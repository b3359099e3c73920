/** What a folder has to have for something to hold there: every key that is given, and of each key one of its words. */
export interface Condition {
  /** In a manifest of the folder or of one above it. */
  readonly dependency?: readonly string[];
  /** In the folder itself; `*` may stand in the last name. */
  readonly file?: readonly string[];
  /** In the folder or in one above it, as most tools look for their settings. */
  readonly config?: readonly string[];
  /** A key of a manifest of the folder or of one above it, as `pyproject.toml#tool.ruff`. */
  readonly section?: readonly string[];
  /** A script of the folder's `package.json`, by its name, or with all that it says: `test: node --test`. */
  readonly script?: readonly string[];
  /** A target of the folder's `Makefile`. */
  readonly target?: readonly string[];
  /** Endings of files that belong to the folder: `tsx`. Only detection counts them. */
  readonly sources?: readonly string[];
  /** What a folder above it has to have. */
  readonly above?: Conditions;
  readonly not?: Conditions;
}

/** One of them has to hold. None at all always holds. */
export type Conditions = readonly Condition[];

export const WORD_KEYS = ["dependency", "file", "config", "section", "script", "target", "sources"] as const;
type WordKey = (typeof WORD_KEYS)[number];

const SAID: Readonly<Record<WordKey, (words: string) => string>> = {
  dependency: (words) => `${words} among the dependencies`,
  file: (words) => `a file ${words}`,
  config: (words) => `a file ${words}`,
  section: (words) => `the section ${words}`,
  script: (words) => `a script ${words} in package.json`,
  target: (words) => `a target ${words} in the Makefile`,
  sources: (words) => `files that end in .${words}`,
};

/** What would have to be there, in words. */
export function sayConditions(conditions: Conditions): string {
  return [...new Set(joined(conditions).map(sayCondition))].filter((words) => words !== "").join(", or ");
}

/** The ways that are quickest to take: what asks for more than another does is left out, and so is what is seldom. */
export function simplest(conditions: Conditions, most = 2): Conditions {
  const isMore = (one: Condition): boolean =>
    conditions.some(
      (other) => other !== one && Object.keys(other).length < Object.keys(one).length && includes(one, other),
    );
  const rank = (one: Condition): number => RANK.findIndex((key) => one[key] !== undefined);
  const ways = joined(conditions.filter((one) => !isMore(one) && rank(one) >= 0));
  return ways.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

/** What a person would add first. */
const RANK: readonly WordKey[] = ["dependency", "script", "target", "file", "config", "section"];

const includes = (one: Condition, other: Condition): boolean =>
  Object.entries(other).every(
    ([key, words]) => JSON.stringify(Object.entries(one).find(([own]) => own === key)?.[1]) === JSON.stringify(words),
  );

/** Conditions of one and the same single key are said as one. */
function joined(conditions: Conditions): Conditions {
  const found: Condition[] = [];
  for (const condition of conditions) {
    const key = onlyKey(condition);
    const like = key && found.findIndex((other) => onlyKey(other) === key);
    if (key === undefined || like === undefined || like < 0) found.push(condition);
    else found[like] = { [key]: [...new Set([...(found[like]?.[key] ?? []), ...(condition[key] ?? [])])] };
  }
  return found;
}

function onlyKey(condition: Condition): WordKey | undefined {
  const [key, ...others] = Object.keys(condition);
  return others.length > 0 ? undefined : WORD_KEYS.find((word) => word === key);
}

function sayCondition(condition: Condition): string {
  const parts = WORD_KEYS.flatMap((key) => {
    const words = condition[key];
    return words ? [SAID[key](orList(words))] : [];
  });
  if (condition.above) parts.push(`above it ${sayConditions(condition.above)}`);
  if (condition.not) parts.push(`no ${sayConditions(condition.not)}`);
  return parts.join(" and ");
}

const orList = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
