import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { isSameTest } from "../../model/gate/test-evidence.ts";
import { Fault } from "#kernel/model/fault.ts";
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
  recordTestFailures,
  loadRecordedFailures,
  findNewTests,
  judgeNewTests,
  runNewTestsOnBase,
} from "./run-tests-on-base.ts";
import { loadChangedCode, type ChangedFile } from "./static-checks.ts";
import { type TrustedChecks, requireTrustedChecks } from "./load-trusted-checks.ts";
import { runExclusively, hasPassedTest, type FinishedCheck, runCheck } from "./run-check.ts";

export const checkTestEvidence = defineOperation({
  id: "gate.evidence",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).RunGateInput,
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
    const { without, tried } = await runExclusively(engine, async () => ({
      without: await runNewTestsOnBase(engine, { base, rules, files }),
      tried: await runCurrentTests(engine, rules),
    }));
    // Inline tests share a file with the code under test, so they can only fail while that code is not written yet.
    const inlineFiles = new Set(without.inline.map(({ file }) => file));
    const inline = cases.filter(({ file }) => inlineFiles.has(file));
    const red = [...without.red, ...tried.flatMap((each) => judgeNewTests(inline, each, files).red)];
    const known = await loadRecordedFailures(engine, id, cases);
    const all = [...red, ...known.filter((one) => !red.some((each) => isSameTest(each, one)))];
    await writeWorkflow(engine, { id, session }, (draft, _, tree) => {
      recordTestFailures({ draft, tree }, engine, id, { cases, red });
      draft.say("gate.evidence", id, { red: all.length, cases: cases.length });
    });
    const unseen = without.unseen.map((problem) => ({ problem }));
    return {
      id,
      tests: cases.map((each) => {
        const { file, name, line } = each;
        const why = all.find((one) => isSameTest(one, each))?.why;
        return { file, name, line, ...(why ? { red: why } : {}), green: hasPassedTest(tried, each) };
      }),
      problems:
        cases.length === 0
          ? [{ problem: "No new test was found in the changed code." }]
          : [...without.problems, ...unseen],
      failing: tried.flatMap(({ outcome }) => outcome.problems.map(({ problem }) => problem)).slice(0, 20),
    };
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
});

async function loadEvidenceRequirements(
  engine: CheckingEngine,
  record: WorkflowRecord,
): Promise<{ readonly rules: TrustedChecks; readonly base: string; readonly files: readonly ChangedFile[] }> {
  const { id, base_commit: base } = record;
  const rules = await requireTrustedChecks(engine, id, base);
  const files = await loadChangedCode(engine, record, rules.definitions.stacks);
  if (base !== undefined && files) return { rules, base, files: files.filter(({ isOthers }) => !isOthers) };
  throw new Fault("gate.no-base", {
    what: `The tests of ${id} were not run.`,
    why: "There is no commit from before the work, on which they could be seen to fail.",
    fix: "Commit the files as they were before, abandon the workflow and begin it anew.",
  });
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
