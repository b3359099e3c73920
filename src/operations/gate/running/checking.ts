import type { Attempt } from "#domain/gate/retry.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { CheckKind } from "#domain/stack/check.ts";
import type { GateCheckResult, WorkflowRecord } from "#domain/workflow/record.ts";
import type { CommandCheck, Config } from "#domain/workspace/config.ts";
import { formatTagName } from "#domain/scan/tags.ts";
import type { TraceableIds } from "#domain/trace/known.ts";
import { type TestNameReader, createTestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import { loadTraceableIds } from "../../trace/known.ts";
import { biteResult } from "./bite-check.ts";
import { allChanged, type ChangedFile } from "./changed.ts";
import { casesNaming, criteriaCovered, criteriaProblems, type LookedAt, specsNamed } from "./criteria.ts";
import { driftProblems } from "./drift-check.ts";
import { coverageProblems, keptProblems, shortcutProblems, tagProblems } from "./looking.ts";
import { filesNaming } from "./naming.ts";
import { movedSince, type Repeated, runAndRepeat } from "./repeating.ts";
import { type Ruling, rulingFor } from "./rules.ts";
import { findFileStack } from "#domain/scan/test-files.ts";
import { seenToFail, type ShownRed } from "./seen-to-fail.ts";
import { unrunProblems } from "./still-run.ts";
import { alone, type Planned, type Tried } from "./trying.ts";

export interface Asked {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly checks: readonly CommandCheck[];
  readonly criteria: readonly string[];
  /** Whether tools may fix files. A dry run must not change any. */
  readonly mayMend: boolean;
}

export interface Checked {
  /** In the requested order. An optional check without a tool is left out. */
  readonly results: readonly GateCheckResult[];
  readonly receipts: readonly CheckReceipt[];
  readonly attempts: readonly Attempt[];
  readonly notes: readonly string[];
  readonly gates: Config["gates"];
  /**
   * The files and check definitions for which the results hold. `tree` is missing if nothing ran, outside git, and if
   * files changed meanwhile.
   */
  readonly tree?: string;
  readonly rules?: string;
  readonly spec_ids: readonly string[];
  readonly criteria: readonly string[];
  readonly seen?: ShownRed;
}

const KINDS: Readonly<Partial<Record<CommandCheck, CheckKind>>> = {
  tests: "test",
  lint: "lint",
  types: "types",
  format: "format",
  build: "build",
  coverage: "coverage",
};
const OPTIONAL = new Set<CommandCheck>(["format", "build"]);

const NO_BASE =
  "It began before there was a commit, so the code cannot be compared with what was there. Commit, abandon it, begin anew.";

export async function checkAll(engine: Engine, asked: Asked): Promise<Checked> {
  const { record } = asked;
  const ruling = await rulingFor(engine, record.base_commit);
  return alone(engine, () => withRuling(engine, asked, ruling));
}

async function withRuling(engine: Engine, asked: Asked, ruling: Ruling): Promise<Checked> {
  const { record } = asked;
  const checks = ruling.gates.bite ? withBite(asked.checks) : asked.checks;
  const before = await allChanged(engine, record, ruling.stacks);
  const own = (before ?? []).flatMap(({ path, change, isOthers }) =>
    isOthers || change.status === "deleted" ? [] : [path],
  );
  const planned = ruling.rules ? plan(checks, ruling.rules.definitions.stacks) : [];
  const ran =
    ruling.rules && planned.length > 0
      ? await runAndRepeat(engine, {
          rules: ruling.rules,
          planned,
          ...(asked.mayMend ? { mending: { record, session: asked.session, own } } : {}),
        })
      : undefined;
  // A fix or another process may have changed files: read them again in the state in which the checks ran.
  const all = ran ? await allChanged(engine, record, ruling.stacks) : before;
  const files = all?.filter(({ isOthers }) => !isOthers);
  const known = await loadTraceableIds(engine);
  const namesIn = createTestNameReader(known.ids.keys());
  const naming = checks.includes("criteria")
    ? await filesShowing(engine, asked, ruling, { files: files ?? [], ran, namesIn })
    : (files ?? []);
  const cases = casesNaming(naming, namesIn);
  const seen: Seen = { engine, asked, ruling, all: all ?? [], files, ran, known, cases };
  let shown: ShownRed | undefined;
  const results: GateCheckResult[] = [];
  const receipts: CheckReceipt[] = (ran?.tried ?? []).map(({ receipt }) => receipt);
  for (const check of checks) {
    const { result, receipts: more = [], seen: red } = await answer(check, seen);
    shown = red ?? shown;
    if (result) results.push(result);
    receipts.push(...more);
  }
  const moved = await movedSince(engine, ran?.tree);
  if (moved.length > 0) results.push(filesMoved(moved));
  return {
    results,
    receipts: [...receipts, ...lookedAt(results, receipts)],
    attempts: ran?.attempts ?? [],
    notes: [...ruling.changed, ...(ran?.notes ?? [])],
    ...(shown ? { seen: shown } : {}),
    gates: ruling.gates,
    ...(ran?.tree && moved.length === 0 ? { tree: ran.tree } : {}),
    ...(ruling.rules ? { rules: ruling.rules.hash } : {}),
    spec_ids: specsNamed(record.id, files ?? []),
    criteria: criteriaCovered(cases, ran?.tried ?? []),
  };
}

interface Shown {
  readonly files: readonly LookedAt[];
  readonly ran: Repeated | undefined;
  readonly namesIn: TestNameReader;
}

/** Tests that the work did not change can prove a criterion too. */
function filesShowing(
  engine: Engine,
  { record, criteria }: Asked,
  { stacks }: Ruling,
  { files, ran, namesIn }: Shown,
): Promise<LookedAt[]> {
  const spec = record.id;
  const tried = ran?.tried ?? [];
  const isEnough = (found: readonly LookedAt[]): boolean =>
    criteriaProblems({ spec, criteria, cases: casesNaming(found, namesIn), tried }).length === 0;
  return filesNaming(engine, { spec, stacks, namesIn, seen: files, isEnough });
}

/** The mutation check goes with the check that new tests fail first. */
const withBite = (checks: readonly CommandCheck[]): readonly CommandCheck[] =>
  checks.some((check) => check.endsWith("seen-to-fail")) ? [...checks, "bite"] : checks;

/** Each check once. A coverage run that also reports tests replaces the test run. */
function plan(checks: readonly CommandCheck[], stacks: readonly Planned["stack"][]): Planned[] {
  return stacks.flatMap((stack) => {
    const both = checks.includes("coverage") && checks.includes("tests") && stack.checks.find(isWholeCoverage);
    return checks.flatMap((name): Planned[] => {
      const kind = KINDS[name];
      if (kind === undefined || (name === "tests" && both)) return [];
      return stack.checks.filter((check) => check.kind === kind).map((check) => ({ name, stack, check }));
    });
  });
}

const isWholeCoverage = ({ kind, report }: Planned["check"]): boolean => kind === "coverage" && report !== undefined;

interface Seen {
  readonly engine: Engine;
  readonly asked: Asked;
  readonly ruling: Ruling;
  readonly all: readonly ChangedFile[];
  readonly files: readonly ChangedFile[] | undefined;
  readonly ran: Repeated | undefined;
  readonly known: TraceableIds;
  readonly cases: ReturnType<typeof casesNaming>;
}

interface Answer {
  readonly result?: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: ShownRed;
}

async function answer(check: CommandCheck, seen: Seen): Promise<Answer> {
  const { engine, asked, ruling, files } = seen;
  const { record } = asked;
  const found = (problems: readonly Problem[]): Answer => ({ result: resultOf(check, problems) });
  if (KINDS[check] !== undefined) return ofRuns(check, seen);
  if (check === "drift") return driftAnswer(seen);
  if (!files) return { result: unknown(check, NO_BASE) };
  if (check === "tags") return found(tagProblems(record.id, files, seen.known));
  if (check === "criteria") return { result: ofCriteria(seen) };
  if (check === "shortcuts") return found(shortcutProblems(files, ruling.stacks));
  if (check === "tests-kept") return found([...keptProblems(seen.all), ...(await unrun(seen))]);
  if (check === "bite") return { result: await biteResult(engine, ruling, record.id) };
  return seenToFail(engine, { check, record, ruling, files, tried: seen.ran?.tried ?? [] });
}

/** A test that ran and passed must name each criterion. If no test could run, the result is unknown. */
function ofCriteria({ asked: { record, criteria }, cases, ran }: Seen): GateCheckResult {
  const spec = record.id;
  const tried = ran?.tried ?? [];
  const named = new Set(cases.map((each) => each.criterion));
  const isNamed = criteria.every((criterion) => named.has(formatTagName({ spec, criterion })));
  if (isNamed && criteria.length > 0 && !tried.some(({ report }) => report !== undefined))
    return unknown("criteria", "Tests name every criterion, but none could be run.");
  return resultOf("criteria", criteriaProblems({ spec, criteria, cases, tried }));
}

/** Gives no result if no requirement was ever accepted. */
async function driftAnswer({ engine, asked }: Seen): Promise<Answer> {
  const found = await driftProblems(engine, asked.record);
  if (found === "nothing accepted") return {};
  return { result: found === "no base" ? unknown("drift", NO_BASE) : resultOf("drift", found) };
}

async function unrun({ engine, asked, ruling, all, ran }: Seen): Promise<Problem[]> {
  const base = asked.record.base_commit;
  if (!ruling.rules || base === undefined) return [];
  return unrunProblems(engine, { base, rules: ruling.rules, files: all, tried: ran?.tried ?? [] });
}

const resultOf = (check: string, problems: readonly Problem[]): GateCheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems,
});

