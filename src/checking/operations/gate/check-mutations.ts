import type { CheckingEngine } from "../engine.ts";
import type * as z from "zod";
import { describeSurvivor } from "../../model/mutation/mutation-check.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "#planning/operations/workflow/workflow-runtime.ts";
import { runMutationCheck } from "./run-mutation-check.ts";
import { requireTrustedChecks } from "./load-trusted-checks.ts";
import { runExclusively } from "./run-check.ts";
import type { MutationCheckOutput } from "./schema.ts";

type MutationCheckResult = z.infer<typeof MutationCheckOutput>;

export const checkMutations = defineOperation({
  id: "gate.bite",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).MutationCheckInput,
  output: async () => (await import("./schema.ts")).MutationCheckOutput,
  async run(engine: CheckingEngine, { id, most = 20, minutes = 5, session }) {
    const runtime = await engine.store.read(loadWorkRuntime);
    const asked = id ?? resolveWorkflow(runtime, { id, session: resolveSession(engine, session) }, "gate.bite").id;
    const [spec, criterion] = parseMutationTarget(asked);
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
  page: formatMutationPage,
  isRefusal: ({ passed }) => !passed,
});

function parseMutationTarget(asked: string): [spec: string, criterion: string | undefined] {
  const match = /^(.*)\.(AC-[0-9]{1,4})$/.exec(asked);
  return match === null ? [parseWorkflowId(asked), undefined] : [parseWorkflowId(match[1] ?? ""), match[2]];
}

function formatMutationPage({ id, passed, criteria }: MutationCheckResult): Page {
  const sum = (of: (each: MutationCheckResult["criteria"][number]) => number): number =>
    criteria.reduce((total, each) => total + of(each), 0);
  const [tried, alive] = [sum(({ bitten }) => bitten), sum(({ survivors }) => survivors.length)];
  const title = passed
    ? `The tests of ${id} bite: ${formatCount(tried, "mutation")} noticed.`
    : alive > 0
      ? `Nothing notices ${formatCount(alive, "mutation")} of the code of ${id}.`
      : `Whether the tests of ${id} bite could not be seen.`;
  return {
    title,
    table: {
      columns: ["criterion", "tried", "noticed", "survived", "unfit", "left"],
      rows: criteria.map(({ name, survivors, ...each }) =>
        [name, each.tried, each.bitten, survivors.length, each.unfit, each.left].map(String),
      ),
    },
    points: criteria.flatMap(({ name, problem, survivors }) => [
      ...(problem === undefined ? [] : [problem]),
      ...survivors.map(({ file, line, before, after }) => `${file}:${line}: ${describeSurvivor(name, before, after)}`),
    ]),
    next: passed ? [] : [{ operation: "gate.bite", input: { id } }],
  };
}
