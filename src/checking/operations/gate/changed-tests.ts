import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestData, isTestFile } from "#code/model/scan/test-files.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { TestRemoval } from "#planning/model/workflow/workflow-record.ts";
import type { TestVerdict } from "#planning/operations/change/carried-requirements.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { describeLostTest } from "../../model/gate/gate-fixes.ts";
import { countCheckingWords, isRenamedOnly, readTestCode } from "../../model/gate/test-expectations.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import type { CheckingEngine } from "../engine.ts";
import { listImportWords } from "../gate/hollow-tests.ts";
import { compareChangedTests, findRemovalReason } from "../gate/kept-tests.ts";
import { loadCheckRuling, type TrustedChecks } from "../gate/load-trusted-checks.ts";
import { findTestOutcomes, type FinishedCheck, hasPassedTest, runExclusively } from "../gate/run-check.ts";
import { runTestsOnBase } from "../gate/run-tests-on-base.ts";
import { type ChangedFile, loadChangedCode, splitAllowedFindings, type StaticFindings } from "../gate/static-checks.ts";

const MOST_NAMED_FILES = 3;

interface ChangedTestsInput {
  readonly record: Pick<ChangeRecord, "base_commit" | "deltas">;
  readonly work: AttributedWork;
  readonly removals: readonly TestRemoval[];
  readonly judgeTest: TestVerdict;
}

/** A test that passes now and fails in its earlier version. `file` is its current path. */
interface BrokenTest {
  readonly file: string;
  readonly from: string;
  readonly name: string;
  readonly reason: string;
}

/**
 * Runs their earlier version on the new code. If it fails, the edited test has to fail without the change. A new file
 * among the tests must not make a failing test pass either.
 */
export async function judgeChangedTests(
  engine: CheckingEngine,
  { record, work, removals, judgeTest }: ChangedTestsInput,
): Promise<StaticFindings> {
  const { rules, stacks } = await loadCheckRuling(engine, record.base_commit);
  const files = (await loadChangedCode(engine, work.base, stacks)) ?? [];
  const edited = files.filter(({ wasTest, oldText, text }) => wasTest && oldText !== undefined && oldText !== text);
  const isTestLand = (path: string): boolean => isTestFile(path, stacks) || isTestData(path);
  const data = work.files.flatMap(({ path, from }) => (from && isTestData(path) ? [path] : []));
  const helpers = files.filter(({ isTest, wasTest, oldText, text = "" }) => {
    const isNew = oldText === undefined || !wasTest;
    return isTest && isNew && canPatchCode(text);
  });
  if (!rules || edited.length + data.length + helpers.length === 0) return { problems: [], allowed: [] };
  const broken = await runExclusively(engine, () =>
    findBrokenTests(engine, { rules, work, edited, helpers, data, isTestLand, judgeTest }),
  );
  const modified = new Set((record.deltas ?? []).flatMap(({ op, id }) => (op === "modified" ? [id] : [])));
  const found = broken.flatMap(({ isWeakened, ...test }) => {
    const { file, from, name, reason } = test;
    const source = files.find(({ path }) => path === file);
    const allowed = findRemovalReason({ file, name }, removals) ?? findCommentReason(source, name);
    const isUntouched = data.length === 0 && edited.every(({ path }) => path !== file);
    if (isUntouched && helpers.length > 0) return [describePatch(test, helpers)];
    if (isWeakened) return [{ file, problem: describeLostTest(file, name, "weakened"), allowed }];
    const [before, after] = [source?.oldText, source?.text];
    const isRename =
      reason !== "assertion" &&
      before !== undefined &&
      after !== undefined &&
      isRenamedOnly({ path: from, text: before }, { path: file, text: after }, isTestLand);
    const isSpecified = [source?.look, source?.before].some(
      (look) => look && findSpecTags(look).some(({ spec }) => modified.has(spec)),
    );
    if (isRename || isSpecified) return [];
    const problem = `${file}: ${sanitizeText(name, 200)} expects something else now.`;
    return [{ file, problem, allowed: allowed ?? "Its new version fails without the change." }];
  });
  const named = new Set(found.map(({ file }) => file));
  const quiet = edited.filter(({ path }) => !named.has(path));
  return splitAllowedFindings([...found, ...findLostChecks(quiet, files, removals)]);
}

