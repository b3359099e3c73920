import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { freeSlug, slugify } from "../slug.ts";

declare const brand: unique symbol;
/** Names a change and its folder. Only `parseChangeId` and `createChangeId` make one. */
export type ChangeId = string & { readonly [brand]: "ChangeId" };

const PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LIMIT = 64;

export function parseChangeId(text: string): ChangeId {
  if (isChangeId(text)) return text;
  throw new Fault("change.bad-id", {
    what: `${quote(text, 64)} is not a change id.`,
    why: `An id has lower-case letters, digits and single hyphens, at most ${LIMIT} characters.`,
    fix: { operation: "change.list" },
  });
}

export function isChangeId(text: string): text is ChangeId {
  return text.length <= LIMIT && PATTERN.test(text);
}

export function nameChange(description: string, isTaken: (id: string) => boolean): ChangeId {
  return parseChangeId(freeSlug(slugify(description, "change"), isTaken));
}
