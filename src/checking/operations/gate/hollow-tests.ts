import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { findTestCases, type TestComparison } from "#code/model/scan/test-cases.ts";
import { findFileStack, isSourceFile } from "#code/model/scan/test-files.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { GateAllowance, GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import type { LedgerSpace } from "#store/operations/ports/store.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import { type FailedNewTest, isSameTest } from "../../model/gate/test-evidence.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import { hasCheckingWord } from "../../model/mutation/checking-words.ts";
import { BREAKING_ROUNDS, FLIPPING_ROUNDS, SINGLE_ROUNDS } from "../../model/mutation/mutation-check.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import { type FolderStack, findTestCheck, listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import { type BreakableCode, breakCode, listWorkCode } from "./broken-code.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { type FinishedCheck, findTestOutcomes, hasPassedTest, runCheck } from "./run-check.ts";
import { findNewTests } from "./new-tests.ts";
import type { ChangedFile, CriterionTest } from "./static-checks.ts";

interface JudgedTest {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly why: "new" | "edited" | "criterion";
  readonly criteria: readonly string[];
  readonly isChecking: boolean;
  readonly allowed?: string | undefined;
  /** A test of a quality, such as a time limit, may pass with wrong results. */
  readonly isQuality: boolean;
}

/** `noticed`: it failed on a checked result. `crashed`: it failed otherwise. `missing`: its file did not load. */
type Notice = "noticed" | "crashed" | "survived" | "missing";

export interface HollowTestRequest {
  readonly spec: string;
  readonly rules: TrustedChecks;
  readonly files: readonly ChangedFile[];
  readonly comparison: TestComparison;
  readonly cases: readonly CriterionTest[];
  readonly tried: readonly FinishedCheck[];
  /** Whether a requirement of this id exists. */
  readonly isKnown: (id: string) => boolean;
  /** New tests that failed without the work. */
  readonly red: readonly FailedNewTest[];
}

interface HollowVerdict {
  readonly result: GateCheckResult;
  readonly receipt: CheckReceipt;
  /** Whether an earlier run on the same code and tests counts in place of this one. */
  readonly isReused?: boolean;
}

const VERDICT_SPACE: LedgerSpace<HollowVerdict & { readonly at: string }> = { name: "broken-code-runs" };
const MOST_VERDICTS = 20;
const LEAST_LIMIT_S = 10;
const LIMIT_FACTOR = 3;
/** Less than this nobody notices, however fast the project's own tests are. */
const LEAST_BUDGET_MS = 10_000;
const CHECK = "mutation-check";

/** A test that passes with broken code checks nothing. Undefined if the work has no such test or no code. */
export async function checkTestsNoticeBrokenCode(
  engine: CheckingEngine,
  request: HollowTestRequest,
): Promise<HollowVerdict | undefined> {
  const tests = listJudgedTests(request);
  const code = listWorkCode(request);
  if (tests.length === 0 || (code.length === 0 && tests.every(({ why }) => why !== "edited"))) return undefined;
  const key = createVerdictKey(engine, request, tests);
  const known = await engine.store.read((tree) => tree.kept(VERDICT_SPACE).get(key));
  if (known) return { result: known.result, receipt: known.receipt, isReused: true };
  const verdict = await new BrokenCodeRun(engine, request, tests).judge(code);
  await engine.store.write((tree) => {
    const old = [...tree.kept(VERDICT_SPACE)].toSorted(([, one], [, other]) => (one.at < other.at ? -1 : 1));
    const dropped = old.slice(0, Math.max(0, old.length + 1 - MOST_VERDICTS));
    const space = VERDICT_SPACE.name;
    return {
      steps: [],
      occurrences: [{ kind: "gate.broken-code", subject: request.spec }],
      keeps: [
        { space, key, value: { ...verdict, at: engine.clock.now() } },
        ...dropped.map(([each]) => ({ space, key: each, value: undefined })),
      ],
      result: undefined,
    };
  });
  return verdict;
}

