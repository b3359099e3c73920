import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { PlannedFeature } from "../dependency-graph.ts";
import {
  ensureOrderedSection,
  hasOnlyPlaceholders,
  formatSafeListItem,
  findMarkdownSection,
  listFilledLines,
  readListItems,
  getOwnText,
  hasSameWords,
  type MarkdownSection,
  appendSectionBody,
  replaceOwnText,
} from "./markdown-section.ts";

export const USER_INTENT_HEADING = "User Intent";
const VISION_HEADING = "Vision";
export const SUCCESS_CRITERIA_HEADING = "Success Criteria";
export const ANTI_GOALS_HEADING = "Anti-Goals";
export const SPEC_RATIONALE_HEADING = "Spec Rationale";
export const DECISION_LOG_HEADING = "Decision Log";

const PRODUCT_SECTION_ORDER: Parameters<typeof ensureOrderedSection>[0] = [
  [USER_INTENT_HEADING],
  [VISION_HEADING, USER_INTENT_HEADING],
  [SUCCESS_CRITERIA_HEADING, USER_INTENT_HEADING],
  [ANTI_GOALS_HEADING, USER_INTENT_HEADING],
  [SPEC_RATIONALE_HEADING],
  [DECISION_LOG_HEADING],
];

/** The user's goals for the product. Auditors judge by them. */
export function readUserIntent(product: string) {
  const under = (title: string): string => {
    const section = findMarkdownSection(product, title);
    return section ? product.slice(section.from, section.to) : "";
  };
  const vision = under(VISION_HEADING);
  return {
    vision: hasOnlyPlaceholders(vision) ? "" : vision.replace(/\r\n?/g, "\n").trim(),
    success_criteria: readListItems(under(SUCCESS_CRITERIA_HEADING)),
    anti_goals: readListItems(under(ANTI_GOALS_HEADING)),
  };
}

export function setProductVision(product: string, vision: string): string {
  const [text, section] = ensureProductSection(product, VISION_HEADING);
  return hasSameWords(getOwnText(text, section), vision) ? product : replaceOwnText(text, section, vision);
}

/** Adds each item once. With `isWhole` the items replace the list. */
export function setProductItems(product: string, title: string, items: readonly string[], isWhole = false): string {
  const [text, section] = ensureProductSection(product, title);
  const present = readListItems(getOwnText(text, section));
  const wanted = items.filter((item, i) => items.findIndex((other) => hasSameWords(other, item)) === i);
  if (isWhole) {
    const isSame = present.length === wanted.length && present.every((item, i) => hasSameWords(item, wanted[i] ?? ""));
    return isSame ? product : replaceOwnText(text, section, wanted.map(formatSafeListItem).join("\n"));
  }
  const fresh = wanted.filter((item) => !present.some((other) => hasSameWords(other, item)));
  return fresh.length === 0 ? product : appendSectionBody(text, section, fresh.map(formatSafeListItem).join("\n"));
}

type FeatureRationale = Required<Omit<PlannedFeature, "foundation">> & { readonly wave: number };

/** A line that the engine wrote. The text after the colon may have been edited since. */
const RATIONALE_LINE_PATTERN = /^- \*\*([a-z0-9-]+)\*\* \(wave \d+[^()]*\): (.*)$/;

/** Writes one line per feature. Existing lines keep their text, lines of removed features go. */
export function updateSpecRationale(product: string, features: readonly FeatureRationale[]): string {
  const [text, section] = ensureProductSection(product, SPEC_RATIONALE_HEADING);
  const left = new Map<string, FeatureRationale>(features.map((feature) => [feature.name, feature]));
  const before = getOwnText(text, section).split(/\r\n|\r|\n/);
  const kept = before.flatMap((line) => {
    const [, name, words] = RATIONALE_LINE_PATTERN.exec(line) ?? [];
    if (name === undefined) return [line];
    const feature = left.get(name);
    left.delete(name);
    return feature ? [formatRationaleLine(feature, words)] : [];
  });
  const after = replaceOwnText(text, section, kept.join("\n"));
  const fresh = [...left.values()].map((feature) => formatRationaleLine(feature)).join("\n");
  const full = fresh === "" ? after : appendNamedSection(after, SPEC_RATIONALE_HEADING, fresh);
  return listFilledLines(full).join("\n") === listFilledLines(product).join("\n") ? product : full;
}

function formatRationaleLine({ name, description, wave, dependencies }: FeatureRationale, words = description): string {
  const basis = dependencies.length > 0 ? `; builds on ${dependencies.join(", ")}` : "";
  return `- **${name}** (wave ${wave}${basis}): ${formatSafeListItem(words).slice(2)}`;
}

export function addFeatureCriterion(product: string, name: FeatureName, description: string): string {
  const section = findMarkdownSection(product, SUCCESS_CRITERIA_HEADING);
  const items = section ? readListItems(getOwnText(product, section)) : [];
  const isThere = items.some((item) => item.startsWith(`${name}:`));
  return isThere ? product : setProductItems(product, SUCCESS_CRITERIA_HEADING, [`${name}: ${description}`]);
}

export function appendProductDecision(product: string, line: string): string {
  const [text] = ensureProductSection(product, DECISION_LOG_HEADING);
  return appendNamedSection(text, DECISION_LOG_HEADING, formatSafeListItem(line));
}

function appendNamedSection(text: string, title: string, addition: string): string {
  const section = findMarkdownSection(text, title);
  return section ? appendSectionBody(text, section, addition) : text;
}

const ensureProductSection = (text: string, title: string): [text: string, section: MarkdownSection] =>
  ensureOrderedSection(PRODUCT_SECTION_ORDER, text, title);
