import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestData, isTestFile } from "#code/model/scan/test-files.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { getPathName } from "#kernel/model/folder-path.ts";
import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult, TestRemoval } from "#planning/model/workflow/workflow-record.ts";
import type { TestVerdict } from "#planning/operations/change/carried-requirements.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import { describeLostTest } from "../../model/gate/gate-fixes.ts";
import { countCheckingWords, isRenamedOnly, readTestCode } from "../../model/gate/test-expectations.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import type { CheckingEngine } from "../engine.ts";
import { listImportWords } from "./hollow-tests.ts";
import { compareChangedTests, findRemovalReason } from "./kept-tests.ts";
import type { CheckRuling, TrustedChecks } from "./load-trusted-checks.ts";
import { findTestOutcomes, type FinishedCheck, hasPassedTest } from "./run-check.ts";
import { runTestsOnBase } from "./run-tests-on-base.ts";
import { type ChangedFile, splitAllowedFindings, type StaticFindings } from "./static-checks.ts";

const MOST_NAMED_FILES = 3;

interface ChangedTestsInput {
  readonly ruling: CheckRuling;
  readonly files: readonly ChangedFile[];
  readonly record: {
    /** Requirements that the work changes on purpose. */
    readonly modified?: readonly string[];
  };
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
async function judgeChangedTests(
  engine: CheckingEngine,
  { ruling: { rules, stacks }, files, record: { modified = [] }, work, removals, judgeTest }: ChangedTestsInput,
): Promise<StaticFindings> {
  const edited = files.filter(({ wasTest, oldText, text }) => wasTest && oldText !== undefined && oldText !== text);
  const support = await findTestSupport(engine, work, stacks);
  const isTestLand = (path: string): boolean => isTestFile(path, stacks) || isTestData(path) || support.includes(path);
  const data = [...work.files.flatMap(({ path, from }) => (from && isTestData(path) ? [path] : [])), ...support];
  const product = files.flatMap(({ path, isTest }) => (isTest ? [] : [path]));
  const isPatching = ({ isTest, text = "", oldText = "" }: ChangedFile): boolean =>
    isTest && canPatchCode(text, product) && !canPatchCode(oldText, product);
  const helpers = files.filter((each) => (each.oldText === undefined || !each.wasTest) && isPatching(each));
  const isWhole = data.length + helpers.length > 0 || edited.some(isPatching);
  if (!rules || edited.length + data.length + helpers.length === 0) return { problems: [], allowed: [] };
  const broken = await findBrokenTests(engine, { rules, work, edited, helpers, data, isWhole, isTestLand, judgeTest });
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
      (look) => look && findSpecTags(look).some(({ spec }) => modified.includes(spec)),
    );
    if (isRename || isSpecified) return [];
    const problem = `${file}: ${sanitizeText(name, 200)} expects something else now.`;
    return [{ file, problem, allowed: allowed ?? "Its new version fails without the change." }];
  });
  const named = new Set(found.map(({ file }) => file));
  const quiet = edited.filter(({ path }) => !named.has(path));
  return splitAllowedFindings([...found, ...findLostChecks(quiet, files, removals)]);
}

/** Edited tests count as kept tests do, once everything else holds. */
export async function addChangedTests(
  engine: CheckingEngine,
  input: ChangedTestsInput,
  results: GateCheckResult[],
): Promise<void> {
  const at = results.findIndex(({ check }) => check === "tests-kept");
  const kept = results[at];
  if (!kept || results.some(({ status }) => status === "failed")) return;
  const { problems, allowed } = await judgeChangedTests(engine, input);
  if (problems.length + allowed.length > 0)
    results[at] = createProblemResult(kept.check, problems, [...(kept.allowed ?? []), ...allowed]);
}

interface BrokenSearch extends Pick<ChangedTestsInput, "work" | "judgeTest"> {
  readonly rules: TrustedChecks;
  readonly edited: readonly ChangedFile[];
  /** New files among the tests that may change what other tests run. */
  readonly helpers: readonly ChangedFile[];
  readonly data: readonly string[];
  /** Whether the work may change what any test sees. */
  readonly isWhole: boolean;
  readonly isTestLand: (path: string) => boolean;
}

