import type { Flow } from "../flow/flow-engine.ts";
import { Fault } from "../fault.ts";
import { quote } from "../text-format.ts";
import { findFreeSlug, createSlug } from "../slug.ts";

export const CHANGE_TYPES = ["feature", "fix", "refactor", "enhancement"] as const;
export const CHANGE_SIZES = ["small", "medium", "large"] as const;
export const CHANGE_STAGES = [
  "describe",
  "propose",
  "scope",
  "context-check",
  "spec",
  "clarify",
  "design",
  "tasks",
  "verify",
] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];
export type ChangeSize = (typeof CHANGE_SIZES)[number];
export type ChangeStage = (typeof CHANGE_STAGES)[number];

type MiddleStagesBySize = Readonly<Record<ChangeSize, readonly ChangeStage[]>>;

const LIGHT_MIDDLE: MiddleStagesBySize = { small: [], medium: ["spec"], large: ["spec", "design"] };
const CLARIFIED_MIDDLE: MiddleStagesBySize = { small: [], medium: ["spec"], large: ["spec", "clarify", "design"] };
const REFACTOR_MIDDLE: MiddleStagesBySize = { small: [], medium: ["design"], large: ["spec", "design"] };

const CHANGE_FLOW_SHAPES: Readonly<
  Record<ChangeType, { opening: (size: ChangeSize) => ChangeStage; middle: MiddleStagesBySize }>
> = {
  fix: { opening: () => "describe", middle: LIGHT_MIDDLE },
  feature: { opening: selectOpeningStage, middle: CLARIFIED_MIDDLE },
  refactor: { opening: () => "scope", middle: REFACTOR_MIDDLE },
  enhancement: { opening: selectOpeningStage, middle: CLARIFIED_MIDDLE },
};

export function buildChangeFlow(type: ChangeType, size: ChangeSize): Flow<ChangeStage> {
  const { opening, middle } = CHANGE_FLOW_SHAPES[type];
  const names: ChangeStage[] = [opening(size), "context-check", ...middle[size], "tasks", "verify"];
  return { stages: names.map((name) => ({ name })) };
}

function selectOpeningStage(size: ChangeSize): ChangeStage {
  return size === "small" ? "describe" : "propose";
}

declare const changeIdBrand: unique symbol;
/** Names a change and its folder. Only `parseChangeId` and `createChangeId` make one. */
export type ChangeId = string & { readonly [changeIdBrand]: "ChangeId" };

const CHANGE_ID_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_CHANGE_ID_LENGTH = 64;

export function parseChangeId(text: string): ChangeId {
  if (isChangeId(text)) return text;
  throw new Fault("change.bad-id", {
    what: `${quote(text, 64)} is not a change id.`,
    why: `An id has lower-case letters, digits and single hyphens, at most ${MAX_CHANGE_ID_LENGTH} characters.`,
    fix: { operation: "change.list" },
  });
}

export function isChangeId(text: string): text is ChangeId {
  return text.length <= MAX_CHANGE_ID_LENGTH && CHANGE_ID_PATTERN.test(text);
}

export function createChangeId(description: string, isTaken: (id: string) => boolean): ChangeId {
  return parseChangeId(findFreeSlug(createSlug(description, "change"), isTaken));
}
