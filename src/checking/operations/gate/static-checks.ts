import { measureChangedCoverage } from "../../model/report/coverage-report.ts";
import type { LineCoverage } from "../../model/report/test-report.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { findCodeShortcuts } from "#code/model/scan/code-shortcuts.ts";
import { formatTagName, findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { findFileStack, isSourceFile, isTestFile, isTestLine, findTestSections } from "#code/model/scan/test-files.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import type { TraceLocation } from "#code/model/trace/trace-locations.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import { describeUntestedCriterion, findOrphanTags } from "#code/model/trace/trace-matrix.ts";
import type { TestNameReader } from "#code/model/trace/id-mentions.ts";
import type { GateAllowance, SpecTraceFiles } from "#planning/model/workflow/workflow-record.ts";
import type { CheckingEngine } from "../engine.ts";
import { splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { type DriftItem, isSeverityReached } from "#code/model/trace/code-drift.ts";
import { getAcceptancePath, TRACE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { listOpenChanges } from "#planning/operations/change/change-records.ts";
import type { SourceChange, SourceView } from "#git/operations/ports/git-files.ts";
import type { TracedCode } from "#code/operations/trace/find-drift.ts";
import { findDrift, readTracedCode, locateTaggedFiles, readFileSymbols } from "#code/operations/trace/find-drift.ts";
import type { TracedRequirement } from "#code/model/trace/requirement-text.ts";
import { loadAcceptances, parseAcceptanceFileName } from "#code/operations/trace/acceptance-records.ts";
import { findSpanForLine } from "#code/model/index/code-outline.ts";
import { Fault } from "#kernel/model/fault.ts";
import { refreshCodeIndex, type IndexEngine } from "#code/operations/index/refresh-index.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { hasPassedTest, type FinishedCheck } from "./run-check.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: SourceChange;
  readonly isTest: boolean;
  readonly wasTest: boolean;
  /** Whether the file exists but is too large or not text. */
  readonly isUnread: boolean;
  readonly text?: string | undefined;
  readonly oldText?: string | undefined;
  /** Undefined if the file is deleted or its code cannot be parsed. */
  readonly look?: CodeScan | undefined;
  readonly before?: CodeScan | undefined;
}

export type ParsedFile = Pick<ChangedFile, "path" | "look">;

/** The code of the work. `base` is a commit of the files without it; without one the result is undefined. */
export async function loadChangedCode(
  engine: Pick<CheckingEngine, "source" | "syntax">,
  base: string | undefined,
  stacks: readonly FolderStack[],
): Promise<readonly ChangedFile[] | undefined> {
  const all = base === undefined ? undefined : await engine.source.changes(base);
  if (base === undefined || !all) return undefined;
  const changes = all.filter(({ path, from = path }) => isCodeFile(path, stacks) || isCodeFile(from, stacks));
  const then = await engine.source.at(base);
  const old = await then?.read(changes.map(({ path, from = path }) => from));
  const found: ChangedFile[] = [];
  for (const change of changes) {
    const { path, status, from = path } = change;
    const text = status === "deleted" ? undefined : await engine.source.text(path);
    const stood = status === "added" ? undefined : old?.get(from);
    found.push({
      path,
      change,
      isTest: isTestFile(path, stacks),
      wasTest: isTestFile(from, stacks),
      isUnread: text === undefined && status !== "deleted",
      text,
      look: text === undefined ? undefined : await engine.syntax.look(path, text),
      oldText: stood?.kind === "text" ? stood.text : undefined,
      before: stood?.kind === "text" ? await engine.syntax.look(from, stood.text) : undefined,
    });
  }
  return found;
}

const isCodeFile = (path: string, stacks: readonly FolderStack[]): boolean =>
  isTestFile(path, stacks) || isSourceFile(path, stacks);

/** Changed code and changed tests must each tag the spec, and every tagged id must exist. */
export function findTagProblems(id: string, locations: readonly TraceLocation[], known: TraceableIds): Problem[] {
  const { code, tests } = listTracedFiles(id, locations);
  const problems: Problem[] = findOrphanTags(locations, known).map(({ problem }) => ({ problem }));
  if (code.length === 0)
    problems.push({ problem: `No comment in the changed code has @spec ${id}: tag the code that implements it.` });
  if (tests.length === 0)
    problems.push({ problem: `No comment in the changed tests has @spec ${id}: tag the tests of it.` });
  return problems;
}

export function listTracedFiles(id: string, locations: readonly TraceLocation[]): SpecTraceFiles {
  const own = locations.filter(({ spec }) => spec === id);
  const listPaths = (isWanted: boolean): string[] =>
    [...new Set(own.filter(({ isTest }) => isTest === isWanted).map(({ path }) => path))].toSorted();
  return { code: listPaths(false), tests: listPaths(true) };
}

export interface JudgedFinding extends Problem {
  readonly allowed?: string | undefined;
}

export interface StaticFindings {
  readonly problems: readonly Problem[];
  readonly allowed: readonly GateAllowance[];
}

export const splitAllowedFindings = (found: readonly JudgedFinding[]): StaticFindings => ({
  problems: found.filter(({ allowed }) => allowed === undefined),
  allowed: found.flatMap(({ problem, allowed: reason }) =>
    reason === undefined ? [] : [{ what: problem.replace(/\.$/, ""), reason: sanitizeText(reason, 300) }],
  ),
});

export function findShortcutProblems(files: readonly ChangedFile[], stacks: readonly FolderStack[]): StaticFindings {
  const found = files.flatMap(({ path, look, isTest, isUnread, change }): JudgedFinding[] => {
    if (isUnread && CODE_FILE_NAME.test(path))
      return [{ problem: `${path} cannot be checked: it is too large, or not UTF-8 text.` }];
    if (!look) return [];
    const changed = change.status === "added" ? undefined : new Set(change.added.map(({ number }) => number));
    const forbidsAny = findFileStack(path, stacks)?.profile.startsWith("typescript-") ?? false;
    return findCodeShortcuts(look, { isTest, forbidsAny, changed }).map(({ kind, line, text, allowed }) => ({
      problem: `${path}:${line}: ${sanitizeText(text, 80)} ${kind === "silenced" ? "turns a check off." : "is left in the code."}`,
      allowed,
    }));
  });
  return splitAllowedFindings(found);
}

/** Code by its file name, even if the bytes are not text. */
const CODE_FILE_NAME = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|swift|c|cc|cpp|h|hpp)$/;

export function findCoverageProblems(files: readonly ChangedFile[], coverage: LineCoverage, least: number): Problem[] {
  const code = files.filter(({ isTest, look }) => !isTest && look !== undefined);
  const changed = new Map(
    code.map(({ path, change, look }) => {
      const parts = look ? findTestSections(look) : [];
      const added = change.added.filter(({ number }) => !isTestLine(parts, number));
      return [path, new Map(added.map(({ number, text }) => [number, text]))];
    }),
  );
  const { percent, covered, coverable, uncovered } = measureChangedCoverage(coverage, changed);
  if (percent >= least) return [];
  return [
    { problem: `Tests run ${covered} of ${coverable} changed lines, ${percent} %; the minimum is ${least} %.` },
    ...uncovered.map(({ file, lines, isUnknown }) => ({
      problem: isUnknown ? `${file}: no test loads it.` : `${file}: no test runs ${formatLineRanges(lines)}.`,
    })),
  ];
}

/** `3, 5-7`. */
function formatLineRanges(lines: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const line of lines.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else runs.push([line, line]);
  }
  const shown = runs.slice(0, 20).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `line${lines.length === 1 ? "" : "s"} ${shown.join(", ")}${runs.length > 20 ? " and more" : ""}`;
}

