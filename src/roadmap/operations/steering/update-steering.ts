import { findClosestWord, sanitizeText, quote, formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  getCoreSteeringName,
  isCoreSteeringFile,
  parseSteeringName,
  resolveSteeringPath,
  type SteeringName,
  formatSteeringTitle,
  findSteeringTopic,
} from "../../model/steering/steering-name.ts";
import {
  DECISION_LOG_HEADING,
  readUserIntent,
  ANTI_GOALS_HEADING,
  SUCCESS_CRITERIA_HEADING,
  USER_INTENT_HEADING,
  setProductItems,
  setProductVision,
} from "../../model/steering/product-document.ts";
import {
  hasLostText,
  type SectionEditMode,
  writeSectionBody,
  writeTitleText,
} from "../../model/steering/steering-edit.ts";
import {
  findMarkdownSection,
  hasSameWords,
  listMarkdownSections,
  findBodyProblem,
  splitGivenItems,
} from "../../model/steering/markdown-section.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import {
  type SteeringResult,
  type ManageSteeringInput,
  createSteeringPlan,
  createUnchangedPlan,
  commitSteering,
} from "./steering-plan.ts";
import { SteeringDraft } from "./steering-draft.ts";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { joinFolderPath, STEERING_FOLDER } from "#kernel/model/workspace-paths.ts";
import { listSteeringFiles } from "./steering-page.ts";
import type { ProductTexts } from "../../model/steering/template-values.ts";

const PRODUCT_STEERING = getCoreSteeringName("product");

/** Adds to a section or to a product field. Replaced text is archived. */
export async function updateSteering(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
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

function requireSteeringFile(tree: StoreTree, name: SteeringName): void {
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

export async function addSteeringTopic(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  if (input.name === undefined) throw createMissingTopicFault();
  const name = parseSteeringName(input.name);
  if (isCoreSteeringFile(name)) throw createCoreTopicFault(name);
  const text = input.text === undefined ? await renderTopicTemplate(engine, name) : formatTopicFile(name, input.text);
  return commitSteering(engine, (tree) => {
    const path = resolveSteeringPath(name);
    if (tree.has(path)) throw createTopicExistsFault(name);
    const draft = new SteeringDraft(tree, engine.clock.now());
    draft.write(path, text);
    return createSteeringPlan(draft, "custom", {
      summary: `Steering on ${formatSteeringTitle(name).toLowerCase()}`,
      reason: input.reason,
    });
  });
}

async function renderTopicTemplate({ assets }: Pick<RoadmapEngine, "assets">, name: SteeringName): Promise<string> {
  const asset = await assets.text(`templates/steering/${findSteeringTopic(name) ?? "topic"}`);
  return renderTemplate(asset, { title: formatSteeringTitle(name) });
}

function formatTopicFile(name: SteeringName, said: string): string {
  const text = `${said.replace(/\r\n?/g, "\n").trim()}\n`;
  const isTitled = parseHeadings(parseProseLines(text))[0]?.level === 1;
  rejectBreakingSteeringText("text", isTitled ? text.slice(text.indexOf("\n")) : text, 1);
  return isTitled ? text : `# ${formatSteeringTitle(name)}\n\n${text}`;
}

const createMissingTopicFault = (): Fault =>
  new Fault("input.missing", {
    what: "Nothing was written.",
    why: "No topic was named.",
    fix: { operation: "steering.manage", input: { action: "custom", name: "api-standards" } },
  });

const createCoreTopicFault = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: `${resolveSteeringPath(name)} is no topic of its own.`,
    why: "It is one of the core files, which are made together.",
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const createTopicExistsFault = (name: SteeringName): Fault =>
  new Fault("steering.exists", {
    what: "Nothing was written.",
    why: `${resolveSteeringPath(name)} is there already, and nothing is overwritten.`,
    fix: { operation: "steering.manage", input: { action: "update", name, section: "…", text: "…" } },
  });

export async function removeSteering(
  engine: RoadmapEngine,
  { name: said, confirm, reason }: ManageSteeringInput,
): Promise<SteeringResult> {
  return commitSteering(engine, (tree): StorePlan<SteeringResult> => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const files = listSteeringFiles(tree);
    if (said === undefined) {
      if (files.length === 0) throw createNoSteeringFault();
      if (confirm === undefined) throw createUnconfirmedFault(files);
      for (const file of files) draft.remove(joinFolderPath(STEERING_FOLDER, file));
      return createSteeringPlan(draft, "delete", { summary: `All steering is gone: ${files.join(", ")}`, reason });
    }
    const name = parseSteeringName(said);
    requireSteeringFile(tree, name);
    draft.remove(resolveSteeringPath(name));
    return createSteeringPlan(draft, "delete", { summary: `${name}.md is gone`, reason });
  });
}

const createNoSteeringFault = (): Fault =>
  new Fault("steering.missing", {
    what: "Nothing was deleted.",
    why: `There is no file in ${STEERING_FOLDER}.`,
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const createUnconfirmedFault = (files: readonly string[]): Fault =>
  new Fault("steering.unconfirmed", {
    what: "Nothing was deleted.",
    why: `That would take away ${formatCount(files.length, "file")}, so the user has to type RESET.`,
    fix: ["Ask the user first.", { operation: "steering.manage", input: { action: "delete", confirm: "RESET" } }],
  });

const PRODUCT_TEXT_LEVELS = {
  purpose: 2,
  users: 2,
  capabilities: 2,
  vision: 3,
  success_criteria: 6,
  anti_goals: 6,
} as const;
type ProductTextField = keyof typeof PRODUCT_TEXT_LEVELS;

export const listGivenFields = (input: ManageSteeringInput): ProductTextField[] =>
  (Object.keys(PRODUCT_TEXT_LEVELS) as ProductTextField[]).filter((field) => input[field] !== undefined);

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
  const edits: readonly ((text: string) => string)[] = [
    (text) => (purpose === undefined ? text : writeTitleText(text, purpose, how)),
    (text) => (users === undefined ? text : writeSectionBody(text, "Target Users", users, how, USER_INTENT_HEADING)),
    (text) =>
      capabilities === undefined
        ? text
        : writeSectionBody(text, "Key Capabilities", capabilities, how, USER_INTENT_HEADING),
    (text) => (vision === undefined ? text : setProductVision(text, vision)),
    (text) =>
      success_criteria ? setProductItems(text, SUCCESS_CRITERIA_HEADING, success_criteria, how === "replacing") : text,
    (text) => (anti_goals ? setProductItems(text, ANTI_GOALS_HEADING, anti_goals, how === "replacing") : text),
  ];
  return edits.reduce((text, edit) => edit(text), product);
}

function rejectBreakingSteeringText(field: string, text: string, level: number): void {
  const problem = findBodyProblem(text, level);
  if (problem === undefined) return;
  throw new Fault("steering.bad-text", {
    what: `The ${field} was not taken.`,
    why: `As given, ${problem}.`,
    fix: "Say it again without that.",
  });
}
