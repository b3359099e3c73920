import { findSpanForLine } from "#code/model/index/code-outline.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { formatTagName, findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { describeUntestedCriterion } from "#code/model/trace/trace-matrix.ts";
import type { TestNameReader } from "#code/model/trace/id-mentions.ts";
import { hasPassedTest, type FinishedCheck } from "./run-check.ts";
import { Fault } from "#kernel/model/fault.ts";
import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import { refreshCodeIndex, type IndexEngine } from "#code/operations/index/refresh-index.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";

export interface ParsedFile {
  readonly path: string;
  readonly look?: CodeScan | undefined;
}

export function listNamedSpecs(id: string, files: readonly ParsedFile[]): string[] {
  const named = files.flatMap(({ look }) => (look ? findSpecTags(look).map(({ spec }) => spec) : []));
  return [id, ...new Set(named.filter((spec) => spec !== id).toSorted())];
}

/** A test that names a criterion in a tag inside or above it, or in its own name. */
export interface CriterionTest {
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

export function findCriteriaProblems({
  spec,
  criteria,
  cases,
  tried,
}: {
  readonly spec: string;
  readonly criteria: readonly string[];
  readonly cases: readonly CriterionTest[];
  readonly tried: readonly FinishedCheck[];
}): Problem[] {
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

interface SpecFileSearch {
  readonly spec: string;
  readonly stacks: readonly FolderStack[];
  readonly namesIn: TestNameReader;
  readonly seen: readonly ParsedFile[];
  readonly isEnough: (files: readonly ParsedFile[]) => boolean;
}

/** Bytes. Larger files are not written by hand. */
const MAX_SEARCHED_FILE_BYTES = 1_048_576;

/**
 * Searches the whole repository for tests that name the spec. The index suggests where to start. The author of the work
 * can write to the index, so each file is read again, and if too few match, all files are read.
 */
export async function findSpecFiles(engine: IndexEngine, naming: SpecFileSearch): Promise<ParsedFile[]> {
  const { stacks, seen, isEnough } = naming;
  const found = [...seen];
  const looked = new Set(seen.map(({ path }) => path));
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  for (const paths of [listIndexedPaths, listAllPaths]) {
    if (isEnough(found)) break;
    for (const path of await paths(engine, naming)) {
      throwIfCancelled(engine.progress);
      if (looked.has(path) || !isCode(path)) continue;
      const text = await engine.source.text(path, MAX_SEARCHED_FILE_BYTES);
      if (text === undefined || !canNameSpec(text, naming.spec)) continue;
      looked.add(path);
      const look = await engine.syntax.look(path, text);
      if (look) found.push({ path, look });
    }
  }
  return found;
}

async function listIndexedPaths(engine: IndexEngine, { spec, namesIn }: SpecFileSearch): Promise<string[]> {
  try {
    // A missing index is not worth a message during a gate.
    const { index } = await refreshCodeIndex({ ...engine, notice: () => undefined });
    const tagged = (await index.tags({ spec })).map(({ path }) => path);
    const named = (await index.tests()).filter(({ name }) => namesIn(name).some((said) => said.spec === spec));
    return [...new Set([...tagged, ...named.map(({ path }) => path)])];
  } catch (error) {
    if (error instanceof Fault && error.code !== "call.cancelled") return [];
    throw error;
  }
}

const listAllPaths = async ({ source }: IndexEngine): Promise<string[]> =>
  (await source.files()).map(({ path }) => path);

/** Any spelling that a tag or test name may use: `AUTH-001`, `auth_001`, `Auth001`. */
function canNameSpec(text: string, spec: string): boolean {
  const [prefix = "", number = ""] = spec.split("-");
  return new RegExp(`${prefix.split("").join("_?")}[-_]?${number}`, "i").test(text);
}
