import { measureChangedCoverage } from "../../model/report/coverage-report.ts";
import type { LineCoverage } from "../../model/report/test-report.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { findCodeShortcuts } from "#code/model/scan/code-shortcuts.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findLostTests, findTestCases } from "#code/model/scan/test-cases.ts";
import { findFileStack, isSourceFile, isTestFile, isTestLine, findTestSections } from "#code/model/scan/test-files.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findLockConflicts, isPathLocked } from "#planning/model/workflow/file-locks.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import { collectTraceLocations } from "#code/model/trace/trace-locations.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import { findOrphanTags } from "#code/model/trace/trace-matrix.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CheckingEngine } from "../engine.ts";
import { splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { type DriftItem, isSeverityReached } from "#code/model/trace/code-drift.ts";
import { getAcceptancePath, TRACE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { listOpenChanges } from "#planning/operations/change/change-records.ts";
import type { SourceChange, SourceView } from "#git/operations/ports/git-files.ts";
import {
  findDrift,
  readTracedCode,
  type TracedCode,
  readSymbolsByFile,
  locateTaggedFilesQuietly,
} from "#code/operations/trace/find-drift.ts";
import type { TracedRequirement } from "#code/model/trace/requirement-text.ts";
import { loadAcceptances, parseAcceptanceFileName } from "#code/operations/trace/acceptance-records.ts";

export interface ChangedFile {
  readonly path: string;
  readonly change: SourceChange;
  readonly isTest: boolean;
  readonly wasTest: boolean;
  /** Whether only another workflow holds it: this work is not responsible for it. */
  readonly isOthers: boolean;
  /** Whether the file exists but is too large or not text. */
  readonly isUnread: boolean;
  readonly text?: string | undefined;
  /** Undefined if the file is deleted or its code cannot be parsed. */
  readonly look?: CodeScan | undefined;
  readonly before?: CodeScan | undefined;
}

/** Undefined if there is no commit to compare with. */
export async function loadChangedCode(
  engine: Pick<CheckingEngine, "source" | "syntax" | "store">,
  { id, base_commit: base }: Pick<WorkflowRecord, "id" | "base_commit">,
  stacks: readonly FolderStack[],
): Promise<readonly ChangedFile[] | undefined> {
  const all = base === undefined ? undefined : await engine.source.changes(base);
  if (base === undefined || !all) return undefined;
  const isOthers = await createForeignLockPredicate(engine, id);
  const isCode = (path: string): boolean => isTestFile(path, stacks) || isSourceFile(path, stacks);
  const changes = all.filter(({ path, from = path }) => isCode(path) || isCode(from));
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
      isOthers: isOthers(path),
      isUnread: text === undefined && status !== "deleted",
      text,
      look: text === undefined ? undefined : await engine.syntax.look(path, text),
      before: stood?.kind === "text" ? await engine.syntax.look(from, stood.text) : undefined,
    });
  }
  return found;
}

async function createForeignLockPredicate(
  engine: Pick<CheckingEngine, "store">,
  id: string,
): Promise<(path: string) => boolean> {
  const { locks } = await engine.store.read(loadWorkRuntime);
  const own = locks.filter(({ workflow }) => workflow === id);
  return (path) => findLockConflicts([path], id, locks).length > 0 && !own.some((lock) => isPathLocked(lock, path));
}

/** Changed code and changed tests must each tag the spec, and every tagged id must exist. */
export function findTagProblems(id: string, files: readonly ChangedFile[], known: TraceableIds): Problem[] {
  const namesIn = createTestNameReader(known.ids.keys());
  const carriers = files.flatMap(({ path, look, isTest }) => {
    if (!look) return [];
    const parts = findTestSections(look);
    const tags = findSpecTags(look).map((tag) => ({ ...tag, path, isTest: isTest || isTestLine(parts, tag.line) }));
    return collectTraceLocations({ tags, tests: findTestCases(look).map((each) => ({ ...each, path })) }, namesIn);
  });
  const tagged = carriers.filter(({ spec }) => spec === id);
  const problems: Problem[] = findOrphanTags(carriers, known).map(({ problem }) => ({ problem }));
  if (!tagged.some(({ isTest }) => !isTest))
    problems.push({ problem: `No comment in the changed code says @spec ${id}: tag what implements it.` });
  if (!tagged.some(({ isTest }) => isTest))
    problems.push({ problem: `No comment in the changed tests says @spec ${id}: tag what tests it.` });
  return problems;
}

