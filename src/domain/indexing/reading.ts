import { isMinifiedText, findSkipReason } from "../adopt/select.ts";
import { isCodeFile } from "../scan/plain.ts";
import { isAliasManifest } from "./resolve/aliases.ts";

/**
 * `code`: read everything. `tagged`: read built, generated or test data only if it contains a tag. `manifest`: only
 * notice changes.
 */
export type IndexReadMode = "code" | "tagged" | "manifest";

/** Returns nothing for lock files and for files that are not code. */
export function chooseReadMode(path: string): IndexReadMode | undefined {
  if (isAliasManifest(path)) return "manifest";
  if (!isCodeFile(path)) return undefined;
  const why = findSkipReason(path);
  if (why === undefined || why === "not source") return "code";
  return why === "lock file" ? undefined : "tagged";
}

const SPEC_TAG_HINT = /@spec\b|(?<!\w)AC:/;

export const isOutlineNeeded = (reading: IndexReadMode, text: string): boolean =>
  reading === "code" && !isMinifiedText(text) ? true : reading !== "manifest" && SPEC_TAG_HINT.test(text);