const unknown = (check: string, reason: string): GateCheckResult => ({
  check,
  status: "unknown",
  problems: [],
  reason,
});

/** Joins the runs of all stacks: one failed or unknown run decides. */
function ofRuns(check: CommandCheck, { ruling, files, ran }: Seen): Answer {
  const kind = KINDS[check];
  const isThere = ruling.stacks.some((stack) => stack.checks.some((each) => each.kind === kind));
  if (OPTIONAL.has(check) && !isThere) return {};
  if (!ruling.rules) return { result: unknown(check, ruling.refused ?? "Nothing may be run.") };
  const tried = (ran?.tried ?? []).filter((each) => each.name === check || isBoth(check, each));
  const stacks = ruling.rules.definitions.stacks;
  // A stack without changes needs no tool.
  const isTouched = (stack: Planned["stack"]): boolean =>
    stacks.length === 1 || !files || files.some(({ path }) => findFileStack(path, stacks) === stack);
  const bare = stacks.filter(
    (stack) =>
      isTouched(stack) && !tried.some((each) => each.stack === stack) && !isAnswered(stack, kind, ran?.tried ?? []),
  );
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return { result: resultOf(check, failed) };
  const doubts = [
    ...ruling.rules.definitions.problems,
    ...tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : [])),
    ...bare.map((stack) => missing(stack, kind)),
  ];
  const isAll = stacks.length > 0 && bare.length === 0 && ruling.rules.definitions.problems.length === 0;
  if (check === "coverage" && isAll) return { result: ofCoverage(tried, files, ruling) };
  if (doubts.length > 0 && !OPTIONAL.has(check)) return { result: unknown(check, doubts.join(" ")) };
  if (stacks.length === 0)
    return { result: unknown(check, "No stack was found whose checks could be run: tenon stack") };
  return { result: resultOf(check, []) };
}