interface BrokenSearch extends Pick<ChangedTestsInput, "work" | "judgeTest"> {
  readonly rules: TrustedChecks;
  readonly edited: readonly ChangedFile[];
  /** New files among the tests that may change what other tests run. */
  readonly helpers: readonly ChangedFile[];
  readonly data: readonly string[];
  readonly isTestLand: (path: string) => boolean;
}

async function findBrokenTests(
  engine: CheckingEngine,
  { rules, work: { base, files }, edited, helpers, data, isTestLand, judgeTest }: BrokenSearch,
): Promise<(BrokenTest & { readonly isWeakened: boolean })[]> {
  const paths = files.map(({ path }) => path);
  const earlier = new Set([
    ...data,
    ...helpers.map(({ path }) => path),
    ...edited.map(({ path, change }) => change.from ?? path),
  ]);
  const isWhole =
    data.length + helpers.length > 0 || edited.some(({ before }) => !before || findTestCases(before).length === 0);
  const all = isWhole ? (await engine.source.files()).map(({ path }) => path).filter(isTestLand) : [];
  const run = (over: readonly string[], chosen: Iterable<string>, note: string) => {
    const tests = [...new Set(chosen)].map((file) => ({ file, name: "" }));
    const used = rules.definitions.stacks;
    return runTestsOnBase(engine, { base, rules, used, over, tests }, "tests-kept", note);
  };
  const old = await run(
    paths.filter((path) => !earlier.has(path)),
    [...all, ...edited.map(({ path, change }) => change.from ?? path)],
    "with the tests as they were",
  );
  const failed = listFailedTests(old, edited).filter(({ file, name }) => judgeTest({ file, name }) === true);
  if (failed.length === 0) return [];
  // A test that failed before too, or only in a checkout, proves nothing about the change.
  const before = await run(
    [],
    failed.map(({ from }) => from),
    "without the work",
  );
  const broken = failed.filter(({ from, name }) => hasPassedTest(before, { file: from, name }));
  if (broken.length === 0) return [];
  const now = await run(
    paths.filter(isTestLand),
    broken.map(({ file }) => file),
    "with the changed tests, without the work",
  );
  return broken.map((test) => ({ ...test, isWeakened: hasPassedTest(now, test) }));
}

/** Tests of edited files by their source, and any others by the report. A file that does not load fails each of its tests. */
function listFailedTests(runs: readonly FinishedCheck[], edited: readonly ChangedFile[]): BrokenTest[] {
  return runs.flatMap((run) => {
    const format = run.check.report?.format;
    if (!run.report || !format) return [];
    const known = edited.flatMap(({ path: file, change, before }) => {
      const from = change.from ?? file;
      const unloaded = run.report?.failures.find((each) => canReportFile(format, each.file, from));
      return (before ? findTestCases(before) : []).flatMap(({ name }): BrokenTest[] => {
        const failure = findTestOutcomes(run, name, [from]).find(({ status }) => status === "failed") ?? unloaded;
        return failure ? [{ file, from, name, reason: classifyTestFailure(format, failure).reason }] : [];
      });
    });
    const others = run.report.tests.flatMap((each): BrokenTest[] => {
      const isKnown = edited.some(({ path, change }) => canReportFile(format, each.file, change.from ?? path));
      if (each.status !== "failed" || isKnown) return [];
      return [{ ...each, from: each.file, reason: classifyTestFailure(format, each).reason }];
    });
    return [...known, ...others];
  });
}

