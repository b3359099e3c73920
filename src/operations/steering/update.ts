import { findClosestWord } from "#domain/closest.ts";
import { Fault } from "#domain/fault.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import {
  getCoreSteeringName,
  isCoreSteeringFile,
  parseSteeringName,
  resolveSteeringPath,
  type SteeringName,
} from "#domain/steering/name.ts";
import { DECISION_LOG_HEADING, readUserIntent } from "#domain/steering/product.ts";
import { hasLostText, type SectionEditMode, writeSectionBody } from "#domain/steering/say.ts";
import { findMarkdownSection, hasSameWords, listMarkdownSections } from "#domain/steering/section.ts";
import type { Engine } from "../engine.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import { type SteeringResult, type ManageSteeringInput, createSteeringPlan, createUnchangedPlan } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { listGivenFields, readProductTexts, rejectBreakingSteeringText, applyProductTexts } from "./texts.ts";
import { commitSteering } from "./writing.ts";

const PRODUCT_STEERING = getCoreSteeringName("product");

/** Adds to a section or to a product field. Replaced text is archived. */
export async function updateSteering(engine: Engine, input: ManageSteeringInput): Promise<SteeringResult> {
  const texts = readProductTexts(input);
  const how: SectionEditMode = input.replace ? "replacing" : "adding";
  return commitSteering(engine, (tree): StorePlan<SteeringResult> => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const name = parseSteeringName(input.name ?? PRODUCT_STEERING);
    requireSteeringFile(tree, name);
    if (listGivenFields(input).length > 0) {
      requireSteeringFile(tree, PRODUCT_STEERING);
      draft.editProduct((text) => applyProductTexts(text, texts, how));
    }
    if (isSectionUpdate(input, name)) {
      const { section, text } = readSectionUpdate(tree, name, input);
      if (name === PRODUCT_STEERING && hasSameWords(section, DECISION_LOG_HEADING))
        return createDecisionPlan(draft, text, input);
      draft.edit(name, (before) => writeSectionBody(before, section, text, how));
    }
    for (const path of draft.changed())
      if (hasLostText(tree.text(path) ?? "", draft.text(path) ?? "")) draft.keepAside(path);
    return createUpdatePlan(tree, draft, input, name);
  });
}

const isSectionUpdate = (input: ManageSteeringInput, name: SteeringName): boolean =>
  input.section !== undefined ||
  input.text !== undefined ||
  listGivenFields(input).length === 0 ||
  name !== PRODUCT_STEERING;

function createUpdatePlan(
  tree: StoreTree,
  draft: SteeringDraft,
  input: ManageSteeringInput,
  name: SteeringName,
): StorePlan<SteeringResult> {
  if (draft.changed().length === 0) return createUnchangedPlan({ notes: ["All of that stands there already."] });
  const { vision: before } = readUserIntent(tree.text(resolveSteeringPath(PRODUCT_STEERING)) ?? "");
  const isOtherVision = before !== "" && input.vision !== undefined && !hasSameWords(before, input.vision);
  const fields = listGivenFields(input);
  const parts = [
    ...(fields.length > 0 ? [`product.md: ${fields.join(", ")}`] : []),
    ...formatSectionChange(input, name),
  ];
  return createSteeringPlan(draft, "update", {
    ...(isOtherVision ? { type: "DIRECTION_CHANGE" as const } : {}),
    summary: isOtherVision ? `Another vision: ${sanitizeText(input.vision ?? "", 200)}` : parts.join("; "),
    decision: [input.text, ...fields.map((field) => input[field])].filter((said) => said !== undefined).join("\n"),
    reason: input.reason,
  });
}

const formatSectionChange = ({ section }: ManageSteeringInput, name: SteeringName): string[] =>
  section === undefined ? [] : [`${name}.md: ${sanitizeText(section, 100)}`];

/** Text for the product's decision log is a user decision and gets a number. */
function createDecisionPlan(
  draft: SteeringDraft,
  text: string,
  { reason }: ManageSteeringInput,
): StorePlan<SteeringResult> {
  return createSteeringPlan(draft, "update", {
    type: "USER_DECISION",
    summary: sanitizeText(text.trim().replace(/\s+/g, " "), 200),
    decision: text,
    reason,
  });
}

interface SectionUpdate {
  readonly section: string;
  readonly text: string;
}

function readSectionUpdate(
  tree: StoreTree,
  name: SteeringName,
  { section: said, text }: ManageSteeringInput,
): SectionUpdate {
  const section = said
    ?.replace(/\s+/g, " ")
    .replace(/^#{1,6} /, "")
    .trim();
  const present = tree.text(resolveSteeringPath(name)) ?? "";
  const headings = listMarkdownSections(present)
    .filter(({ heading }) => heading.level > 1)
    .map(({ heading }) => heading.text);
  if (section === undefined || text === undefined)
    throw new Fault("input.missing", {
      what: "Nothing was updated.",
      why:
        section === undefined
          ? `No section was named; ${resolveSteeringPath(name)} has ${sanitizeText(headings.join(", "), 400)}.`
          : "There is no text for the section.",
      fix: {
        operation: "steering.manage",
        input: { action: "update", name, section: section ?? headings[0] ?? "…", text: "…" },
      },
    });
  const found = findMarkdownSection(present, section);
  rejectBreakingSteeringText("text", text, found?.heading.level ?? 2);
  const near = found ? undefined : findClosestWord(section, headings);
  if (near === undefined) return { section, text };
  throw new Fault("steering.unknown-section", {
    what: `${resolveSteeringPath(name)} has no section ${quote(section, 60)}.`,
    why: `${quote(near, 60)} is near it.`,
    fix: { operation: "steering.manage", input: { action: "update", name, section: near, text: "…" } },
  });
}

export function requireSteeringFile(tree: StoreTree, name: SteeringName): void {
  if (tree.has(resolveSteeringPath(name))) return;
  const make = isCoreSteeringFile(name) ? { action: "create" } : { action: "custom", name };
  throw new Fault("steering.missing", {
    what: `There is no ${resolveSteeringPath(name)}.`,
    why: "Nobody has written it yet.",
    fix: [
      { operation: "steering.manage", input: make },
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
}
