import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { judgeTestEvidence, type FailedNewTest } from "../../model/gate/test-evidence.ts";
import { Fault } from "#kernel/model/fault.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import { findTestCheck } from "../../model/stack/stack-check.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CheckingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "#planning/operations/workflow/workflow-runtime.ts";
import { rejectOtherWorktree } from "#planning/operations/workflow/workflow-view.ts";
import {
  syncWorkflowState,
  requireWritableWorkflow,
  writeWorkflow,
} from "#planning/operations/workflow/workflow-writes.ts";
import {
  EVIDENCE_SPACE,
  recordTestFailures,
  loadRecordedFailures,
  createAddedSymbolPredicate,
  type NewTestText,
  findNewTests,
  runNewTestsOnBase,
} from "./run-tests-on-base.ts";

import { loadOwnChangedCode, type ChangedFile } from "./changed-code.ts";
import { type TrustedChecks, requireTrustedChecks } from "./load-trusted-checks.ts";
import { runExclusively, hasPassedTest, type FinishedCheck, runCheck } from "./run-check.ts";
import type { TestEvidenceInput, TestEvidenceOutput } from "./schema.ts";

type TestEvidenceResult = z.infer<typeof TestEvidenceOutput>;

export const checkTestEvidence = defineOperation<z.infer<typeof TestEvidenceInput>, TestEvidenceResult, CheckingEngine>(
  {
    id: "gate.evidence",
    effect: "change",
    isLong: true,
    input: async () => (await import("./schema.ts")).TestEvidenceInput,
    output: async () => (await import("./schema.ts")).TestEvidenceOutput,
    async run(engine: CheckingEngine, input) {
      await syncWorkflowState(engine);
      const session = resolveSession(engine, input.session);
      const runtime = await engine.store.read(loadWorkRuntime);
      const { id } = resolveWorkflow(runtime, { id: input.id, session }, "gate.evidence");
      const record = requireWritableWorkflow(runtime, id, session);
      rejectOtherWorktree(engine, record);
      const { rules, base, files } = await loadEvidenceRequirements(engine, record);
      const cases = findNewTests(files);
      const seen = await runExclusively(engine, async () => {
        const without = await runNewTestsOnBase(engine, { base, rules, files });
        return { without, tried: await runCurrentTests(engine, rules) };
      });
      const inline = findFailedInlineTests(
        cases,
        files,
        seen.tried,
        new Set(seen.without.inline.map(({ file }) => file)),
      );
      const red = [...seen.without.red, ...inline];
      const known = await loadRecordedFailures(engine, id, cases);
      const all = [...red, ...known.filter((one) => !red.some((each) => isSameNewTest(each, one)))];
      await writeWorkflow(engine, { id, session }, (draft, _, tree) => {
        recordTestFailures(draft, engine, id, cases, red, tree.kept(EVIDENCE_SPACE).get(id) ?? []);
        draft.say("gate.evidence", id, { red: all.length, cases: cases.length });
      });
      const unseen = seen.without.unseen.map((problem) => ({ problem }));
      return createEvidenceResult(id, cases, all, seen.tried, [...seen.without.problems, ...unseen]);
    },
    page({ id, tests, problems, failing }) {
      const red = tests.filter(({ red: why }) => why !== undefined);
      const green = red.filter(({ green: is }) => is);
      const isDone = problems.length === 0 && red.length > 0;
      return {
        title: isDone
          ? `${formatCount(red.length, "new test")} of ${id} failed without the implementation; ${green.length} of ${red.length} passed with it.`
          : `Not every new test of ${id} was seen to fail for the right reason.`,
        points: [
          ...problems.map(({ problem }) => problem),
          ...red.map(
            ({ file, name, red: why, green: is }) =>
              `${file}: ${sanitizeText(name, 120)}: ${why}, ${is ? "then passes" : "still fails"}`,
          ),
          ...failing.map((line) => `now: ${line}`),
        ],
        next: isDone
          ? [
              ...(green.length < red.length ? ["Write the code that makes them pass."] : []),
              { operation: "gate.run", input: { id } },
            ]
          : [{ operation: "gate.evidence", input: { id } }],
      };
    },
    isRefusal: ({ problems, tests }) => problems.length > 0 || tests.every(({ red }) => red === undefined),
  },
);

interface EvidenceRequirements {
  readonly rules: TrustedChecks;
  readonly base: string;
  readonly files: readonly ChangedFile[];
}

async function loadEvidenceRequirements(engine: CheckingEngine, record: WorkflowRecord): Promise<EvidenceRequirements> {
  const { id, base_commit: base } = record;
  const rules = await requireTrustedChecks(engine, id, base);
  const files = await loadOwnChangedCode(engine, record, rules.definitions.stacks);
  if (base === undefined || !files) {
    throw new Fault("gate.no-base", {
      what: `The tests of ${id} were not run.`,
      why: "There is no commit from before the work, on which they could be seen to fail.",
      fix: "Commit the files as they were before, abandon the workflow and begin it anew.",
    });
  }
  return { rules, base, files };
}

async function runCurrentTests(engine: CheckingEngine, rules: TrustedChecks): Promise<FinishedCheck[]> {
  const tried: FinishedCheck[] = [];
  for (const stack of rules.definitions.stacks) {
    const check = findTestCheck(stack);
    if (check) tried.push(await runCheck(engine, engine.root, { name: "tests", stack, check }, rules.passes));
    throwIfCancelled(engine.progress);
  }
  return tried;
}

/** Inline tests share a file with the code under test, so they can only fail while that code is not written yet. */
function findFailedInlineTests(
  cases: readonly NewTestText[],
  files: readonly ChangedFile[],
  tried: readonly FinishedCheck[],
  inline: ReadonlySet<string>,
): FailedNewTest[] {
  const own = cases.filter(({ file }) => inline.has(file));
  return tried.flatMap(({ report, check }) => {
    const format = check.report?.format;
    if (!report || !format) return [];
    return judgeTestEvidence({
      cases: own,
      report,
      whyFailed: (failed) => classifyTestFailure(format, failed),
      mayHold: (told, file) => canReportFile(format, told, file),
      isBrought: createAddedSymbolPredicate(files),
    }).red;
  });
}

const isSameNewTest = (a: Pick<FailedNewTest, "file" | "name">, b: Pick<FailedNewTest, "file" | "name">): boolean =>
  a.file === b.file && a.name === b.name;

function createEvidenceResult(
  id: string,
  cases: readonly NewTestText[],
  red: readonly FailedNewTest[],
  tried: readonly FinishedCheck[],
  problems: readonly { readonly problem: string; readonly line?: number }[],
): TestEvidenceResult {
  return {
    id,
    tests: cases.map(({ file, name, line }) => {
      const seen = red.find((each) => each.file === file && each.name === name);
      return { file, name, line, ...(seen ? { red: seen.why } : {}), green: hasPassedTest(tried, { file, name }) };
    }),
    problems: cases.length === 0 ? [{ problem: "No new test was found in the changed code." }] : [...problems],
    failing: tried.flatMap(({ outcome }) => outcome.problems.map(({ problem }) => problem)).slice(0, 20),
  };
}
