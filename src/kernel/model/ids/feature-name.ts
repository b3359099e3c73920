import { Fault } from "../fault.ts";
import { quote } from "../text-format.ts";
import { createSlug } from "../slug.ts";

declare const featureNameBrand: unique symbol;
/** Id of a feature and name of its folder: `user-login`. Create it with `parseFeatureName`. */
export type FeatureName = string & { readonly [featureNameBrand]: "FeatureName" };

const FEATURE_NAME_PATTERN = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_FEATURE_NAME_LENGTH = 60;

export function parseFeatureName(text: string): FeatureName {
  if (isFeatureName(text)) return text;
  throw new Fault("feature.bad-name", {
    what: `${quote(text, MAX_FEATURE_NAME_LENGTH)} is not the name of a feature.`,
    why: `A name begins with a letter and has small letters and digits, joined by hyphens, at most ${MAX_FEATURE_NAME_LENGTH} characters: user-login.`,
    fix: { operation: "feature.design", input: { feature: "user-login", description: "…" } },
  });
}

export const isFeatureName = (text: string): text is FeatureName =>
  text.length <= MAX_FEATURE_NAME_LENGTH && FEATURE_NAME_PATTERN.test(text);

/** Skipped at the start of a description: a feature is named after the thing, not the request. */
const REQUEST_VERBS = new Set(
  [
    "add allow build change create delete design develop enable fix implement improve introduce let make provide",
    "refactor remove run set support test update write",
  ].flatMap((line) => line.split(" ")),
);
const NAME_ARTICLES = new Set(["a", "an", "the"]);
const FEATURE_NAME_FILLERS = new Set("a an i it must new our please shall should some the to we".split(" "));
const DERIVED_FEATURE_NAME_LENGTH = 40;

/** `Add a login for users` → `login-for-users`. The caller checks whether the name is taken. */
export function deriveFeatureName(description: string): FeatureName {
  const [sentence = ""] = description.trim().split(/[.,:;!?\n](?=\s|$)/, 1);
  const words = createSlug(sentence, "feature", sentence.length + 1).split("-");
  const begin = words.findIndex((word) => !REQUEST_VERBS.has(word) && !FEATURE_NAME_FILLERS.has(word));
  const named = words.slice(Math.max(begin, 0)).filter((word, i) => i === 0 || !NAME_ARTICLES.has(word));
  const name = createSlug(named.join("-"), "feature", DERIVED_FEATURE_NAME_LENGTH);
  return parseFeatureName(begin >= 0 && /^[a-z]/.test(name) ? name : `feature-${name}`);
}
