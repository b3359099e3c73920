import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { findClosestWord, formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import { joinFolderPath, STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { BUILT_IN_PROFILES, type StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { StackSurvey } from "#checking/operations/ports/stacks.ts";
import { requireStackProfile } from "#checking/operations/stack/detect-stacks.ts";
import * as markdownSection from "../../model/steering/markdown-section.ts";
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
  CORE_STEERING_NAMES,
  type CoreSteeringFile,
  findSteeringTopic,
  formatSteeringTitle,
  isCoreSteeringFile,
  parseSteeringName,
  resolveSteeringPath,
  type SteeringName,
} from "../../model/steering/steering-name.ts";
import {
  createProductValues,
  createStructureValues,
  createTechValues,
  type ProductTexts,
  type SteeringStack,
  suggestClientPermissions,
} from "../../model/steering/template-values.ts";
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

export async function createSteeringFiles(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, done } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, input);
  return commitSteering(engine, (draft, tree) => {
    const there = CORE_STEERING_NAMES.filter((name) => tree.has(resolveSteeringPath(name)));
    const kept = there.map(resolveSteeringPath);
    const missing = CORE_STEERING_NAMES.filter((name) => !there.includes(name));
    const fields = listGivenFields(input);
    if (missing.length === 0 || (there.includes("product") && fields.length > 0)) {
      // The fix repeats the given fields, so that the caller can pass them to update.
      const said = Object.fromEntries((fields.length > 0 ? fields : ["vision"]).map((field) => [field, "…"]));
      const why = `${kept.join(", ")} ${kept.length === 1 ? "is" : "are"} there already, and nothing is overwritten.`;
      const update = { action: "update", ...said };
      throw createSteeringFault("steering.exists", "Nothing was written.", why, update, { action: "show" });
    }
    for (const name of missing) draft.write(resolveSteeringPath(name), rendered[name]);
    const summary = `Steering begins: ${missing.map((name) => `${name}.md`).join(", ")}`;
    return createSteeringPlan(draft, "create", { summary, reason: input.reason }, { ...done, kept });
  });
}

async function renderCoreFiles(
  { assets }: Pick<RoadmapEngine, "assets">,
  stacks: readonly SteeringStack[],
  input: ManageSteeringInput,
): Promise<Record<CoreSteeringFile, string>> {
  const render = async (name: CoreSteeringFile, values: Parameters<typeof renderTemplate>[1]): Promise<string> =>
    renderTemplate(await assets.text(`templates/steering/${name}`), values);
  return {
    product: await render("product", createProductValues(readProductTexts(input))),
    tech: await render("tech", createTechValues(stacks)),
    structure: await render("structure", createStructureValues(stacks)),
  };
}

/** Text that a person wrote stays. */
export async function fillSteeringProfile(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, done } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, { action: "profile" });
  return commitSteering(engine, (draft, tree) => {
    for (const name of stacks.length > 0 ? (["tech", "structure"] as const) : []) {
      const before = tree.text(resolveSteeringPath(name));
      const text = before === undefined ? rendered[name] : markdownSection.fillEmptySections(before, rendered[name]);
      draft.write(resolveSteeringPath(name), text);
    }
    if (draft.changed().length === 0)
      return createUnchangedPlan({ ...done, notes: [...done.notes, "Nothing was left for a profile to fill in."] });
    const summary = `Filled in from ${done.profile.stacks.join(", ")}`;
    return createSteeringPlan(draft, "profile", { summary, reason: input.reason }, done);
  });
}

const MAX_STEERING_STACKS = 10;

async function selectSteeringStacks(engine: Pick<RoadmapEngine, "stacks">, said: string | undefined) {
  const isNone = said?.trim().toLowerCase() === "none";
  const stacks = isNone ? [] : listSteeringStacks(await engine.stacks.survey(), said);
  const isBuiltIn = ({ profile }: SteeringStack): boolean => BUILT_IN_PROFILES.some((id) => id === profile.id);
  const profile = {
    stacks: stacks.map(({ directory, profile: { id } }) => (directory === "." ? id : `${id} in ${directory}`)),
    // Only of built-in profiles: a repository could put any command into its own.
    permissions: suggestClientPermissions(stacks.filter(isBuiltIn)),
  };
  const notes = stacks
    .filter((stack) => !isBuiltIn(stack) && stack.checks.length > 0)
    .map((stack) => `No permissions are suggested for ${stack.profile.id}: the project wrote that profile itself.`);
  return { stacks, done: { profile, notes } };
}