/** Edited tests that assert nothing any more, and files that assert less. Their earlier version passes too. */
function findLostChecks(
  edited: readonly ChangedFile[],
  files: readonly ChangedFile[],
  removals: readonly TestRemoval[],
) {
  const { lost } = compareChangedTests(files);
  return edited.flatMap(({ path, change, look, before, text = "", oldText = "" }) => {
    if (!look || !before || lost.some((each) => each.path === (change.from ?? path))) return [];
    const now = findTestCases(look);
    const emptied = findTestCases(before).flatMap((old) => {
      const test = now.find(({ name }) => name === old.name);
      if (!test || countCheckingWords(readTestCode(oldText, before, old)) === 0) return [];
      const code = readTestCode(text, look, test);
      if (countCheckingWords(code) > 0 || hasNewCall(look, test, before, old)) return [];
      const allowed = findRemovalReason({ file: path, name: test.name }, removals);
      return [{ file: path, problem: describeLostTest(path, test.name, "emptied"), allowed }];
    });
    const count = (scan: typeof look, whole: string): number =>
      countCheckingWords(readTestCode(whole, scan, { line: 1, lastLine: Infinity }));
    const gained = files
      .filter((each) => each.isTest && each.path !== path)
      .map((each) => {
        const was = each.before ? count(each.before, each.oldText ?? "") : 0;
        return Math.max(0, (each.look ? count(each.look, each.text ?? "") : 0) - was);
      })
      .reduce((sum, more) => sum + more, 0);
    const isLess = emptied.length === 0 && count(look, text) + gained < count(before, oldText);
    const less = {
      file: path,
      problem: `${path} has fewer assertions than before.`,
      allowed: "Its tests pass as they were, too.",
    };
    return [...emptied, ...(isLess ? [less] : [])];
  });
}

type TestLook = NonNullable<ChangedFile["look"]>;
type TestSpan = ReturnType<typeof findTestCases>[number];

/** The assertions may have moved into a helper. */
function hasNewCall(look: TestLook, test: TestSpan, before: TestLook, old: TestSpan): boolean {
  const list = ({ calls }: TestLook, { line, lastLine }: TestSpan): string[] =>
    calls.flatMap((call) => (call.line > line && call.lastLine <= lastLine ? [call.text] : []));
  const known = new Set(list(before, old));
  return list(look, test).some((call) => !known.has(call));
}

/** With these a file of the tests can replace what they test, or how they check it. */
const PATCHING =
  /\bprototype\b|__proto__|\b(?:globalThis|builtins|__builtins__|Object\.(?:assign|define\w*|setPrototypeOf))\b|\b(?:setattr|monkeypatch|sys\.modules|sys\.path|importlib|__import__|require\.cache|Module\._\w+|registerHooks?|module\.register)\b|\b(?:mock|spyOn|stub\w*|patch)\b|class_eval|instance_eval|define_method|alias_method/i;
const MEMBER_ASSIGNMENT = /(?<![\w$.])([A-Za-z_$][\w$]*)(?:\.[\w$]+|\[[^\]\n]+\])+\s*(?:[-+*|&?]{0,2}=)(?![=>])/g;

/** Whether a file assigns to what it imports, or replaces parts of a program in a different way. */
function canPatchCode(text: string): boolean {
  const imported = new Set(listImportWords(text));
  return PATCHING.test(text) || [...text.matchAll(MEMBER_ASSIGNMENT)].some(([, root = ""]) => imported.has(root));
}

/** A test that nobody edited, and that passes only with new files among the tests. */
function describePatch({ file, name }: BrokenTest, helpers: readonly ChangedFile[]) {
  const named = formatShortList(
    helpers.map(({ path }) => path),
    MOST_NAMED_FILES,
  );
  const problem = `${file}: ${sanitizeText(name, 200)} passes only with ${named}: without it, your code fails that test. Fix the code. If the tests need that file, write why in it: "tenon-allow: <reason>".`;
  const reasons = helpers.flatMap(({ look }) => (look?.comments ?? []).map(({ text }) => readAllowanceReason(text)));
  return { file, problem, allowed: reasons.find((reason) => reason !== undefined) };
}

const findCommentReason = (file: ChangedFile | undefined, wanted: string): string | undefined => {
  const test = file?.look && findTestCases(file.look).find(({ name }) => name === wanted);
  return file?.look?.comments
    .filter(({ line, lastLine }) => test && line >= test.line - 1 && lastLine <= test.lastLine)
    .map(({ text }) => readAllowanceReason(text))
    .find((reason) => reason !== undefined);
};
