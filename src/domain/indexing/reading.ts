import { isMinified, whyNot } from "../adopt/select.ts";
import { isCode } from "../scan/plain.ts";
import { isAliasFile } from "./resolve/aliases.ts";

/**
 * `code`: read everything. `tagged`: read built, generated or test data only if it contains a tag. `manifest`: only
 * notice changes.
 */
export type Reading = "code" | "tagged" | "manifest";

/** Returns nothing for lock files and for files that are not code. */
export function readingOf(path: string): Reading | undefined {
  if (isAliasFile(path)) return "manifest";
  if (!isCode(path)) return undefined;
  const why = whyNot(path);
  if (why === undefined || why === "not source") return "code";
  return why === "lock file" ? undefined : "tagged";
}

const TAG = /@spec\b|(?<!\w)AC:/;

export const isOutlined = (reading: Reading, text: string): boolean =>
  reading === "code" && !isMinified(text) ? true : reading !== "manifest" && TAG.test(text);