export function findShortcutProblems(files: readonly ChangedFile[], stacks: readonly FolderStack[]): Problem[] {
  return files.flatMap(({ path, look, isTest, isUnread, change }) => {
    if (isUnread && CODE_FILE_NAME.test(path))
      return [{ problem: `${path} cannot be looked at: it is too large, or no UTF-8 text.` }];
    if (!look) return [];
    const changed = change.status === "added" ? undefined : new Set(change.added.map(({ number }) => number));
    const forbidsAny = findFileStack(path, stacks)?.profile.startsWith("typescript-") ?? false;
    return findCodeShortcuts(look, { isTest, forbidsAny, changed }).map(({ kind, line, text }) => ({
      problem: `${path}:${line}: ${sanitizeText(text, 80)} ${kind === "silenced" ? SILENCED_CHECK : "is left in the code."}`,
    }));
  });
}

/** Code by its file name, even if the bytes are not text. */
const CODE_FILE_NAME = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|swift|c|cc|cpp|h|hpp)$/;

const SILENCED_CHECK = "keeps a check from looking: take it away, or say why beside it (tenon-allow: and the reason).";

const LOST_TEST_REASONS = {
  removed: "is gone",
  skipped: "is skipped now",
  only: "keeps the other tests from being run",
  "expected-to-fail": "is expected to fail now",
} as const;

export function findLostTestProblems(files: readonly ChangedFile[]): Problem[] {
  const lost = findLostTests(
    files.flatMap(({ path, change, before, wasTest }) =>
      wasTest || hasTestParts(before) ? [{ path: change.from ?? path, look: before }] : [],
    ),
    files.flatMap(({ path, look, isTest }) => (isTest || hasTestParts(look) ? [{ path, look }] : [])),
  );
  return lost.map(({ path, name, how }) => ({
    problem: `${path}: ${sanitizeText(name, 200)} ${LOST_TEST_REASONS[how]}.`,
  }));
}

const hasTestParts = (look: ChangedFile["look"]): boolean => look !== undefined && findTestSections(look).length > 0;

export function findCoverageProblems(files: readonly ChangedFile[], coverage: LineCoverage, least: number): Problem[] {
  const code = files.filter(({ isTest, look }) => !isTest && look !== undefined);
  const changed = new Map(code.map((file) => [file.path, listAddedCodeLines(file)]));
  const { percent, covered, coverable, uncovered } = measureChangedCoverage(coverage, changed);
  if (percent >= least) return [];
  return [
    { problem: `Tests run ${covered} of ${coverable} changed lines, ${percent} %, and ${least} % is the least.` },
    ...uncovered.map(({ file, lines, isUnknown }) => ({
      problem: isUnknown ? `${file}: no test loads it.` : `${file}: no test runs ${formatLineRanges(lines)}.`,
    })),
  ];
}

