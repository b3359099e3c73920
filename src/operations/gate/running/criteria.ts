import type { Look } from "#domain/scan/look.ts";
import { tagsIn } from "#domain/scan/tags.ts";
import { testCasesIn } from "#domain/scan/test-cases.ts";
import type { ChangedFile } from "./changed.ts";
import { isGreen, type Tried } from "./trying.ts";

/** A tag may stand so many lines above the test that it is about. */
const ABOVE = 3;

/** The specs that changed code names, the work's own first. */
export function specsNamed(id: string, files: readonly ChangedFile[]): string[] {
  const named = files.flatMap(({ look }) => (look ? tagsIn(look).map(({ spec }) => spec) : []));
  return [id, ...new Set(named.filter((spec) => spec !== id).toSorted())];
}

/** Acceptance criteria, as `AUTH-001.AC-1`, that a test names which ran and passed. */
export function criteriaCovered(files: readonly ChangedFile[], tried: readonly Tried[]): string[] {
  const covered = files.flatMap(({ path: file, look }) => {
    if (!look) return [];
    return tagsIn(look).flatMap(({ spec, criterion, line }) => {
      if (criterion === undefined) return [];
      const name = caseAt(look, line);
      const isShown = name !== undefined && isGreen(tried, { file, name });
      return isShown ? [`${spec}.${criterion}`] : [];
    });
  });
  return [...new Set(covered)].toSorted();
}

/** The test that a line is in, or stands just above. */
function caseAt(look: Look, line: number): string | undefined {
  const cases = testCasesIn(look);
  const around = cases.findLast((each) => each.line <= line && each.lastLine >= line);
  return (around ?? cases.find((each) => each.line > line && each.line - line <= ABOVE))?.name;
}
