import { describeSurvivor } from "../../model/mutation/mutation-check.ts";
import { isApprovalCheck, suggestEvidenceFixes, suggestGateFixes } from "../../model/gate/gate-fixes.ts";
import { isSameTest } from "../../model/gate/test-evidence.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { fillDocsBeforeGate } from "#code/operations/index/update-index.ts";
import { loadWork } from "#planning/operations/workflow/attributed-work.ts";
import type { CheckingEngine } from "../engine.ts";
import { judgeStageGate, openOwnWorkflow } from "../workflow-gate/judge-stage.ts";
import { lockSessionWork, detectWorkflowWork } from "#planning/operations/workflow/workflow-snapshots.ts";
import {
  resolveWorkflow,
  loadWorkRuntime,
  resolveCallSession,
} from "#planning/operations/workflow/workflow-runtime.ts";
import { suggestNextCalls, createWorkflowView } from "#planning/operations/workflow/workflow-view.ts";
import { writeWorkflow } from "#planning/operations/workflow/workflow-writes.ts";
import {
  suggestUnknownCheckSteps,
  formatDurations,
  formatGateAttempts,
  formatOpenChecks,
  isOpenCheck,
  viewGateJudgement,
  formatWaivedChecks,
  suggestClaims,
  suggestFailedGateSteps,
  recordGateVerdict,
  createGateProof,
} from "./gate-result.ts";
import { chooseProvingTests, listOtherPaths } from "./new-tests.ts";
import { requireTrustedChecks } from "./load-trusted-checks.ts";
import { hasPassedTest, runExclusively } from "./run-check.ts";
import { runMutationCheck } from "./run-mutation-check.ts";
import { recordTestFailures, loadRecordedFailures, judgeNewTests, runNewTestsOnBase } from "./run-tests-on-base.ts";
import { runTestFiles } from "./run-test-files.ts";
import { loadChangedCode } from "./static-checks.ts";

export const runGate = defineOperation({
  id: "gate.run",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).RunGateInput,
  output: async () => (await import("./schema.ts")).RunGateOutput,
  async run(engine: CheckingEngine, input) {
    const { session, runtime, record } = await openOwnWorkflow(engine, input, "gate.run");
    const { id } = record;
    await fillDocsBeforeGate(engine);
    const judged = await judgeStageGate(engine, record, { session, removals: input.tests_removed, isFresh: true });
    const proof = await createGateProof(engine, record, judged, false);
    const work = await detectWorkflowWork(engine, runtime, id);
    const receipt = await writeWorkflow(engine, { id, session }, (draft, now, tree) => {
      lockSessionWork(draft, work);
      if (now.current_stage !== record.current_stage) return undefined;
      const kept = { tree: work?.tree, proof, removals: input.tests_removed, isOnlyLooking: false };
      return recordGateVerdict(engine, { draft, tree }, now, judged, kept).receipt;
    });
    const after = await engine.store.read(loadWorkRuntime);
    const current = resolveWorkflow(after, { id, session }, "gate.run");
    return {
      passed: judged.isProven,
      can_advance: judged.passed,
      ...viewGateJudgement(judged),
      receipt,
      notes: [...(judged.ran?.notes ?? [])],
      workflow: createWorkflowView(current, after, session, engine.clock.now(), engine.clock.steady?.()),
    };
  },
  page({ passed, gate, checks, attempts, took, receipt, notes, unattributed, workflow }) {
    const open = checks.filter(isOpenCheck);
    const isUnapproved = open.some(isApprovalCheck);
    const isOnlyUnapproved = open.every(isApprovalCheck);
    const { id, stage } = workflow;
    const useless = passed || isOnlyUnapproved ? "gate.run" : isUnapproved ? undefined : "workflow.advance";
    const calls = suggestNextCalls(workflow).filter((each) => typeof each === "string" || each.operation !== useless);
    const done = checks.filter(({ status }) => status === "passed").map(({ check }) => check);
    return {
      title: passed
        ? `${gate} of ${id} passes${open.length > 0 ? " except for the user's approval" : ""}; stage ${stage} is still open.`
        : `${gate} of ${id} does not pass.`,
      facts: [
        ...(done.length > 0 ? [["passed", done.join(", ")] as const] : []),
        ...(receipt ? [["receipt", receipt] as const] : []),
        ...(took.length > 0 ? [["took", formatDurations(took)] as const] : []),
      ],
      points: [...formatOpenChecks(open), ...formatWaivedChecks(checks), ...formatGateAttempts(attempts), ...notes],
      next: [
        ...suggestUnknownCheckSteps(open),
        ...suggestGateFixes(open, workflow, calls),
        ...suggestClaims(id, unattributed),
        ...(passed ? [] : suggestFailedGateSteps(workflow, attempts)),
      ],
    };
  },
  isRefusal: ({ passed }) => !passed,
});

