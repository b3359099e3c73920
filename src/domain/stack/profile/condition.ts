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
  /** A script of the folder's `package.json`. */
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
export type WordKey = (typeof WORD_KEYS)[number];

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
  return conditions
    .map(sayCondition)
    .filter((words) => words !== "")
    .join(", or ");
}

function sayCondition(condition: Condition): string {
  const parts = WORD_KEYS.flatMap((key) => {
    const words = condition[key];
    return words ? [SAID[key](words.join(" or "))] : [];
  });
  if (condition.above) parts.push(`above it ${sayConditions(condition.above)}`);
  if (condition.not) parts.push(`no ${sayConditions(condition.not)}`);
  return parts.join(" and ");
}