/** Unless it is accepted again or the requirement changes too. Hashes come from the files, not from the index. */
export async function findDriftProblems(
  engine: CheckingEngine,
  id: string,
  base: string | undefined,
): Promise<Problem[] | "nothing accepted" | "no base"> {
  const isOthers = (each: TraceId): boolean => splitTraceId(each).spec !== id;
  const { found, damaged } = await engine.store.read(loadAcceptances);
  const before = base === undefined ? undefined : await engine.source.at(base);
  const torn = damaged.flatMap(({ id: of, path, why }) =>
    of !== undefined && isOthers(of) ? [{ of, path, why: why.replace(/\.$/, "") }] : [],
  );
  const there = new Set<TraceId>([...found.keys(), ...torn.map(({ of }) => of)]);
  const gone = (before?.paths ?? [])
    .filter((path) => path.startsWith(`${TRACE_FOLDER}/`))
    .flatMap((path) => parseAcceptanceFileName(path.slice(TRACE_FOLDER.length + 1)) ?? [])
    .filter((each) => isOthers(each) && !there.has(each));
  if (there.size + gone.length === 0) return "nothing accepted";
  if (!before || base === undefined) return "no base";
  const broken = [...torn, ...gone.map((each) => ({ path: getAcceptancePath(each), why: "It was removed" }))];
  const acceptances = new Map([...found].filter(([each]) => isOthers(each)));
  const changes = (await engine.source.changes(base)) ?? [];
  const touched = new Set(changes.flatMap(({ path, from }) => [path, ...(from === undefined ? [] : [from])]));
  const where = await locateTaggedFiles(engine, acceptances, true);
  const now = await readTracedCode(engine, [...where.paths((each) => acceptances.has(each)), ...touched], where.names);
  const { drifted, requirements } = await findDrift(engine, acceptances, now);
  const mine = await selectOwnDrift(engine, drifted, touched, before, now.names);
  const answered = await findChangedRequirements(engine, mine, requirements, before);
  return [
    ...broken.map(({ path, why }) => ({
      problem: `${path}: ${sanitizeText(why, 200)}. Go back: git checkout -- ${path}`,
    })),
    ...mine
      .filter((each) => !answered.has(each.id))
      .map(({ id: of, kind, was, is }) => {
        const symbol = is ?? was;
        const name = symbol && (symbol.ref === "" ? symbol.path : `${symbol.path}#${symbol.ref}`);
        const what = kind === "removed" ? "is gone" : "was changed";
        const fix = `\`tenon drift ${of}\` shows it. Accept it with a reason, or update ${of}.`;
        return { problem: `${sanitizeText(name ?? "", 160)} ${what}, and was accepted for ${of}: ${fix}` };
      }),
  ];
}