/** The named profile, otherwise the detected ones, the primary one first. */
function listSteeringStacks({ detections, definitions, profiles }: StackSurvey, said: string | undefined) {
  const createStack = (profile: StackProfile, directory: string): SteeringStack => {
    const used = definitions.stacks.find((use) => use.directory === directory && use.profile === profile.id);
    return { directory, profile, checks: used?.checks ?? [] };
  };
  if (said !== undefined) {
    const profile = requireStackProfile(profiles, said);
    const folders = definitions.stacks.filter((use) => use.profile === profile.id).map(({ directory }) => directory);
    const named = folders.length > 0 ? folders : ["."];
    return named.slice(0, MAX_STEERING_STACKS).map((directory) => createStack(profile, directory));
  }
  return detections
    .filter(({ confidence }) => confidence > 0)
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
    .slice(0, MAX_STEERING_STACKS)
    .flatMap(({ directory, profile: id }) => {
      const profile = profiles.find((each) => each.id === id);
      return profile ? [createStack(profile, directory)] : [];
    });
}

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
      if (name === "product" && markdownSection.hasSameWords(section, DECISION_LOG_HEADING)) {
        const summary = sanitizeText(text.trim().replace(/\s+/g, " "), 200);
        const decision = { type: "USER_DECISION", summary, decision: text, reason: input.reason } as const;
        return createSteeringPlan(draft, "update", decision);
      }
      draft.edit(name, (before) => markdownSection.writeSectionBody(before, section, text, how));
    }
    for (const path of draft.changed())
      if (markdownSection.hasLostText(tree.text(path) ?? "", draft.text(path) ?? "")) draft.keepAside(path);
    return createUpdatePlan(tree, draft, input, name);
  });
}

function createUpdatePlan(tree: StoreTree, draft: SteeringDraft, input: ManageSteeringInput, name: SteeringName) {
  if (draft.changed().length === 0) return createUnchangedPlan({ notes: ["The file already has all of this."] });
  const { section, vision, reason } = input;
  const fields = listGivenFields(input);
  const { vision: before } = readUserIntent(tree.text(resolveSteeringPath("product")) ?? "");
  const decision = [input.text, ...fields.map((field) => input[field])].filter((said) => said !== undefined).join("\n");
  if (before !== "" && vision !== undefined && !markdownSection.hasSameWords(before, vision)) {
    const summary = `Changed vision: ${sanitizeText(vision, 200)}`;
    return createSteeringPlan(draft, "update", { type: "DIRECTION_CHANGE", summary, decision, reason });
  }
  const parts = [
    ...(fields.length > 0 ? [`product.md: ${fields.join(", ")}`] : []),
    ...(section === undefined ? [] : [`${name}.md: ${sanitizeText(section, 100)}`]),
  ];
  return createSteeringPlan(draft, "update", { summary: parts.join("; "), decision, reason });
}