/** Documents may change without a new run. */
const createVerdictKey = (
  { digest }: CheckingEngine,
  { rules, files, red }: HollowTestRequest,
  tests: readonly JudgedTest[],
): string =>
  digest(JSON.stringify([rules.hash, tests, red, files.map(({ path, text, oldText }) => [path, text, oldText])]));

/** Runs with broken code in one temporary checkout, and what came of each test. */
class BrokenCodeRun {
  readonly #engine: CheckingEngine;
  readonly #request: HollowTestRequest;
  readonly #tests: readonly JudgedTest[];
  readonly #found = new Map<JudgedTest, Notice[]>();
  /** Tests that fail for another value, and not only for another type. */
  readonly #valued = new Set<JudgedTest>();
  readonly #budgetMs: number;
  #ms = 0;
  #longestMs = 0;
  #runs = 0;
  #isOverBudget = false;

  constructor(engine: CheckingEngine, request: HollowTestRequest, tests: readonly JudgedTest[]) {
    this.#engine = engine;
    this.#request = request;
    this.#tests = tests;
    const suites = request.tried.filter(({ report }) => report).map(({ receipt }) => receipt.ms ?? 0);
    for (const { file, name, why } of request.red)
      for (const one of why === "assertion" ? tests : []) if (isSameTest(one, { file, name })) this.#valued.add(one);
    this.#budgetMs = Math.max(LEAST_BUDGET_MS, ...suites);
  }