const isBoth = (check: CommandCheck, { check: run }: Tried): boolean => check === "tests" && isWholeCoverage(run);

/** If the compiler reports type errors, the build answers for both checks. */
function isAnswered(
  { instead, directory }: Planned["stack"],
  kind: CheckKind | undefined,
  tried: readonly Tried[],
): boolean {
  const other = kind && instead[kind];
  if (other === undefined) return false;
  return (
    other === "test" ||
    other === "build" ||
    tried.some((each) => each.stack.directory === directory && each.check.kind === other)
  );
}

function missing({ directory, missing: list, profile }: Planned["stack"], kind: CheckKind | undefined): string {
  const how = list.find((each) => each.kind === kind)?.how ?? "No tool of that kind was found.";
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}

function ofCoverage(tried: readonly Tried[], files: Seen["files"], ruling: Ruling): GateCheckResult {
  const broken = tried.find(({ outcome }) => outcome.status === "unknown");
  if (broken) return unknown("coverage", broken.outcome.reason ?? "");
  if (!files) return unknown("coverage", NO_BASE);
  const blind = tried.find(({ coverage }) => coverage === undefined);
  if (blind) return unknown("coverage", `${blind.check.tool} did not say which lines were run.`);
  const all = new Map(tried.flatMap(({ coverage }) => [...(coverage ?? [])]));
  return resultOf("coverage", coverageProblems(files, all, ruling.gates.coverage));
}

const filesMoved = (paths: readonly string[]): GateCheckResult =>
  resultOf(
    "files-unchanged",
    paths.slice(0, 20).map((path) => ({
      problem: `${path} changed while the checks ran, so it was not checked. Have git ignore what they write, or wait.`,
    })),
  );

function lookedAt(results: readonly GateCheckResult[], told: readonly CheckReceipt[]): CheckReceipt[] {
  return results
    .filter(({ check, status }) => !told.some((each) => each.check === check) && status !== "unknown")
    .map(({ check, status }) => ({ check, status: status === "passed" ? "passed" : "failed" }));
}