async function selectOwnDrift(
  engine: CheckingEngine,
  drifted: readonly DriftItem[],
  touched: ReadonlySet<string>,
  before: SourceView,
  names: TracedCode["names"],
): Promise<DriftItem[]> {
  const near = drifted.filter(
    ({ kind, severity, was, is }) =>
      (kind === "changed" || kind === "removed") &&
      isSeverityReached(severity, "medium") &&
      [was, is].some((symbol) => symbol !== undefined && touched.has(symbol.path)),
  );
  if (near.length === 0) return [];
  const stood = await before.read([...touched]);
  const texts = new Map([...stood].flatMap(([path, each]) => (each.kind === "text" ? [[path, each.text]] : [])));
  const seen = await readFileSymbols(engine, texts, names);
  const had = new Set(seen.map(({ id, hash }) => `${id} ${hash}`));
  return near.filter(({ id, kind, was, is }) =>
    kind === "removed" ? had.has(`${id} ${was?.hash}`) : !had.has(`${id} ${is?.hash}`),
  );
}

/** Requirements that this work changes, in their spec or by a delta of an open change. */
async function findChangedRequirements(
  engine: CheckingEngine,
  drifted: readonly DriftItem[],
  requirements: ReadonlyMap<TraceId, TracedRequirement>,
  before: SourceView,
): Promise<ReadonlySet<TraceId>> {
  const ids = [...new Set(drifted.map(({ id }) => id))];
  if (ids.length === 0) return new Set();
  const then = await engine.requirements.read(ids, before);
  const deltas = await engine.store.read((tree) => listOpenChanges(tree).flatMap((change) => change.deltas ?? []));
  const changed = ids.filter((id) => {
    const hash = requirements.get(id)?.spec_hash;
    return (hash !== undefined && hash !== then.get(id)?.spec_hash) || deltas.some((delta) => delta.id === id);
  });
  return new Set(changed);
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

export function findCriteriaProblems(
  spec: string,
  criteria: readonly string[],
  cases: readonly CriterionTest[],
  tried: readonly FinishedCheck[],
): Problem[] {
  const covered = new Set(listProvenCriteria(cases, tried));
  return criteria.flatMap((criterion): Problem[] => {
    const name = formatTagName({ spec, criterion });
    if (covered.has(name)) return [];
    const naming = cases.find((each) => each.criterion === name);
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

/** The author of the work can write to the index, so each file is read, and all files if too few match. */
export async function findSpecFiles(engine: IndexEngine, naming: SpecFileSearch): Promise<ParsedFile[]> {
  const { spec, stacks, seen, isEnough } = naming;
  const found = [...seen];
  const looked = new Set(seen.map(({ path }) => path));
  // Any spelling that a tag or test name may use: `AUTH-001`, `auth_001`, `Auth001`.
  const [prefix = "", number = ""] = spec.split("-");
  const spelling = new RegExp(`${prefix.split("").join("_?")}[-_]?${number}`, "i");
  const listAllPaths = async (): Promise<string[]> => (await engine.source.files()).map(({ path }) => path);
  for (const listPaths of [() => listIndexedPaths(engine, naming), listAllPaths]) {
    if (isEnough(found)) break;
    for (const path of await listPaths()) {
      throwIfCancelled(engine.progress);
      if (looked.has(path) || !isCodeFile(path, stacks)) continue;
      const text = await engine.source.text(path, MAX_SEARCHED_FILE_BYTES);
      if (text === undefined || !spelling.test(text)) continue;
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
