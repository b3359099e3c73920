import { isMinified, whyNot } from "../adopt/select.ts";
import { isCode } from "../scan/plain.ts";
import { isAliasFile } from "./resolve/aliases.ts";

/**
 * What the index wants of a file: all that code says; the same of what nobody reads, such as built, generated or test
 * data, but only if somebody put a tag into it; or only to know that a manifest has changed.
 */
export type Reading = "code" | "tagged" | "manifest";

/** Nothing for what is no code, and for lock files. */
export function readingOf(path: string): Reading | undefined {
  if (isAliasFile(path)) return "manifest";
  if (!isCode(path)) return undefined;
  const why = whyNot(path);
  if (why === undefined || why === "not source") return "code";
  return why === "lock file" ? undefined : "tagged";
}

/** Wherever no tag can be, none is looked for with a grammar. */
const TAG = /@spec\b|(?<!\w)AC:/;

/** Whether there is more to know of a text than that it is there. */
export const isOutlined = (reading: Reading, text: string): boolean =>
  reading === "code" && !isMinified(text) ? true : reading !== "manifest" && TAG.test(text);