function readSectionUpdate(tree: StoreTree, name: SteeringName, { section: said, text }: ManageSteeringInput) {
  const path = resolveSteeringPath(name);
  const section = said
    ?.replace(/\s+/g, " ")
    .replace(/^#{1,6} /, "")
    .trim();
  const present = tree.text(path) ?? "";
  const headings = markdownSection
    .listMarkdownSections(present)
    .flatMap(({ heading }) => (heading.level > 1 ? [heading.text] : []));
  const call = (heading: string) => ({ action: "update", name, section: heading, text: "…" });
  if (section === undefined || text === undefined) {
    const why =
      section === undefined
        ? `No section was named; ${path} has ${sanitizeText(headings.join(", "), 400)}.`
        : "There is no text for the section.";
    throw createSteeringFault("input.missing", "Nothing was updated.", why, call(section ?? headings[0] ?? "…"));
  }
  const found = markdownSection.findMarkdownSection(present, section);
  rejectBreakingSteeringText("text", text, found?.heading.level ?? 2);
  const near = found ? undefined : findClosestWord(section, headings);
  if (near === undefined) return { section, text };
  const what = `${path} has no section ${quote(section, 60)}.`;
  throw createSteeringFault("steering.unknown-section", what, `Did you mean ${quote(near, 60)}?`, call(near));
}

function requireSteeringFile(tree: StoreTree, name: SteeringName): void {
  const path = resolveSteeringPath(name);
  if (tree.has(path)) return;
  const call = isCoreSteeringFile(name) ? { action: "create" } : { action: "custom", name };
  const why = "It does not exist yet.";
  throw createSteeringFault("steering.missing", `There is no ${path}.`, why, call, { action: "show" });
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
    const why = "It is one of the core files, which are created together.";
    throw createSteeringFault("steering.exists", `${path} is not a topic.`, why, { action: "create" });
  }
  const title = formatSteeringTitle(name);
  const template = findSteeringTopic(name) ?? "topic";
  const text =
    input.text === undefined
      ? renderTemplate(await engine.assets.text(`templates/steering/${template}`), { title })
      : formatTopicFile(title, input.text);
  return commitSteering(engine, (draft, tree) => {
    if (tree.has(path)) {
      const why = `${path} exists, and Tenon does not overwrite it.`;
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

export async function removeSteering(engine: RoadmapEngine, { name: said, confirm, reason }: ManageSteeringInput) {
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
      const why = `This would delete ${formatCount(files.length, "file")}, so the user must type RESET.`;
      const call = { action: "delete", confirm: "RESET" };
      throw createSteeringFault("steering.unconfirmed", nothing, why, "Ask the user first.", call);
    }
    for (const file of files) draft.remove(joinFolderPath(STEERING_FOLDER, file));
    return createSteeringPlan(draft, "delete", { summary: `All steering is deleted: ${files.join(", ")}`, reason });
  });
}

/** Level of the heading above each text. */
const PRODUCT_TEXT_LEVELS = { purpose: 2, users: 2, capabilities: 2, vision: 3, success_criteria: 6, anti_goals: 6 };
type ProductTextField = keyof typeof PRODUCT_TEXT_LEVELS;
export const PRODUCT_TEXT_FIELDS = Object.keys(PRODUCT_TEXT_LEVELS) as ProductTextField[];

const listGivenFields = (input: ManageSteeringInput): ProductTextField[] =>
  PRODUCT_TEXT_FIELDS.filter((field) => input[field] !== undefined);

function readProductTexts(input: ManageSteeringInput): ProductTexts {
  for (const field of listGivenFields(input))
    rejectBreakingSteeringText(field, input[field] ?? "", PRODUCT_TEXT_LEVELS[field]);
  const { purpose, users, capabilities, vision, success_criteria: criteria, anti_goals: goals } = input;
  const success_criteria = criteria === undefined ? undefined : markdownSection.splitGivenItems(criteria);
  const anti_goals = goals === undefined ? undefined : markdownSection.splitGivenItems(goals);
  return { purpose, users, capabilities, vision, success_criteria, anti_goals };
}

function applyProductTexts(product: string, texts: ProductTexts, how: markdownSection.SectionEditMode): string {
  const { purpose, users, capabilities, vision, success_criteria, anti_goals } = texts;
  const isWhole = how === "replacing";
  let text = product;
  if (purpose !== undefined) text = markdownSection.writeTitleText(text, purpose, how);
  if (users !== undefined)
    text = markdownSection.writeSectionBody(text, "Target Users", users, how, USER_INTENT_HEADING);
  if (capabilities !== undefined)
    text = markdownSection.writeSectionBody(text, "Key Capabilities", capabilities, how, USER_INTENT_HEADING);
  if (vision !== undefined) text = setProductVision(text, vision);
  if (success_criteria) text = setProductItems(text, SUCCESS_CRITERIA_HEADING, success_criteria, isWhole);
  if (anti_goals) text = setProductItems(text, ANTI_GOALS_HEADING, anti_goals, isWhole);
  return text;
}

function rejectBreakingSteeringText(field: string, text: string, level: number): void {
  const problem = markdownSection.findBodyProblem(text, level);
  if (problem === undefined) return;
  const what = `The ${field} was not accepted.`;
  throw createSteeringFault("steering.bad-text", what, `As given, ${problem}.`, "Send it again without that.");
}
