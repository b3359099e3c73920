import { Fault } from "#domain/fault.ts";
import type { ProductTexts } from "#domain/steering/prefill.ts";
import { ANTI_GOALS, SUCCESS_CRITERIA, USER_INTENT, withItems, withVision } from "#domain/steering/product.ts";
import { type Saying, sayUnder, sayUnderTitle } from "#domain/steering/say.ts";
import { bodyProblem, saidItems } from "#domain/steering/section.ts";
import type { Input } from "./done.ts";

const LEVELS = { purpose: 2, users: 2, capabilities: 2, vision: 3, success_criteria: 6, anti_goals: 6 } as const;
type TextField = keyof typeof LEVELS;

export const fieldsGiven = (input: Input): TextField[] =>
  (Object.keys(LEVELS) as TextField[]).filter((field) => input[field] !== undefined);

export function givenTexts(input: Input): ProductTexts {
  for (const field of fieldsGiven(input)) refuseBreaking(field, input[field] ?? "", LEVELS[field]);
  const { purpose, users, capabilities, vision, success_criteria, anti_goals } = input;
  return {
    purpose,
    users,
    capabilities,
    vision,
    success_criteria: success_criteria === undefined ? undefined : saidItems(success_criteria),
    anti_goals: anti_goals === undefined ? undefined : saidItems(anti_goals),
  };
}

export function withTexts(product: string, texts: ProductTexts, how: Saying): string {
  const { purpose, users, capabilities, vision, success_criteria, anti_goals } = texts;
  const edits: readonly ((text: string) => string)[] = [
    (text) => (purpose === undefined ? text : sayUnderTitle(text, purpose, how)),
    (text) => (users === undefined ? text : sayUnder(text, "Target Users", users, how, USER_INTENT)),
    (text) => (capabilities === undefined ? text : sayUnder(text, "Key Capabilities", capabilities, how, USER_INTENT)),
    (text) => (vision === undefined ? text : withVision(text, vision)),
    (text) => (success_criteria ? withItems(text, SUCCESS_CRITERIA, success_criteria, how === "replacing") : text),
    (text) => (anti_goals ? withItems(text, ANTI_GOALS, anti_goals, how === "replacing") : text),
  ];
  return edits.reduce((text, edit) => edit(text), product);
}

export function refuseBreaking(field: string, text: string, level: number): void {
  const problem = bodyProblem(text, level);
  if (problem === undefined) return;
  throw new Fault("steering.bad-text", {
    what: `The ${field} was not taken.`,
    why: `As given, ${problem}.`,
    fix: "Say it again without that.",
  });
}
