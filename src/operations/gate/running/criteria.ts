import { findSpanForLine } from "#domain/indexing/outline.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { formatTagName, findSpecTags } from "#domain/scan/tags.ts";
import { findTestCases } from "#domain/scan/test-cases.ts";
import { describeUntestedCriterion } from "#domain/trace/problems.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import type { ChangedFile } from "./changed.ts";
import { hasPassedTest, type FinishedCheck } from "./trying.ts";

export interface ParsedFile {
  readonly path: string;
  readonly look?: CodeScan;
}

export function listNamedSpecs(id: string, files: readonly ChangedFile[]): string[] {
  const named = files.flatMap(({ look }) => (look ? findSpecTags(look).map(({ spec }) => spec) : []));
  return [id, ...new Set(named.filter((spec) => spec !== id).toSorted())];
}

/** A test that names a criterion in a tag inside or above it, or in its own name. */
interface CriterionTest {
  readonly criterion: string;
  readonly file: string;
  readonly name: string;
}

export function findCriterionTests(files: readonly ParsedFile[], namesIn: TestNameReader): CriterionTest[] {
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

export function listProvenCriteria(cases: readonly CriterionTest[], tried: readonly FinishedCheck[]): string[] {
  return [...new Set(cases.filter((each) => hasPassedTest(tried, each)).map(({ criterion }) => criterion))].toSorted();
}

interface CriteriaProofInput {
  readonly spec: string;
  readonly criteria: readonly string[];
  readonly cases: readonly CriterionTest[];
  readonly tried: readonly FinishedCheck[];
}

export function findCriteriaProblems({ spec, criteria, cases, tried }: CriteriaProofInput): Problem[] {
  const covered = new Set(listProvenCriteria(cases, tried));
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
