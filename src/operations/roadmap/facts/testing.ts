import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { TestFacts } from "#domain/roadmap/lead/event.ts";
import { findFileStack } from "#domain/scan/test-files.ts";
import type { FolderStack } from "#domain/stack/check.ts";
import type { Engine } from "../../engine.ts";
import { listFilesChangedMeanwhile, runChecksWithRetries } from "../../gate/running/repeating.ts";
import { type TrustedChecks, type CheckRuling, loadCheckRuling } from "../../gate/running/rules.ts";
import { runExclusively, type PlannedCheck, type FinishedCheck } from "../../gate/running/trying.ts";

export interface FeatureTestRun extends TestFacts {
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly tried: readonly FinishedCheck[];
  readonly receipts: readonly CheckReceipt[];
  readonly stacks: readonly FolderStack[];
  readonly mayLackCriteria: boolean;
  readonly moved: readonly string[];
  /** The file tree and rules of the run. No tree outside git, or if files changed meanwhile. */
  readonly tree?: string;
  readonly rules?: string;
  readonly base?: string;
}

/** Runs the tests of the stacks that own these files, as far as the user trusts the commands. */
export async function runFeatureTests(engine: Engine, files: readonly string[]): Promise<FeatureTestRun> {
  const base = await engine.source.head();
  const ruling = await loadCheckRuling(engine, base);
  const { rules } = ruling;
  const mayLackCriteria = ruling.gates.waived["criteria"] !== undefined;
  const known = { stacks: ruling.stacks, mayLackCriteria, ...(base === undefined ? {} : { base }) };
  if (!rules) return { ...createUnknownTestRun(ruling, ruling.refused ?? "Nothing may be run."), ...known };
  const stacks = selectOwningStacks(rules.definitions.stacks, files);
  const bare = stacks.filter(({ checks }) => !checks.some(({ kind }) => kind === "test"));
  const planned = stacks.flatMap((stack): PlannedCheck[] =>
    stack.checks.filter(({ kind }) => kind === "test").map((check) => ({ name: "tests", stack, check })),
  );
  const doubts = [...rules.definitions.problems, ...bare.map(describeMissingTests)];
  if (planned.length === 0) return { ...createUnknownTestRun(ruling, doubts.join(" ") || NO_TEST_STACK), ...known };
  return { ...(await runExclusively(engine, () => runPlannedTests(engine, ruling, rules, planned, doubts))), ...known };
}

const NO_TEST_STACK = "No stack was found whose tests could be run: tenon stack";

async function runPlannedTests(
  engine: Engine,
  ruling: CheckRuling,
  rules: TrustedChecks,
  planned: readonly PlannedCheck[],
  doubts: readonly string[],
): Promise<Omit<FeatureTestRun, "stacks" | "base" | "mayLackCriteria">> {
  const { tried, tree } = await runChecksWithRetries(engine, { rules, planned });
  const moved = await listFilesChangedMeanwhile(engine, tree);
  const ran = {
    tried,
    moved,
    receipts: tried.map(({ receipt }) => receipt),
    rules: rules.hash,
    ...(tree && moved.length === 0 ? { tree } : {}),
  };
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return { ...ran, status: "failed", problems: failed };
  const open = [
    ...doubts,
    ...tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : [])),
  ];
  return open.length > 0
    ? { ...createUnknownTestRun(ruling, open.join(" ")), ...ran }
    : { ...ran, status: "passed", problems: [] };
}

/** Unknown does not pass unless the settings waive the tests. */
function createUnknownTestRun(
  { gates }: CheckRuling,
  reason: string,
): Omit<FeatureTestRun, "stacks" | "mayLackCriteria"> {
  const waiver = gates.waived["tests"];
  const problems: Problem[] = [{ problem: waiver ?? reason }];
  return { status: waiver === undefined ? "unknown" : "waived", problems, tried: [], receipts: [], moved: [] };
}

/** Without a match, tests every stack. */
function selectOwningStacks(stacks: readonly FolderStack[], files: readonly string[]): readonly FolderStack[] {
  const own = new Set(files.flatMap((path) => findFileStack(path, stacks) ?? []));
  return own.size === 0 ? stacks : stacks.filter((stack) => own.has(stack));
}

function describeMissingTests({ directory, profile, missing: list }: FolderStack): string {
  const how = list.find(({ kind }) => kind === "test")?.how ?? "No tool that runs tests was found.";
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}
