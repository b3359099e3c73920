/** Requirements on a folder: every given key must match, with at least one of its words. */
export interface Condition {
  /** In a manifest of the folder or of a folder above. */
  readonly dependency?: readonly string[];
  /** In the folder itself; the last name may contain `*`. */
  readonly file?: readonly string[];
  /** In the folder or a folder above, where most tools search for their settings. */
  readonly config?: readonly string[];
  /** A key of a manifest in the folder or a folder above: `pyproject.toml#tool.ruff`. */
  readonly section?: readonly string[];
  /** A script of the folder's `package.json`, by name or with its full line: `test: node --test`. */
  readonly script?: readonly string[];
  readonly target?: readonly string[];
  /** Extensions of files that belong to the folder: `tsx`. Only detection uses them. */
  readonly sources?: readonly string[];
  readonly above?: Conditions;
  readonly not?: Conditions;
}

/** One of them must hold. An empty list always holds. */
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

export function sayConditions(conditions: Conditions): string {
  return [...new Set(joined(conditions).map(sayCondition))].filter((words) => words !== "").join(", or ");
}

/** The easiest alternatives. Omits conditions that include another one, and rare keys. */
export function simplest(conditions: Conditions, most = 2): Conditions {
  const isMore = (one: Condition): boolean =>
    conditions.some(
      (other) => other !== one && Object.keys(other).length < Object.keys(one).length && includes(one, other),
    );
  const rank = (one: Condition): number => RANK.findIndex((key) => one[key] !== undefined);
  const ways = joined(conditions.filter((one) => !isMore(one) && rank(one) >= 0));
  return ways.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

const RANK: readonly WordKey[] = ["dependency", "script", "target", "file", "config", "section"];

const includes = (one: Condition, other: Condition): boolean =>
  Object.entries(other).every(
    ([key, words]) => JSON.stringify(Object.entries(one).find(([own]) => own === key)?.[1]) === JSON.stringify(words),
  );

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