async function findBrokenTests(
  engine: CheckingEngine,
  { rules, work: { base, files }, edited, helpers, data, isWhole, isTestLand, judgeTest }: BrokenSearch,
): Promise<(BrokenTest & { readonly isWeakened: boolean })[]> {
  const paths = files.map(({ path }) => path);
  const earlier = new Set([
    ...data,
    ...helpers.map(({ path }) => path),
    ...edited.map(({ path, change }) => change.from ?? path),
  ]);
  const isAll = isWhole || edited.some(({ before }) => !before || findTestCases(before).length === 0);
  const all = isAll ? (await engine.source.files()).map(({ path }) => path).filter(isTestLand) : [];
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
/** Tests and files that check less than before. */
export function findLostChecks(
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
      countCheckingWords(readTestCode(whole, scan, WHOLE_FILE));
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
    calls.flatMap((call) => (call.line >= line && call.lastLine <= lastLine ? [call.text] : []));
  const known = new Set(list(before, old));
  return list(look, test).some((call) => !known.has(call));
}

/** With these a file of the tests can replace what they test, how they check it, or what the runner reports. */
const PATCHING =
  /\bprototype\b|__proto__|\b(?:globalThis|builtins|__builtins__|Object\.(?:assign|define\w*|setPrototypeOf))\b|\b(?:setattr|monkeypatch|sys\.(?:modules|path|argv|settrace|setprofile)|importlib|__import__|require\.cache|Module\._\w+|registerHooks?|module\.register)\b|\b(?:mock|spyOn|stub\w*|patch)\b|class_eval|instance_eval|define_method|alias_method|\bprocess\.(?:on|once|argv|exitCode|reallyExit|stdout\.write\s*=)|\batexit\b|\bat_exit\b|\bos\._exit\b/i;
const MEMBER_ASSIGNMENT = /(?<![\w$.])([A-Za-z_$][\w$]*)(?:\.[\w$]+|\[[^\]\n]+\])+\s*(?:[-+*|&?]{0,2}=)(?![=>])/g;
const BUILT_IN = /^(?:JSON|Math|Date|Object|Array|Number|String|Boolean|RegExp|Map|Set|Promise|Reflect|Error|fs)$/;
const FILE_WRITE =
  /\b(?:(?:write|append|copy|rename|move|truncate)(?:File)?(?:Sync|_text|_bytes)?|cp(?:Sync)?|(?:sym)?link(?:Sync)?|createWriteStream|os\.(?:replace|rename)|shutil|FileUtils|WriteFile|Files\.\w+)\s*[(.]/;
const TEMPORARY_FOLDER = /tmp|temp/i;

/** Whether a file assigns to what it imports, or replaces parts of a program in a different way. */
function canPatchCode(text: string, product: readonly string[]): boolean {
  const imported = new Set(listImportWords(text));
  const isNamed = (path: string): boolean => text.includes(path) || text.includes(getPathName(path));
  return (
    PATCHING.test(text) ||
    [...text.matchAll(MEMBER_ASSIGNMENT)].some(([, root = ""]) => imported.has(root) || BUILT_IN.test(root)) ||
    (FILE_WRITE.test(text) && (!TEMPORARY_FOLDER.test(text) || product.some(isNamed)))
  );
}

const SUPPORT_FOLDER =
  /(?:^|\/)(?:helpers?|support|testing|test[-_]?\w+|\w+[-_]test(?:ing|s|utils?)?|mocks?|fakes?|stubs?)\//i;

/** Edited files outside the tests that only tests import, such as their own assertions. */
async function findTestSupport(
  { source }: Pick<CheckingEngine, "source">,
  { files }: AttributedWork,
  stacks: CheckRuling["stacks"],
): Promise<string[]> {
  const edited = files.filter(({ path, from, to }) => from && to && from.blob !== to.blob && !isTestFile(path, stacks));
  const candidates: string[] = [];
  for (const { path } of edited) {
    const text = SUPPORT_FOLDER.test(path) ? "assert" : await source.text(path);
    if (text !== undefined && countCheckingWords(text) > 0) candidates.push(path);
  }
  if (candidates.length === 0) return [];
  const used = new Map(candidates.map((path) => [path, { byTests: false, byCode: false }]));
  const languages = new Set(candidates.map(getLanguageEnding));
  for (const { path } of await source.files()) {
    if (!languages.has(getLanguageEnding(path))) continue;
    const words = new Set(listImportWords((await source.text(path)) ?? ""));
    for (const [candidate, uses] of used) {
      if (candidate === path || !words.has(getPathName(candidate).replace(/\.[^.]*$/, ""))) continue;
      if (isTestFile(path, stacks)) uses.byTests = true;
      else uses.byCode = true;
    }
  }
  return [...used].flatMap(([path, { byTests, byCode }]) => (byTests && !byCode ? [path] : []));
}

const getLanguageEnding = (path: string): string =>
  /\.[cm]?[jt]sx?$/.test(path) ? "js" : (/\.\w+$/.exec(path)?.[0] ?? path);

const WHOLE_FILE = { line: 1, lastLine: Infinity };

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
