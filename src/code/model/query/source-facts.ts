import { normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { splitNameParts } from "./code-search-terms.ts";
import words from "./search-words.json" with { type: "json" };

/** What only source lines answer: the default of a setting, or the code behind a route. */
export type SourceQuestion =
  | { readonly about: "default"; readonly terms: readonly string[] }
  | { readonly about: "route"; readonly method: string; readonly path: string };

const DEFAULT_PATTERNS = words.sourceQuestions.default.map((pattern) => new RegExp(pattern, "i"));
const ROUTE_PATTERN = new RegExp(words.sourceQuestions.route, "i");

export function parseSourceQuestion(asked: string): SourceQuestion | undefined {
  const [, method = "", path] = ROUTE_PATTERN.exec(asked) ?? [];
  if (path !== undefined)
    return { about: "route", method: method.toUpperCase(), path: path.replace(/[`"'.,?!]+$/, "") };
  const setting = DEFAULT_PATTERNS.map((pattern) => pattern.exec(asked)?.[1]).find((each) => each !== undefined);
  const terms = setting === undefined ? [] : extractSettingTerms(setting);
  return terms.length === 0 ? undefined : { about: "default", terms };
}

const SETTING_FILLER = new Set(
  ["default", "value", "setting", "option", "number", "parameter"].map(normalizeSearchTerm),
);

const extractSettingTerms = (text: string): string[] => [
  ...new Set(
    splitSearchWords(splitNameParts(text))
      .filter((word) => !isStopWord(word))
      .map(normalizeSearchTerm)
      .filter((term) => !SETTING_FILLER.has(term)),
  ),
];

const LITERAL = String.raw`-?\d[\w.]*(?:\s*(?:\*|<<)\s*[\w.]+)*|[Tt]rue|[Ff]alse|None|null|nil|undefined|"[^"\n]{0,60}"|'[^'\n]{0,60}'|[A-Z][A-Z0-9_]{2,}|(?:\d+\s*\*\s*)?time\.\w+|\[\]|\{\}`;
/** A name with a literal: assigned, as parameter, as entry, behind `??` or `||`, or as arguments of a call. */
const NAMED_LITERAL = new RegExp(
  String.raw`(?<![\w$'"-])(["']?)([A-Za-z_$][\w$.]{0,60}|(?<=["'])[A-Za-z][\w .-]{0,60})\1\]?(?::\s*[\w.<>[\]| ]{1,40}?)?\s*(:=|={2,3}\s*(?:null|undefined)\s*\?|\?\?=?|\|\|=?|=>|=(?![=>])|:|,|=)\s*(${LITERAL})(?=\s*(?:[,;)}\]|:]|$|//|#))`,
  "gm",
);
const DEFAULT_BONUS = 0.3;
const ORDER_BONUS = 0.2;
const MIN_SETTING_SHARE = 0.6;

export type DefaultValue = Readonly<{ line: number; name: string; value: string; score: number }>;

/** Lines that give a setting a literal value, if the name has all the words of the setting. */
export function findDefaultValues(text: string, terms: readonly string[]): DefaultValue[] {
  const found: DefaultValue[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (line.length > MAX_SETTING_LINE || /^\s*(?:\/?\*|\/\/|#|>>>)/.test(line)) continue;
    for (const [, quoteMark = "", name = "", sign = "", value = ""] of line.matchAll(NAMED_LITERAL)) {
      if (sign === "," && quoteMark === "") continue;
      const own = name.split(".").at(-1) ?? name;
      const held = splitSearchWords(splitNameParts(own)).map(normalizeSearchTerm);
      if (!terms.every((term) => held.includes(term))) continue;
      const share = terms.length / held.filter((term) => term !== "default").length;
      const isInOrder = held.join(" ").includes(terms.join(" "));
      const score = share + (/default/i.test(line) ? DEFAULT_BONUS : 0) + (isInOrder ? ORDER_BONUS : 0);
      if (share >= MIN_SETTING_SHARE) found.push({ line: i + 1, name: own, value, score });
    }
  }
  return found;
}

const MAX_SETTING_LINE = 400;

const ROUTE_PARAMETER = /^(?:[:*].*|[{<[].*[}>\]]|\$\w+)$/;

/** How many segments of the asked path the route covers; 0 if it is another route. A prefix may come from elsewhere. */
export function countMatchedSegments({ method, path }: { method: string; path: string }, route: string): number {
  const [verb = "", ...rest] = route.split(" ");
  if (method !== "" && verb !== method && verb !== "ANY" && verb !== "ALL") return 0;
  const split = (each: string): string[] => each.split("/").filter((part) => part !== "");
  const [asked, own] = [split(path), split(rest.join(" "))];
  if (asked.length === 0) return own.length === 0 ? 1 : 0;
  if (own.length === 0 || own.length > asked.length) return 0;
  const tail = asked.slice(-own.length);
  const isMet = (part: string, i: number): boolean =>
    ROUTE_PARAMETER.test(part) || part.toLowerCase() === tail[i]?.toLowerCase();
  return own.every(isMet) && !own.every((part) => ROUTE_PARAMETER.test(part)) ? own.length : 0;
}
