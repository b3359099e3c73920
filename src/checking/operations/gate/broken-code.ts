import type { MutationKind } from "#code/model/mutation-site.ts";
import { findTestSections } from "#code/model/scan/test-files.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import {
  applyAllMutations,
  createMutations,
  type LineRange,
  subtractLineRanges,
} from "../../model/mutation/mutation-check.ts";
import type { CheckingEngine } from "../engine.ts";

export interface BreakableCode {
  readonly path: string;
  /** Undefined for the whole file. */
  readonly lines?: readonly LineRange[];
}

/** Makes the code wrong in a temporary checkout, at every place of these kinds, or only those with such a text, at once. Gives the files that changed. */
export async function breakCode(
  { source, syntax }: Pick<CheckingEngine, "source" | "syntax">,
  lent: Pick<TemporaryCheckout, "put">,
  code: readonly BreakableCode[],
  kinds?: readonly MutationKind[],
  only = /^/,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { path, lines = [{ line: 1, lastLine: Infinity }] } of code) {
    const text = await source.text(path);
    const look = text === undefined ? undefined : await syntax.look(path, text);
    if (text === undefined || !look) continue;
    const tests = findTestSections(look);
    const ranges = lines.flatMap((range) => subtractLineRanges(range, tests));
    const { language } = look;
    const sites = (await syntax.sites(path, text)).filter((site) => only.test(site.text));
    const all = createMutations({ path, text, language }, sites, ranges, kinds);
    await lent.put(path, applyAllMutations(text, all));
    if (all.length > 0) broken.push(path);
  }
  return broken;
}
