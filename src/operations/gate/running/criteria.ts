import { findSpanForLine } from "#domain/indexing/outline.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { formatTagName, findSpecTags } from "#domain/scan/tags.ts";
import { findTestCases } from "#domain/scan/test-cases.ts";
import { describeUntestedCriterion } from "#domain/trace/problems.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import type { ChangedFile } from "./changed.ts";
import { isGreen, type Tried } from "./trying.ts";

/** A file as it was just looked at. */
export interface LookedAt {
  readonly path: string;
  readonly look?: CodeScan;
}

/** The specs that changed code names, the work's own first. */
export function specsNamed(id: string, files: readonly ChangedFile[]): string[] {
  const named = files.flatMap(({ look }) => (look ? findSpecTags(look).map(({ spec }) => spec) : []));
  return [id, ...new Set(named.filter((spec) => spec !== id).toSorted())];
}

/** A test that names a criterion, by a tag in it or above it, or by its own name. */
interface NamingCase {
  /** As `AUTH-001.AC-1`. */
  readonly criterion: string;
  readonly file: string;
  readonly name: string;
}

/** Each test that names a criterion, as the files are. */
export function casesNaming(files: readonly LookedAt[], namesIn: TestNameReader): NamingCase[] {
  return files.flatMap(({ path: file, look }) => {
    if (!look) return [];
    const cases = findTestCases(look);
    const tagged = findSpecTags(look).map((said) => ({ said, name: findSpanForLine(cases, said.line)?.name }));
    const named = cases.flatMap(({ name }) => namesIn(name).map((said) => ({ said, name })));
    return [...tagged, ...named].flatMap(({ said, name }) =>
      name === undefined || said.criterion === undefined ? [] : [{ criterion: formatTagName(said), file, name }],
    );
  });
}

/** Acceptance criteria, as `AUTH-001.AC-1`, that a test names which ran and passed. */
export function criteriaCovered(cases: readonly NamingCase[], tried: readonly Tried[]): string[] {
  return [...new Set(cases.filter((each) => isGreen(tried, each)).map(({ criterion }) => criterion))].toSorted();
}

/** What is to be shown of a spec's criteria, and what is. */
interface Showing {
  readonly spec: string;
  readonly criteria: readonly string[];
  readonly cases: readonly NamingCase[];
  readonly tried: readonly Tried[];
}

/** Criteria that no test names, or only such as did not run and pass. */
export function criteriaProblems({ spec, criteria, cases, tried }: Showing): Problem[] {
  const covered = new Set(criteriaCovered(cases, tried));
  return criteria.flatMap((criterion): Problem[] => {
    const name = formatTagName({ spec, criterion });
    if (covered.has(name)) return [];
    const [naming] = cases.filter((each) => each.criterion === name);
    const problem = naming
      ? `${sanitizeText(naming.file, 200)}: ${sanitizeText(naming.name, 200)} names ${name}, but did not run and pass.`
      : describeUntestedCriterion(spec, criterion);
    return [{ problem }];
  });
}