export const checkTestEvidence = defineOperation({
  id: "gate.evidence",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).TestEvidenceInput,
  output: async () => (await import("./schema.ts")).TestEvidenceOutput,
  async run(engine: CheckingEngine, input) {
    const { session, record } = await openOwnWorkflow(engine, input, "gate.evidence");
    const { id } = record;
    const rules = await requireTrustedChecks(engine, id, record.base_commit);
    const { stacks } = rules.definitions;
    const work = await loadWork(engine, record);
    const base = work?.base;
    const files = await loadChangedCode(engine, base, stacks);
    if (base === undefined || !files)
      throw new Fault("gate.no-base", {
        what: `The tests of ${id} were not run.`,
        why: "There is no commit from before the work to run them on.",
        fix: [
          "Commit the files without the work. Then start it again under another id, after:",
          { operation: "workflow.abandon", input: { id, reason: "git has lost the files from before the work" } },
        ],
      });
    const { cases, isExtended } = chooseProvingTests(files);
    const others = isExtended ? listOtherPaths(work?.files ?? [], files) : [];
    const { without, tried } = await runExclusively(engine, async () => {
      const seen = await runNewTestsOnBase(engine, { base, rules, files, tests: cases, others });
      const request = { root: engine.root, stacks, tests: cases, rules, name: "tests" };
      return { without: seen, tried: seen.onWorkingFiles ?? (await runTestFiles(engine, request)) };
    });
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
        cases.length === 0 || (isExtended && all.length === 0)
          ? [{ problem: "No new test was found in the changed code." }]
          : [...(isExtended ? [] : without.problems), ...unseen],
      failing: tried
        .flatMap(({ outcome, notes }) => [...outcome.problems.map(({ problem }) => problem), ...notes])
        .slice(0, 20),
    };
  },
  page({ id, tests, problems, failing }) {
    const red = tests.filter(({ red: why }) => why !== undefined);
    const green = red.filter(({ green: is }) => is);
    const isDone = problems.length === 0 && red.length > 0;
    return {
      title: isDone
        ? `${formatCount(red.length, "new test")} of ${id} failed without the implementation; ${green.length} of ${red.length} passed with it.`
        : `Not every new test of ${id} failed for the right reason.`,
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
        : [...suggestEvidenceFixes(tests.length, problems), { operation: "gate.evidence", input: { id } }],
    };
  },
  isRefusal: ({ problems, tests }) => problems.length > 0 || tests.every(({ red }) => red === undefined),
});

export const checkMutations = defineOperation({
  id: "gate.mutation-check",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).MutationCheckInput,
  output: async () => (await import("./schema.ts")).MutationCheckOutput,
  async run(engine: CheckingEngine, { id, most = 20, minutes = 5, session }) {
    const runtime = await engine.store.read(loadWorkRuntime);
    const asked =
      id ??
      resolveWorkflow(
        runtime,
        { id, session: resolveCallSession(engine, session, runtime.sessions) },
        "gate.mutation-check",
      ).id;
    const [, named = asked, criterion] = /^(.*)\.(AC-[0-9]{1,4})$/.exec(asked) ?? [];
    const spec = parseWorkflowId(named);
    const rules = await requireTrustedChecks(engine, asked, runtime.workflows.get(spec)?.base_commit);
    const found = await runExclusively(engine, () =>
      runMutationCheck(engine, rules, { spec, criterion, most, minutes }),
    );
    const criteria = found.map(({ survivors, ...sum }) => ({
      ...sum,
      survivors: survivors.map(({ path, line, shown: { before, after } }) => ({ file: path, line, before, after })),
    }));
    const passed = criteria.every(({ problem, survivors }) => problem === undefined && survivors.length === 0);
    return { id: asked, passed, criteria };
  },
  page({ id, passed, criteria }) {
    const tried = criteria.reduce((total, { detected }) => total + detected, 0);
    const alive = criteria.flatMap(({ survivors }) => survivors).length;
    const failure =
      alive > 0
        ? `No test detects ${formatCount(alive, "mutation")} of the code of ${id}.`
        : `The mutation check of ${id} could not run.`;
    return {
      title: passed ? `The tests of ${id} detect every mutation: ${tried} tried.` : failure,
      table: {
        columns: ["criterion", "tried", "detected", "survived", "invalid", "left"],
        rows: criteria.map(({ name, survivors, ...each }) =>
          [name, each.tried, each.detected, survivors.length, each.invalid, each.left].map(String),
        ),
      },
      points: criteria.flatMap(({ name, problem, survivors }) => [
        ...(problem === undefined ? [] : [problem]),
        ...survivors.map(
          ({ file, line, before, after }) => `${file}:${line}: ${describeSurvivor(name, before, after)}`,
        ),
      ]),
      next: passed
        ? []
        : ["Add a test that fails for each change listed above.", { operation: "gate.mutation-check", input: { id } }],
    };
  },
  isRefusal: ({ passed }) => !passed,
});