function listAddedCodeLines({ change, look }: ChangedFile): ReadonlyMap<number, string> {
  const parts = look ? findTestSections(look) : [];
  return new Map(
    change.added.filter(({ number }) => !isTestLine(parts, number)).map(({ number, text }) => [number, text]),
  );
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

/** Each document that the spec names must change with the work or name the spec. */
export async function findDocumentationProblems(
  engine: Pick<CheckingEngine, "source">,
  { id, base_commit: base }: Pick<WorkflowRecord, "id" | "base_commit">,
  docs: readonly string[],
): Promise<Problem[]> {
  const changes = base === undefined ? undefined : await engine.source.changes(base);
  const touched = new Set(changes?.map(({ path }) => path));
  const problems: Problem[] = [];
  for (const doc of docs) {
    const path = doc.replace(/[:#].*$/, "");
    const text = await engine.source.text(path);
    if (text === undefined)
      problems.push({ problem: `trace.docs names ${sanitizeText(path, 120)}, which is not there.` });
    else if (!touched.has(path) && !new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(text))
      problems.push({ problem: `${path} was not changed with the work, and does not name ${id}.` });
  }
  return problems;
}

/**
 * Code accepted for requirements of other specs must not change unless it is accepted again or the requirement changes
 * too. The index only suggests where to search; every hash is computed from the current files.
 */
export async function findDriftProblems(
  engine: CheckingEngine,
  { id, base_commit: base }: Pick<WorkflowRecord, "id" | "base_commit">,
): Promise<Problem[] | "nothing accepted" | "no base"> {
  const isOthers = (each: TraceId): boolean => splitTraceId(each).spec !== id;
  const { found, damaged } = await engine.store.read(loadAcceptances);
  const before = base === undefined ? undefined : await engine.source.at(base);
  const torn = damaged.flatMap(({ id: of, path, why }) =>
    of !== undefined && isOthers(of) ? [{ of, path, why: why.replace(/\.$/, "") }] : [],
  );
  const there = new Set<TraceId>([...found.keys(), ...torn.map(({ of }) => of)]);
  const gone = listAcceptedIds(before).filter((each) => isOthers(each) && !there.has(each));
  if (there.size + gone.length === 0) return "nothing accepted";
  if (!before || base === undefined) return "no base";
  const broken = [...torn, ...gone.map((each) => ({ path: getAcceptancePath(each), why: "It is gone" }))];
  const acceptances = new Map([...found].filter(([each]) => isOthers(each)));
  const changes = (await engine.source.changes(base)) ?? [];
  const isHeld = await createForeignLockPredicate(engine, id);
  const own = changes.filter(({ path }) => !isHeld(path));
  const touched = new Set(own.flatMap(({ path, from }) => [path, ...(from === undefined ? [] : [from])]));
  const where = await locateTaggedFilesQuietly(engine, acceptances);
  const now = await readTracedCode(engine, [...where.paths((each) => acceptances.has(each)), ...touched], where.names);
  const { drifted, requirements } = await findDrift(engine, acceptances, now);
  const mine = await selectOwnDrift(engine, drifted, { touched, before, names: now.names });
  const answered = await findChangedRequirements(engine, mine, requirements, before);
  return [
    ...broken.map(({ path, why }) => ({
      problem: `${path}: ${sanitizeText(why, 200)}. Go back: git checkout -- ${path}`,
    })),
    ...mine.filter(({ id: of }) => !answered.has(of)).map(formatDriftProblem),
  ];
}

const listAcceptedIds = (sight: SourceView | undefined): TraceId[] =>
  (sight?.paths ?? [])
    .filter((path) => path.startsWith(`${TRACE_FOLDER}/`))
    .flatMap((path) => parseAcceptanceFileName(path.slice(TRACE_FOLDER.length + 1)) ?? []);

interface DriftScope {
  readonly touched: ReadonlySet<string>;
  readonly before: SourceView;
  readonly names: TracedCode["names"];
}

async function selectOwnDrift(
  engine: CheckingEngine,
  drifted: readonly DriftItem[],
  { touched, before, names }: DriftScope,
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
  const seen = [...(await readSymbolsByFile(engine, texts, names)).values()].flat();
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
  const isSaidAnew = (id: TraceId): boolean => {
    const hash = requirements.get(id)?.spec_hash;
    return (hash !== undefined && hash !== then.get(id)?.spec_hash) || deltas.some((delta) => delta.id === id);
  };
  return new Set(ids.filter(isSaidAnew));
}

function formatDriftProblem({ id, kind, was, is }: DriftItem): Problem {
  const symbol = is ?? was;
  const name = symbol && (symbol.ref === "" ? symbol.path : `${symbol.path}#${symbol.ref}`);
  const what = kind === "removed" ? "is gone" : "was changed";
  return {
    problem: `${sanitizeText(name ?? "", 160)} ${what}, and was accepted for ${id}: tenon drift ${id} shows it. Accept it with a reason, or say ${id} anew.`,
  };
}
