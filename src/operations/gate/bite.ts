import type * as z from "zod";
import { describeSurvivor } from "#domain/bite/bite.ts";
import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { parseWorkflowId } from "#domain/workflow/id.ts";
import { defineOperation } from "../operation.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "../workflow/running/runtime.ts";
import { runMutationCheck } from "./running/bite-check.ts";
import type { CriterionMutations } from "./running/biting.ts";
import { requireTrustedChecks } from "./running/rules.ts";
import { runExclusively } from "./running/trying.ts";
import type { MutationCheckInput, MutationCheckOutput } from "./schema.ts";

type MutationCheckRequest = z.infer<typeof MutationCheckInput>;
type MutationCheckResult = z.infer<typeof MutationCheckOutput>;

export const checkMutations = defineOperation<MutationCheckRequest, MutationCheckResult>({
  id: "gate.bite",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).MutationCheckInput,
  output: async () => (await import("./schema.ts")).MutationCheckOutput,
  async run(engine, { id, most = 20, minutes = 5, session }) {
    const runtime = await engine.store.read(loadWorkRuntime);
    const asked = id ?? resolveWorkflow(runtime, { id, session: resolveSession(engine, session) }, "gate.bite").id;
    const [spec, criterion] = parseMutationTarget(asked);
    const rules = await requireTrustedChecks(engine, asked, runtime.workflows.get(spec)?.base_commit);
    const found = await runExclusively(engine, () =>
      runMutationCheck(engine, rules, { spec, criterion, most, minutes }),
    );
    const criteria = found.map(viewCriterionMutations);
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

const viewCriterionMutations = ({
  survivors,
  ...sum
}: CriterionMutations): MutationCheckResult["criteria"][number] => ({
  ...sum,
  survivors: survivors.map(({ path, line, shown: { before, after } }) => ({ file: path, line, before, after })),
});

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
