import type { FeatureName } from "../feature/name.ts";
import { isBlank } from "./blank.ts";
import { ensuredIn, type Order } from "./ordered.ts";
import { asItem, findSection, itemsIn, ownText, sameWords, type Section, withAdded, withOwnText } from "./section.ts";

/** The user's goals for the product. Auditors judge by them. */
export interface UserIntent {
  readonly vision: string;
  readonly success_criteria: readonly string[];
  readonly anti_goals: readonly string[];
}

export const USER_INTENT = "User Intent";
const VISION = "Vision";
export const SUCCESS_CRITERIA = "Success Criteria";
export const ANTI_GOALS = "Anti-Goals";
export const SPEC_RATIONALE = "Spec Rationale";
export const DECISION_LOG = "Decision Log";

const ORDER: Order = [
  [USER_INTENT],
  [VISION, USER_INTENT],
  [SUCCESS_CRITERIA, USER_INTENT],
  [ANTI_GOALS, USER_INTENT],
  [SPEC_RATIONALE],
  [DECISION_LOG],
];

export function userIntent(product: string): UserIntent {
  const under = (title: string): string => {
    const section = findSection(product, title);
    return section ? product.slice(section.from, section.to) : "";
  };
  const vision = under(VISION);
  return {
    vision: isBlank(vision) ? "" : vision.replace(/\r\n?/g, "\n").trim(),
    success_criteria: itemsIn(under(SUCCESS_CRITERIA)),
    anti_goals: itemsIn(under(ANTI_GOALS)),
  };
}

export function withVision(product: string, vision: string): string {
  const [text, section] = ensured(product, VISION);
  return sameWords(ownText(text, section), vision) ? product : withOwnText(text, section, vision);
}

/** Adds each item once. With `isWhole` the items replace the list. */
export function withItems(product: string, title: string, items: readonly string[], isWhole = false): string {
  const [text, section] = ensured(product, title);
  const present = itemsIn(ownText(text, section));
  const wanted = items.filter((item, i) => items.findIndex((other) => sameWords(other, item)) === i);
  if (isWhole) {
    const isSame = present.length === wanted.length && present.every((item, i) => sameWords(item, wanted[i] ?? ""));
    return isSame ? product : withOwnText(text, section, wanted.map(asItem).join("\n"));
  }
  const fresh = wanted.filter((item) => !present.some((other) => sameWords(other, item)));
  return fresh.length === 0 ? product : withAdded(text, section, fresh.map(asItem).join("\n"));
}

export interface Reasoned {
  readonly name: FeatureName;
  readonly description: string;
  readonly wave: number;
  readonly dependencies: readonly FeatureName[];
}

/** A line that the engine wrote. The text after the colon may have been edited since. */
const RATIONALE = /^- \*\*([a-z0-9-]+)\*\* \(wave \d+[^()]*\): (.*)$/;

/**
 * Writes one line per feature. Lines of existing features keep their text, lines of removed features go, and any other
 * text stays.
 */
export function withRationale(product: string, features: readonly Reasoned[]): string {
  const [text, section] = ensured(product, SPEC_RATIONALE);
  const before = ownText(text, section);
  const left = new Map<string, Reasoned>(features.map((feature) => [feature.name, feature]));
  const kept = before.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name, words] = RATIONALE.exec(line) ?? [];
    if (name === undefined) return [line];
    const feature = left.get(name);
    left.delete(name);
    return feature ? [rationaleLine(feature, words)] : [];
  });
  const after = withOwnText(text, section, kept.join("\n"));
  const fresh = [...left.values()].map((feature) => rationaleLine(feature)).join("\n");
  const full = fresh === "" ? after : addedTo(after, SPEC_RATIONALE, fresh);
  return linesOf(full).join("\n") === linesOf(product).join("\n") ? product : full;
}

function rationaleLine({ name, description, wave, dependencies }: Reasoned, words = description): string {
  const basis = dependencies.length > 0 ? `; builds on ${dependencies.join(", ")}` : "";
  return `- **${name}** (wave ${wave}${basis}): ${asItem(words).slice(2)}`;
}

const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");

export function withCriterion(product: string, name: FeatureName, description: string): string {
  const isThere = itemsIn(findOwn(product, SUCCESS_CRITERIA)).some((item) => item.startsWith(`${name}:`));
  return isThere ? product : withItems(product, SUCCESS_CRITERIA, [`${name}: ${description}`]);
}

export function withLogged(product: string, line: string): string {
  const [text] = ensured(product, DECISION_LOG);
  return addedTo(text, DECISION_LOG, asItem(line));
}

const findOwn = (text: string, title: string): string => {
  const section = findSection(text, title);
  return section ? ownText(text, section) : "";
};

function addedTo(text: string, title: string, addition: string): string {
  const section = findSection(text, title);
  return section ? withAdded(text, section, addition) : text;
}

const ensured = (text: string, title: string): [text: string, section: Section] => ensuredIn(ORDER, text, title);
