import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { createSlug } from "../slug.ts";

declare const brand: unique symbol;
/** Id of a feature and name of its folder: `user-login`. Create it with `parseFeatureName`. */
export type FeatureName = string & { readonly [brand]: "FeatureName" };

const PATTERN = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const LIMIT = 60;

export function parseFeatureName(text: string): FeatureName {
  if (isFeatureName(text)) return text;
  throw new Fault("feature.bad-name", {
    what: `${quote(text, LIMIT)} is not the name of a feature.`,
    why: `A name begins with a letter and has small letters and digits, joined by hyphens, at most ${LIMIT} characters: user-login.`,
    fix: { operation: "feature.design", input: { feature: "user-login", description: "…" } },
  });
}

export function isFeatureName(text: string): text is FeatureName {
  return text.length <= LIMIT && PATTERN.test(text);
}

/** Skipped at the start of a description: a feature is named after the thing, not the request. */
const VERBS = new Set(
  [
    "add allow build change create delete design develop enable fix implement improve introduce let make provide",
    "refactor remove run set support test update write",
  ].flatMap((line) => line.split(" ")),
);
const ARTICLES = new Set(["a", "an", "the"]);
const FILLERS = new Set("a an i it must new our please shall should some the to we".split(" "));
const COMFORTABLE = 40;

/** `Add a login for users` → `login-for-users`. The caller checks whether the name is taken. */
export function nameFrom(description: string): FeatureName {
  const [sentence = ""] = description.trim().split(/[.,:;!?\n](?=\s|$)/, 1);
  const words = createSlug(sentence, "feature", sentence.length + 1).split("-");
  const begin = words.findIndex((word) => !VERBS.has(word) && !FILLERS.has(word));
  const named = words.slice(Math.max(begin, 0)).filter((word, i) => i === 0 || !ARTICLES.has(word));
  const name = createSlug(named.join("-"), "feature", COMFORTABLE);
  return parseFeatureName(begin >= 0 && /^[a-z]/.test(name) ? name : `feature-${name}`);
}
