import { Fault } from "#domain/fault.ts";
import type { ProductTexts } from "#domain/steering/prefill.ts";
import {
  ANTI_GOALS_HEADING,
  SUCCESS_CRITERIA_HEADING,
  USER_INTENT_HEADING,
  setProductItems,
  setProductVision,
} from "#domain/steering/product.ts";
import { type SectionEditMode, writeSectionBody, writeTitleText } from "#domain/steering/say.ts";
import { findBodyProblem, splitGivenItems } from "#domain/steering/section.ts";
import type { ManageSteeringInput } from "./done.ts";

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

export function applyProductTexts(product: string, texts: ProductTexts, how: SectionEditMode): string {
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

export function rejectBreakingSteeringText(field: string, text: string, level: number): void {
  const problem = findBodyProblem(text, level);
  if (problem === undefined) return;
  throw new Fault("steering.bad-text", {
    what: `The ${field} was not taken.`,
    why: `As given, ${problem}.`,
    fix: "Say it again without that.",
  });
}
