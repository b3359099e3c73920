import { measureChangedCoverage } from "#domain/report/changed-coverage.ts";
import type { LineCoverage } from "#domain/report/coverage.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { findCodeShortcuts } from "#domain/scan/shortcuts.ts";
import { findSpecTags } from "#domain/scan/tags.ts";
import { findLostTests, findTestCases } from "#domain/scan/test-cases.ts";
import { findFileStack, isTestLine, findTestSections } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import { collectTraceLocations } from "#domain/trace/carrier.ts";
import type { TraceableIds } from "#domain/trace/known.ts";
import { findOrphanTags } from "#domain/trace/problems.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import type { Engine } from "../../engine.ts";
import type { ChangedFile } from "./changed.ts";

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
  return files.flatMap(({ path, look, isTest, isUnread, lines, change }) => {
    if (isUnread && CODE_FILE_NAME.test(path))
      return [{ problem: `${path} cannot be looked at: it is too large, or no UTF-8 text.` }];
    if (!look) return [];
    const changed = change.status === "added" ? undefined : lines;
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
  engine: Pick<Engine, "source">,
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
