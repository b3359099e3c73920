import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { findClosestWord, formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { joinFolderPath, STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import {
  findBodyProblem,
  findMarkdownSection,
  hasSameWords,
  listMarkdownSections,
  splitGivenItems,
} from "../../model/steering/markdown-section.ts";
import {
  ANTI_GOALS_HEADING,
  DECISION_LOG_HEADING,
  readUserIntent,
  setProductItems,
  setProductVision,
  SUCCESS_CRITERIA_HEADING,
  USER_INTENT_HEADING,
} from "../../model/steering/product-document.ts";
import {
  hasLostText,
  type SectionEditMode,
  writeSectionBody,
  writeTitleText,
} from "../../model/steering/steering-edit.ts";
import {
  findSteeringTopic,
  formatSteeringTitle,
  isCoreSteeringFile,
  parseSteeringName,
  resolveSteeringPath,
  type SteeringName,
} from "../../model/steering/steering-name.ts";
import type { ProductTexts } from "../../model/steering/template-values.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { SteeringDraft } from "./steering-draft.ts";
import {
  commitSteering,
  createSteeringFault,
  createSteeringPlan,
  createUnchangedPlan,
  listSteeringFiles,
  type ManageSteeringInput,
  type SteeringResult,
} from "./steering-plan.ts";

/** Adds to a section or to a product field. Replaced text is archived. */
export async function updateSteering(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const texts = readProductTexts(input);
  const fields = listGivenFields(input);
  const how = input.replace ? "replacing" : "adding";
  return commitSteering(engine, (draft, tree) => {
    const name = parseSteeringName(input.name ?? "product");
    requireSteeringFile(tree, name);
    if (fields.length > 0) {
      requireSteeringFile(tree, "product");
      draft.edit("product", (text) => applyProductTexts(text, texts, how));
    }
    const isSectionMeant = input.section !== undefined || input.text !== undefined;
    if (isSectionMeant || fields.length === 0 || name !== "product") {
      const { section, text } = readSectionUpdate(tree, name, input);
      // Text for the product's decision log is a user decision and gets a number.
      if (name === "product" && hasSameWords(section, DECISION_LOG_HEADING)) {
        const summary = sanitizeText(text.trim().replace(/\s+/g, " "), 200);
        const decision = { type: "USER_DECISION", summary, decision: text, reason: input.reason } as const;
        return createSteeringPlan(draft, "update", decision);
      }
      draft.edit(name, (before) => writeSectionBody(before, section, text, how));
    }
    for (const path of draft.changed())
      if (hasLostText(tree.text(path) ?? "", draft.text(path) ?? "")) draft.keepAside(path);
    return createUpdatePlan(tree, draft, input, name);
  });
}

function createUpdatePlan(
  tree: StoreTree,
  draft: SteeringDraft,
  input: ManageSteeringInput,
  name: SteeringName,
): StorePlan<SteeringResult> {
  if (draft.changed().length === 0) return createUnchangedPlan({ notes: ["All of that stands there already."] });
  const { section, vision, reason } = input;
  const fields = listGivenFields(input);
  const { vision: before } = readUserIntent(tree.text(resolveSteeringPath("product")) ?? "");
  const decision = [input.text, ...fields.map((field) => input[field])].filter((said) => said !== undefined).join("\n");
  if (before !== "" && vision !== undefined && !hasSameWords(before, vision)) {
    const summary = `Another vision: ${sanitizeText(vision, 200)}`;
    return createSteeringPlan(draft, "update", { type: "DIRECTION_CHANGE", summary, decision, reason });
  }
  const parts = [
    ...(fields.length > 0 ? [`product.md: ${fields.join(", ")}`] : []),
    ...(section === undefined ? [] : [`${name}.md: ${sanitizeText(section, 100)}`]),
  ];
  return createSteeringPlan(draft, "update", { summary: parts.join("; "), decision, reason });
}

function readSectionUpdate(
  tree: StoreTree,
  name: SteeringName,
  { section: said, text }: ManageSteeringInput,
): { readonly section: string; readonly text: string } {
  const path = resolveSteeringPath(name);
  const section = said
    ?.replace(/\s+/g, " ")
    .replace(/^#{1,6} /, "")
    .trim();
  const present = tree.text(path) ?? "";
  const headings = listMarkdownSections(present)
    .filter(({ heading }) => heading.level > 1)
    .map(({ heading }) => heading.text);
  const call = (heading: string) => ({ action: "update", name, section: heading, text: "…" });
  if (section === undefined || text === undefined) {
    const why =
      section === undefined
        ? `No section was named; ${path} has ${sanitizeText(headings.join(", "), 400)}.`
        : "There is no text for the section.";
    throw createSteeringFault("input.missing", "Nothing was updated.", why, call(section ?? headings[0] ?? "…"));
  }
  const found = findMarkdownSection(present, section);
  rejectBreakingSteeringText("text", text, found?.heading.level ?? 2);
  const near = found ? undefined : findClosestWord(section, headings);
  if (near === undefined) return { section, text };
  const what = `${path} has no section ${quote(section, 60)}.`;
  throw createSteeringFault("steering.unknown-section", what, `${quote(near, 60)} is near it.`, call(near));
}

function requireSteeringFile(tree: StoreTree, name: SteeringName): void {
  if (tree.has(resolveSteeringPath(name))) return;
  throw createSteeringFault(
    "steering.missing",
    `There is no ${resolveSteeringPath(name)}.`,
    "Nobody has written it yet.",
    isCoreSteeringFile(name) ? { action: "create" } : { action: "custom", name },
    { action: "show" },
  );
}

export async function addSteeringTopic(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const nothing = "Nothing was written.";
  if (input.name === undefined) {
    const example = { action: "custom", name: "api-standards" };
    throw createSteeringFault("input.missing", nothing, "No topic was named.", example);
  }
  const name = parseSteeringName(input.name);
  const path = resolveSteeringPath(name);
  if (isCoreSteeringFile(name)) {
    const why = "It is one of the core files, which are made together.";
    throw createSteeringFault("steering.exists", `${path} is no topic of its own.`, why, { action: "create" });
  }
  const title = formatSteeringTitle(name);
  const text =
    input.text === undefined
      ? renderTemplate(await engine.assets.text(`templates/steering/${findSteeringTopic(name) ?? "topic"}`), { title })
      : formatTopicFile(title, input.text);
  return commitSteering(engine, (draft, tree) => {
    if (tree.has(path)) {
      const why = `${path} is there already, and nothing is overwritten.`;
      const update = { action: "update", name, section: "…", text: "…" };
      throw createSteeringFault("steering.exists", nothing, why, update);
    }
    draft.write(path, text);
    const summary = `Steering on ${title.toLowerCase()}`;
    return createSteeringPlan(draft, "custom", { summary, reason: input.reason });
  });
}

function formatTopicFile(title: string, said: string): string {
  const text = `${said.replace(/\r\n?/g, "\n").trim()}\n`;
  const isTitled = parseHeadings(parseProseLines(text))[0]?.level === 1;
  rejectBreakingSteeringText("text", isTitled ? text.slice(text.indexOf("\n")) : text, 1);
  return isTitled ? text : `# ${title}\n\n${text}`;
}

export async function removeSteering(
  engine: RoadmapEngine,
  { name: said, confirm, reason }: ManageSteeringInput,
): Promise<SteeringResult> {
  const nothing = "Nothing was deleted.";
  return commitSteering(engine, (draft, tree) => {
    if (said !== undefined) {
      const name = parseSteeringName(said);
      requireSteeringFile(tree, name);
      draft.remove(resolveSteeringPath(name));
      return createSteeringPlan(draft, "delete", { summary: `${name}.md is gone`, reason });
    }
    const files = listSteeringFiles(tree);
    if (files.length === 0) {
      const why = `There is no file in ${STEERING_FOLDER}.`;
      throw createSteeringFault("steering.missing", nothing, why, { action: "create" });
    }
    if (confirm === undefined) {
      const why = `That would take away ${formatCount(files.length, "file")}, so the user has to type RESET.`;
      const call = { action: "delete", confirm: "RESET" };
      throw createSteeringFault("steering.unconfirmed", nothing, why, "Ask the user first.", call);
    }
    for (const file of files) draft.remove(joinFolderPath(STEERING_FOLDER, file));
    return createSteeringPlan(draft, "delete", { summary: `All steering is gone: ${files.join(", ")}`, reason });
  });
}

/** Level of the heading above each text. */
const PRODUCT_TEXT_LEVELS = { purpose: 2, users: 2, capabilities: 2, vision: 3, success_criteria: 6, anti_goals: 6 };
type ProductTextField = keyof typeof PRODUCT_TEXT_LEVELS;
export const PRODUCT_TEXT_FIELDS = Object.keys(PRODUCT_TEXT_LEVELS) as ProductTextField[];

export const listGivenFields = (input: ManageSteeringInput): ProductTextField[] =>
  PRODUCT_TEXT_FIELDS.filter((field) => input[field] !== undefined);

export function readProductTexts(input: ManageSteeringInput): ProductTexts {
  for (const field of listGivenFields(input))
    rejectBreakingSteeringText(field, input[field] ?? "", PRODUCT_TEXT_LEVELS[field]);
  const { purpose, users, capabilities, vision, success_criteria, anti_goals } = input;
  return {
    purpose,
    users,
    capabilities,
    vision,
    success_criteria: success_criteria === undefined ? undefined : splitGivenItems(success_criteria),
    anti_goals: anti_goals === undefined ? undefined : splitGivenItems(anti_goals),
  };
}

function applyProductTexts(product: string, texts: ProductTexts, how: SectionEditMode): string {
  const { purpose, users, capabilities, vision, success_criteria, anti_goals } = texts;
  const isWhole = how === "replacing";
  let text = product;
  if (purpose !== undefined) text = writeTitleText(text, purpose, how);
  if (users !== undefined) text = writeSectionBody(text, "Target Users", users, how, USER_INTENT_HEADING);
  if (capabilities !== undefined)
    text = writeSectionBody(text, "Key Capabilities", capabilities, how, USER_INTENT_HEADING);
  if (vision !== undefined) text = setProductVision(text, vision);
  if (success_criteria) text = setProductItems(text, SUCCESS_CRITERIA_HEADING, success_criteria, isWhole);
  if (anti_goals) text = setProductItems(text, ANTI_GOALS_HEADING, anti_goals, isWhole);
  return text;
}

function rejectBreakingSteeringText(field: string, text: string, level: number): void {
  const problem = findBodyProblem(text, level);
  if (problem === undefined) return;
  const what = `The ${field} was not taken.`;
  throw createSteeringFault("steering.bad-text", what, `As given, ${problem}.`, "Say it again without that.");
}
