import type { Flow } from "../flow/flow-engine.ts";
import { Fault } from "../fault.ts";
import { quote } from "../text-format.ts";
import { createReadableSlug, findFreeSlug, READABLE_SLUG_WORD } from "../slug.ts";

export const CHANGE_TYPES = ["feature", "fix", "refactor", "enhancement"] as const;
export const CHANGE_SIZES = ["quick", "small", "medium", "large"] as const;
/** Sizes whose stages are documents. A quick change has none: its sentence and its diff are the record. */
export const DOCUMENTED_SIZES = ["small", "medium", "large"] as const;
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
export type DocumentedSize = (typeof DOCUMENTED_SIZES)[number];
export type ChangeStage = (typeof CHANGE_STAGES)[number];

type MiddleStagesBySize = Readonly<Record<DocumentedSize, readonly ChangeStage[]>>;

const CLARIFIED_MIDDLE: MiddleStagesBySize = { small: [], medium: ["spec"], large: ["spec", "clarify", "design"] };
const MIDDLE_STAGES: Readonly<Record<ChangeType, MiddleStagesBySize>> = {
  fix: { small: [], medium: ["spec"], large: ["spec", "design"] },
  feature: CLARIFIED_MIDDLE,
  refactor: { small: [], medium: ["design"], large: ["spec", "design"] },
  enhancement: CLARIFIED_MIDDLE,
};

export function buildChangeFlow(type: ChangeType, size: ChangeSize): Flow<ChangeStage> {
  if (size === "quick") return { stages: [{ name: "verify" }] };
  const isDescribed = type === "fix" || (type !== "refactor" && size === "small");
  const opening = isDescribed ? "describe" : type === "refactor" ? "scope" : "propose";
  const names: ChangeStage[] = [opening, "context-check", ...MIDDLE_STAGES[type][size], "tasks", "verify"];
  return { stages: names.map((name) => ({ name })) };
}

declare const changeIdBrand: unique symbol;
/** Names a change and its folder. Only `parseChangeId` and `createChangeId` make one. */
export type ChangeId = string & { readonly [changeIdBrand]: "ChangeId" };

const ASCII_CHANGE_ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_CHANGE_ID_LENGTH = 64;

export function parseChangeId(text: string): ChangeId {
  if (isChangeId(text)) return text;
  throw new Fault("change.bad-id", {
    what: `${quote(text, 64)} is not a change id.`,
    why: `An id has lower-case letters, digits and single hyphens, at most ${MAX_CHANGE_ID_LENGTH} characters.`,
    fix: { operation: "change.list" },
  });
}

/** Creating the pattern for other scripts takes a millisecond, so ids in ASCII do without it. */
export const isChangeId = (text: string): text is ChangeId =>
  text.length <= MAX_CHANGE_ID_LENGTH && (ASCII_CHANGE_ID.test(text) || isForeignChangeId(text));

const isForeignChangeId = (text: string): boolean =>
  /[^\0-\x7f]/.test(text) &&
  new RegExp(`^${READABLE_SLUG_WORD}(?:-${READABLE_SLUG_WORD})*$`, "u").test(text) &&
  text.normalize("NFKC") === text;

export const createChangeId = (description: string, isTaken: (id: string) => boolean): ChangeId =>
  parseChangeId(findFreeSlug(createReadableSlug(description, "change"), isTaken));
