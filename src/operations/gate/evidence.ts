import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { evidenceOf, type SeenRed } from "#domain/gate/evidence.ts";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { mayHold } from "#domain/report/read-tests.ts";
import { whyFailed } from "#domain/report/why.ts";
import { findTestCheck } from "#domain/stack/check.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "../workflow/running/runtime.ts";
import { rejectOtherWorktree } from "../workflow/running/view.ts";
import { syncWorkflowState, requireWritableWorkflow, writeWorkflow } from "../workflow/running/writing.ts";
import { EVIDENCE_SPACE } from "../workflow/spaces.ts";
import { changedCode, type ChangedFile } from "./running/changed.ts";
import { keepSeen, seenRecently } from "./running/recorded.ts";
import { type Rules, rulesOf } from "./running/rules.ts";
import { broughtBy, type CaseText, newCases, seeRed } from "./running/seeing.ts";
import { alone, isGreen, type Tried, tryCheck } from "./running/trying.ts";
import type { EvidenceQuery, EvidenceSeen } from "./schema.ts";

type Output = z.infer<typeof EvidenceSeen>;

export const evidence = defineOperation<z.infer<typeof EvidenceQuery>, Output>({
  id: "gate.evidence",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).EvidenceQuery,
  output: async () => (await import("./schema.ts")).EvidenceSeen,
  async run(engine, input) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, input.session);
    const runtime = await engine.store.read(loadWorkRuntime);
    const { id } = resolveWorkflow(runtime, { id: input.id, session }, "gate.evidence");
    const record = requireWritableWorkflow(runtime, id, session);
    rejectOtherWorktree(engine, record);
    const { rules, base, files } = await grounds(engine, record);
    const cases = newCases(files);
    const seen = await alone(engine, async () => {
      const without = await seeRed(engine, { base, rules, files });
      return { without, tried: await tryTests(engine, rules) };
    });
    const inline = redNow(cases, files, seen.tried, new Set(seen.without.inline.map(({ file }) => file)));
    const red = [...seen.without.red, ...inline];
    const known = await seenRecently(engine, id, cases);
    const all = [...red, ...known.filter((one) => !red.some((each) => isSame(each, one)))];
    await writeWorkflow(engine, { id, session }, (draft, _, tree) => {
      keepSeen(draft, engine, id, cases, red, tree.kept(EVIDENCE_SPACE).get(id) ?? []);
      draft.say("gate.evidence", id, { red: all.length, cases: cases.length });
    });
    const unseen = seen.without.unseen.map((problem) => ({ problem }));
    return answer(id, cases, all, seen.tried, [...seen.without.problems, ...unseen]);
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

interface Grounds {
  readonly rules: Rules;
  readonly base: string;
  readonly files: readonly ChangedFile[];
}

async function grounds(engine: Engine, record: WorkflowRecord): Promise<Grounds> {
  const { id, base_commit: base } = record;
  const rules = await rulesOf(engine, id, base);
  const files = await changedCode(engine, record, rules.definitions.stacks);
  if (base === undefined || !files) {
    throw new Fault("gate.no-base", {
      what: `The tests of ${id} were not run.`,
      why: "There is no commit from before the work, on which they could be seen to fail.",
      fix: "Commit the files as they were before, abandon the workflow and begin it anew.",
    });
  }
  return { rules, base, files };
}

async function tryTests(engine: Engine, rules: Rules): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const stack of rules.definitions.stacks) {
    const check = findTestCheck(stack);
    if (check) tried.push(await tryCheck(engine, engine.root, { name: "tests", stack, check }, rules.passes));
    throwIfCancelled(engine.progress);
  }
  return tried;
}

/** Inline tests share a file with the code under test, so they can only fail while that code is not written yet. */
function redNow(
  cases: readonly CaseText[],
  files: readonly ChangedFile[],
  tried: readonly Tried[],
  inline: ReadonlySet<string>,
): SeenRed[] {
  const own = cases.filter(({ file }) => inline.has(file));
  return tried.flatMap(({ report, check }) => {
    const format = check.report?.format;
    if (!report || !format) return [];
    return evidenceOf({
      cases: own,
      report,
      whyFailed: (failed) => whyFailed(format, failed),
      mayHold: (told, file) => mayHold(format, told, file),
      isBrought: broughtBy(files),
    }).red;
  });
}

const isSame = (a: Pick<SeenRed, "file" | "name">, b: Pick<SeenRed, "file" | "name">): boolean =>
  a.file === b.file && a.name === b.name;

function answer(
  id: string,
  cases: readonly CaseText[],
  red: readonly SeenRed[],
  tried: readonly Tried[],
  problems: readonly { readonly problem: string; readonly line?: number }[],
): Output {
  return {
    id,
    tests: cases.map(({ file, name, line }) => {
      const seen = red.find((each) => each.file === file && each.name === name);
      return { file, name, line, ...(seen ? { red: seen.why } : {}), green: isGreen(tried, { file, name }) };
    }),
    problems: cases.length === 0 ? [{ problem: "No new test was found in the changed code." }] : [...problems],
    failing: tried.flatMap(({ outcome }) => outcome.problems.map(({ problem }) => problem)).slice(0, 20),
  };
}
