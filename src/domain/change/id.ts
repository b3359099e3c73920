import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { findFreeSlug, createSlug } from "../slug.ts";

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
