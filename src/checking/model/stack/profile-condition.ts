import { ProfileFields } from "./profile-fields.ts";

/** Requirements on a folder: every given key must match, with at least one of its words. */
export interface FolderCondition {
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
  readonly above?: FolderConditions;
  readonly not?: FolderConditions;
}

/** One of them must hold. An empty list always holds. */
export type FolderConditions = readonly FolderCondition[];

const CONDITION_KEYS = ["dependency", "file", "config", "section", "script", "target", "sources"] as const;
type ConditionKey = (typeof CONDITION_KEYS)[number];

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

const DEEPEST_CONDITION = 4;

/** One condition or a list of alternatives. A missing value always holds. */
export function parseFolderConditions(value: unknown, place: string, problems: string[], depth = 0): FolderConditions {
  if (value === undefined) return [];
  if (depth > DEEPEST_CONDITION) {
    problems.push(`${place} is nested too deeply`);
    return [];
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) problems.push(`${place} must not be empty`);
  return list.map((item, i) => parseFolderCondition(item, list.length > 1 ? `${place}[${i}]` : place, problems, depth));
}

function parseFolderCondition(value: unknown, place: string, problems: string[], depth: number): FolderCondition {
  const fields = new ProfileFields(value, place, [...CONDITION_KEYS, "above", "not"], problems);
  const words = CONDITION_KEYS.flatMap((key) => {
    const list = fields.texts(key, 200);
    return list ? [[key, list] as const] : [];
  });
  for (const key of ["file", "config"] as const) {
    if (fields.texts(key)?.some((file) => !isNamePattern(file)))
      fields.problem(key, "may have a star only in its last name, and leads to nothing outside");
  }
  if (fields.texts("section")?.some((section) => !/^[^#/]+#[^#]+$/.test(section)))
    fields.problem("section", "must be a file and a key, as pyproject.toml#tool.ruff");
  const inner = (key: "above" | "not"): FolderConditions | undefined =>
    fields.has(key) ? parseFolderConditions(fields.raw(key), fields.place(key), problems, depth + 1) : undefined;
  const [above, not] = [inner("above"), inner("not")];
  if (words.length === 0 && !above && !not) problems.push(`${place} says nothing`);
  return { ...Object.fromEntries(words), ...(above ? { above } : {}), ...(not ? { not } : {}) };
}

/** A path below the folder, with stars only in its last name. */
export function isNamePattern(file: string): boolean {
  const parts = file.split("/");
  return (
    parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:]/.test(part)) &&
    parts.slice(0, -1).every((part) => !part.includes("*"))
  );
}
