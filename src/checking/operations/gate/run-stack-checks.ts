import { type CheckKind, type FolderStack, hasTestReport } from "../../model/stack/stack-check.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CheckingEngine } from "../engine.ts";
import type { BaseComparison } from "./compare-with-base.ts";
import { type RetriedChecks, runChecksWithRetries } from "./check-retries.ts";
import type { CheckRuling } from "./load-trusted-checks.ts";
import type { FinishedCheck, PlannedCheck } from "./run-check.ts";
import { dropTenonFileFailures } from "./tenon-files.ts";

export interface FixMandate {
  readonly record: WorkflowRecord;
  readonly session: string;
}

export const STACK_CHECK_KINDS: Readonly<Partial<Record<CommandCheck, CheckKind>>> = {
  tests: "test",
  lint: "lint",
  types: "types",
  format: "format",
  build: "build",
  coverage: "coverage",
};

/** A coverage run that reports tests replaces the test run, unless it leaves no report. */
export async function runStackChecks(
  engine: CheckingEngine,
  { checks, mending }: { readonly checks: readonly CommandCheck[]; readonly mending?: FixMandate | undefined },
  { rules }: CheckRuling,
  own: readonly string[],
  comparison: BaseComparison | undefined,
  notes: string[],
): Promise<RetriedChecks> {
  const stacks = rules?.definitions.stacks ?? [];
  const plan = (stack: FolderStack, name: CommandCheck): PlannedCheck[] =>
    stack.checks.filter(({ kind }) => kind === STACK_CHECK_KINDS[name]).map((check) => ({ name, stack, check }));
  const isTestedByCoverage = (stack: FolderStack): boolean =>
    checks.includes("coverage") && stack.checks.some(hasTestReport);
  const planned = stacks.flatMap((stack) =>
    checks.filter((name) => name !== "tests" || !isTestedByCoverage(stack)).flatMap((name) => plan(stack, name)),
  );
  if (!rules || !comparison || planned.length === 0) return { tried: [], attempts: [], notes: [], tree: undefined };
  const run = (some: readonly PlannedCheck[]) =>
    runChecksWithRetries(engine, {
      rules,
      planned: some,
      base: comparison.baseTree,
      mending: mending && { ...mending, own },
      settle: async (finished) => comparison.settle(await dropTenonFileFailures(engine, finished, notes)),
    });
  const first = await run(planned);
  const blind = checks.includes("tests") ? first.tried.filter(hasNoTestReport) : [];
  const untested = stacks.filter((stack) => blind.some((each) => each.stack === stack));
  const tests = untested.flatMap((stack) => plan(stack, "tests"));
  const all = tests.length > 0 ? joinRetriedChecks(first, blind, await run(tests)) : first;
  // Later runs use its checkout again, with the files compiled there.
  await comparison.release();
  return all;
}

const hasNoTestReport = ({ check, report, outcome }: FinishedCheck): boolean =>
  hasTestReport(check) && report === undefined && outcome.failure !== "transient";

/** The first runs, of which the blind ones count as unknown, with the tests that then ran without coverage. */
function joinRetriedChecks(first: RetriedChecks, blind: readonly FinishedCheck[], then: RetriedChecks): RetriedChecks {
  const tried = first.tried.map((each): FinishedCheck => {
    const { outcome, check, receipt } = each;
    if (!blind.includes(each)) return each;
    const said = outcome.problems.map(({ problem }) => problem).find((line) => /\berror\b/i.test(line));
    const reason =
      outcome.reason ?? `${check.tool} could not measure it${said === undefined ? "." : `: ${said.trim()}`}`;
    return { ...each, failures: [], outcome: { status: "unknown", problems: [], reason }, receipt };
  });
  const isBlind = (name: string): boolean => blind.some((each) => each.name === name);
  const attempts = first.attempts.map((each) => ({
    ...each,
    failed: [...each.failed.filter(({ check }) => !isBlind(check)), ...(then.attempts[each.n - 1]?.failed ?? [])],
  }));
  const notes = [...first.notes, ...then.notes.filter((note) => !first.notes.includes(note))];
  return { tried: [...tried, ...then.tried], attempts, notes, tree: first.tree };
}
