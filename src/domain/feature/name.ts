import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

declare const brand: unique symbol;
/** Names a feature of the roadmap and its folder: `user-login`. Only `parseFeatureName` makes one. */
export type FeatureName = string & { readonly [brand]: "FeatureName" };

const PATTERN = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const LIMIT = 60;

export function parseFeatureName(text: string): FeatureName {
  if (isFeatureName(text)) return text;
  throw new Fault("feature.bad-name", {
    what: `${quote(text, LIMIT)} is not the name of a feature.`,
    why: `A name has small letters and digits, joined by hyphens, at most ${LIMIT} characters: user-login.`,
    fix: { operation: "feature.design", input: { feature: "user-login", description: "…" } },
  });
}

export function isFeatureName(text: string): text is FeatureName {
  return text.length <= LIMIT && PATTERN.test(text);
}