  async judge(code: readonly BreakableCode[]): Promise<HollowVerdict> {
    const { rules, files } = this.#request;
    const own = listWorkCode(this.#request, true);
    const { stacks } = rules.definitions;
    const commit = await this.#engine.snapshots.tree();
    await using lent = await this.#engine.worktrees.lend({ commit, over: [], linked: listBorrowedFolders(stacks) });
    const misplaced = lent.leaks.length > 0 ? [] : await this.#findMisplacedTests(lent.root);
    let flips = 0;
    for (const [round, kinds] of BREAKING_ROUNDS.entries()) {
      const open = this.#listOpen();
      if (open.length === 0 || !this.#hasBudget()) break;
      const isFlip = round < FLIPPING_ROUNDS;
      const broken = lent.leaks.length > 0 ? [] : await breakCode(this.#engine, lent, isFlip ? own : code, kinds);
      if (broken.length > 0) await this.#run(lent.root, open);
      if (broken.length > 0 && isFlip) flips++;
    }
    await this.#flipSingleKinds(lent, code);
    for (const { path } of code) await lent.put(path, (await this.#engine.source.text(path)) ?? "");
    const forgotten: JudgedTest[] = [];
    const edited = this.#listOpen().filter(({ why }) => why === "edited");
    if (edited.length > 0 && this.#hasBudget()) {
      const imported = await this.#listImportedCode(edited);
      if ((await breakCode(this.#engine, lent, imported, BREAKING_ROUNDS.flat())).length > 0) {
        await this.#run(lent.root, edited);
        const silent = edited.filter((each) => this.#last(each) === "survived");
        for (const { path, isTest, oldText } of silent.length > 0 ? files : [])
          if (isTest && oldText !== undefined) await lent.put(path, oldText);
        if (silent.length > 0 && this.#hasBudget()) await this.#run(lent.root, silent);
        forgotten.push(...silent.filter((each) => /noticed|crashed/.test(this.#last(each) ?? "")));
      }
    }
    return this.#createVerdict(flips, forgotten, misplaced);
  }

  /** All runs together may take as long as the project's own tests. The first one with broken code always may. */
  #hasBudget(): boolean {
    this.#isOverBudget ||= this.#found.size > 0 && this.#ms + this.#longestMs > this.#budgetMs;
    return !this.#isOverBudget;
  }

  async #flipSingleKinds(lent: TemporaryCheckout, code: readonly BreakableCode[]): Promise<void> {
    for (const { kinds, only } of lent.leaks.length > 0 ? [] : SINGLE_ROUNDS) {
      const fresh = this.#tests.filter(({ why }) => why === "new");
      const isWeak = fresh.every((test) => this.#found.get(test)?.[0] === "survived" && !this.#valued.has(test));
      const open = [...new Set([...this.#listOpen(), ...(isWeak ? fresh : [])])];
      if (open.length === 0 || !this.#hasBudget()) return;
      if ((await breakCode(this.#engine, lent, code, kinds, only)).length === 0) continue;
      await this.#run(lent.root, open);
      for (const test of open) if (/noticed|crashed/.test(this.#last(test) ?? "")) this.#valued.add(test);
    }
  }

  #last = (test: JudgedTest): Notice | undefined => this.#found.get(test)?.at(-1);

  #listOpen = (): JudgedTest[] =>
    this.#tests.filter((each) => this.#found.get(each)?.some((one) => /noticed|crashed/.test(one)) !== true);

  async #run(root: string, tests: readonly JudgedTest[]): Promise<void> {
    for (const [test, notice] of await this.#observe(root, tests))
      this.#found.set(test, [...(this.#found.get(test) ?? []), notice]);
  }

  async #observe(root: string, tests: readonly JudgedTest[]): Promise<Map<JudgedTest, Notice>> {
    const { rules, tried } = this.#request;
    const { stacks } = rules.definitions;
    const seen = new Map<JudgedTest, Notice>();
    for (const [stack, own] of Map.groupBy(tests, ({ file }) => findFileStack(file, stacks))) {
      const check = stack && findTestCheck(stack);
      if (!stack || !check) continue;
      const usual = tried.filter((each) => each.stack === stack && each.report).map(({ receipt }) => receipt.ms ?? 0);
      const limit = Math.max(LEAST_LIMIT_S, Math.ceil((Math.max(0, ...usual) / 1000) * LIMIT_FACTOR));
      const timeout_s = Math.min(check.timeout_s, limit);
      this.#engine.progress.tell(`${check.tool} with broken code`);
      const planned = { name: CHECK, stack, check: { ...check, timeout_s } };
      const finished = await runCheck(this.#engine, root, planned, rules.passes, own);
      throwIfCancelled(this.#engine.progress);
      this.#ms += finished.receipt.ms ?? 0;
      this.#longestMs = Math.max(this.#longestMs, finished.receipt.ms ?? 0);
      this.#runs++;
      for (const test of own) seen.set(test, readNotice(finished, test));
    }
    return seen;
  }

  /** New tests that ask where they are, and fail elsewhere even though the code is right. */
  async #findMisplacedTests(root: string): Promise<JudgedTest[]> {
    const { files } = this.#request;
    const asking = new Set(files.filter(({ text = "" }) => PLACE_WORD.test(text)).map(({ path }) => path));
    const placed = this.#tests.filter(({ file, why }) => why === "new" && asking.has(file));
    return placed.length === 0
      ? []
      : [...(await this.#observe(root, placed))].flatMap(([test, notice]) => (notice === "noticed" ? [test] : []));
  }

  async #listImportedCode(tests: readonly JudgedTest[]): Promise<BreakableCode[]> {
    const { files, rules } = this.#request;
    const { stacks } = rules.definitions;
    const texts = files.filter(({ path }) => tests.some(({ file }) => file === path)).map(({ text = "" }) => text);
    const words = new Set(texts.flatMap(listImportWords));
    const all = (await this.#engine.source.files()).filter(({ path }) => isSourceFile(path, stacks));
    const named = all.filter(({ path }) => words.has(path.replace(/^.*\//, "").replace(/\.[^.]+$/, "")));
    return named.slice(0, MOST_IMPORTED_FILES).map(({ path }) => ({ path }));
  }

  #createVerdict(flips: number, forgotten: readonly JudgedTest[], misplaced: readonly JudgedTest[]): HollowVerdict {
    const found = (test: JudgedTest): readonly Notice[] => this.#found.get(test) ?? [];
    const unknown = new Set(this.#isOverBudget ? this.#listOpen() : []);
    const isSilent = (test: JudgedTest): boolean =>
      !unknown.has(test) &&
      found(test).includes("survived") &&
      found(test).every((one) => one === "survived" || one === "missing");
    const fresh = this.#tests.filter(({ why }) => why === "new");
    const isBare = (test: JudgedTest): boolean =>
      !unknown.has(test) && !test.isChecking && !found(test).includes("noticed");
    const plain = fresh.filter(({ isQuality }) => !isQuality);
    const hollow = fresh.filter((test) => isSilent(test) || (plain.includes(test) && plain.every(isBare)));
    const criteria = [...new Set(this.#tests.flatMap((each) => each.criteria))].flatMap((criterion) => {
      const named = this.#tests.filter((test) => test.criteria.includes(criterion));
      return named.every(isSilent) ? named.filter(({ why }) => why !== "new").map((test) => ({ test, criterion })) : [];
    });
    // Not one test looks at a value that the work computes.
    const isUnvalued = (test: JudgedTest): boolean => {
      const seen = found(test).slice(0, flips);
      return (
        !unknown.has(test) &&
        !this.#valued.has(test) &&
        seen.length === flips &&
        seen.every((one) => one === "survived")
      );
    };
    const isWeak = flips > 0 && plain.length > 0 && plain.every(isUnvalued);
    const weak = isWeak ? plain.filter((test) => !hollow.includes(test)) : [];
    const problems = [
      ...misplaced.map((test) =>
        describe(
          test,
          "fails in an unchanged copy of your files, so it depends on where they lie and not on the code.",
        ),
      ),
      ...hollow.map((test) => describe(test, "checks nothing: it also passes with broken code.")),
      ...forgotten.map((test) => describe(test, "no longer notices broken code, and did before your edit.")),
      ...criteria.map(({ test, criterion }) =>
        describe(test, `names ${criterion}, and also passes when the code of your work is broken.`),
      ),
      ...weak.map((test) => describe(test, "also passes with flipped conditions and calculations. Check the value.")),
    ];
    const allowed = problems.flatMap(({ test, problem }): GateAllowance[] =>
      test.allowed === undefined ? [] : [{ what: problem.replace(/\.$/, ""), reason: sanitizeText(test.allowed, 300) }],
    );
    const left = this.#tests.filter((test) => unknown.has(test) || found(test).every((one) => one === "missing"));
    const unchecked = left.map(({ file, name }) => `${file}: ${sanitizeText(name, 200)}`).slice(0, MOST_UNCHECKED);
    const open = problems.filter(({ test }) => test.allowed === undefined);
    const result = createProblemResult(CHECK, open, allowed);
    const status = open.length > 0 ? ("failed" as const) : ("passed" as const);
    const reason = `${this.#runs} runs of ${formatShortList([...new Set(this.#tests.map(({ file }) => file))], 3)} with broken code${this.#isOverBudget ? `, then ${Math.round(this.#budgetMs / 1000)} s were used up` : ""}`;
    const receipt: CheckReceipt = {
      check: CHECK,
      status,
      ms: this.#ms,
      ...(allowed.length > 0 ? { allowed } : {}),
      reason,
      ...(unchecked.length > 0 ? { unchecked } : {}),
    };
    return { result, receipt };
  }
}

const MOST_IMPORTED_FILES = 20;
/** With these a test can distinguish the user's folder from a copy. */
const PLACE_WORD =
  /\.git\b|import\.meta|__dirname|__filename|__file__|__dir__|__FILE__|__DIR__|\bcwd\b|[gG]etcwd|environ\b|\bprocess\.env|[eE]xists|\bhostname|\brealpath|pathlib/;
const MOST_UNCHECKED = 100;
const QUALITY_TAG = /@spec\s+(NFR-\d+)/;

const describe = (test: JudgedTest, what: string) => ({
  test,
  problem: `${test.file}: ${sanitizeText(test.name, 200)} ${what}`,
  line: test.line,
});

function readNotice(finished: FinishedCheck, { file, name }: JudgedTest): Notice {
  const format = finished.check.report?.format;
  const outcomes = findTestOutcomes(finished, name, [file]);
  if (!format || outcomes.length === 0) return "missing";
  const failed = outcomes.filter(({ status }) => status === "failed");
  if (failed.length === 0) return outcomes.some(({ status }) => status === "passed") ? "survived" : "missing";
  return failed.some((one) => classifyTestFailure(format, one).reason === "assertion") ? "noticed" : "crashed";
}

function listJudgedTests(request: HollowTestRequest): JudgedTest[] {
  const { spec, rules, files, comparison, cases, tried, isKnown } = request;
  const { stacks } = rules.definitions;
  const fresh = [...findNewTests(files, comparison), ...request.red];
  const criteriaOf = (file: string, name: string): string[] =>
    cases
      .filter((each) => each.file === file && each.name === name && each.criterion.startsWith(`${spec}.`))
      .map(({ criterion }) => criterion);
  return files.flatMap((changed): JudgedTest[] => {
    const { path: file, look, text = "", isTest, oldText } = changed;
    if (!look || !hasRunner(file, stacks)) return [];
    const isPreludeEdited = isTest && oldText !== undefined && hasEditedPrelude(changed);
    return findTestCases(look).flatMap(({ name, line, lastLine, mark }): JudgedTest[] => {
      const isNew = fresh.some((each) => each.file === file && each.name === name);
      const isEdited = isPreludeEdited || comparison.edited.some(({ to }) => to.path === file && to.name === name);
      const criteria = criteriaOf(file, name);
      if (mark !== undefined || (!isNew && !isEdited && criteria.length === 0)) return [];
      if (!hasPassedTest(tried, { file, name })) return [];
      const isChecking = hasCheckingWord(
        text
          .split("\n")
          .slice(line - 1, lastLine)
          .join("\n"),
      );
      const comment = look.comments.filter((each) => each.line >= line - 1 && each.lastLine <= lastLine);
      const [quality] = comment.flatMap((each) => QUALITY_TAG.exec(each.text)?.[1] ?? []).filter(isKnown);
      const reason = comment.map((each) => readAllowanceReason(each.text)).find((each) => each !== undefined);
      const allowed = reason ?? (quality && `It tests ${quality}, a quality.`);
      const why = isNew ? "new" : isEdited ? "edited" : "criterion";
      return [{ file, name, line, criteria, isChecking, allowed, why, isQuality: quality !== undefined }];
    });
  });
}

const hasRunner = (file: string, stacks: readonly FolderStack[]): boolean => {
  const stack = findFileStack(file, stacks);
  return stack !== undefined && findTestCheck(stack)?.report !== undefined;
};

const IMPORT_LINE =
  /^\s*(?:import|export|from|use|using|require|include|require_relative|#include|const .*\brequire\b|\}.*\bfrom\b)\b.*$/;

export const listImportWords = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => IMPORT_LINE.test(line))
    .flatMap((line) => line.match(/[\w$-]{2,}/g) ?? []);

/** Whether code outside of the tests changed, apart from imports and comments. A helper there may silence them all. */
function hasEditedPrelude({ text = "", oldText = "", look, before }: ChangedFile): boolean {
  const read = (all: string, scan: ChangedFile["look"]): string => {
    if (!scan) return "";
    const inside = [...findTestCases(scan), ...scan.comments];
    const lines = all.split("\n").filter((line, at) => {
      const isInside = inside.some((span) => span.line <= at + 1 && at + 1 <= span.lastLine);
      return !isInside && !IMPORT_LINE.test(line);
    });
    return lines.join("").replaceAll(/\s+/g, "");
  };
  return read(text, look) !== read(oldText, before);
}
