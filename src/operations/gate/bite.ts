import type * as z from "zod";
import { unnoticed } from "#domain/bite/bite.ts";
import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { parseWorkflowId } from "#domain/workflow/id.ts";
import { defineOperation } from "../operation.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "../workflow/running/runtime.ts";
import { biteBy } from "./running/bite-check.ts";
import type { BiteOf } from "./running/biting.ts";
import { rulesOf } from "./running/rules.ts";
import { alone } from "./running/trying.ts";
import type { BiteQuery, Bitten } from "./schema.ts";

type Input = z.infer<typeof BiteQuery>;
type Output = z.infer<typeof Bitten>;

export const bite = defineOperation<Input, Output>({
  id: "gate.bite",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).BiteQuery,
  output: async () => (await import("./schema.ts")).Bitten,
  async run(engine, { id, most = 20, minutes = 5, session }) {
    const runtime = await engine.store.read(loadWorkRuntime);
    const asked = id ?? resolveWorkflow(runtime, { id, session: resolveSession(engine, session) }, "gate.bite").id;
    const [spec, criterion] = parts(asked);
    const rules = await rulesOf(engine, asked, runtime.workflows.get(spec)?.base_commit);
    const found = await alone(engine, () => biteBy(engine, rules, { spec, criterion, most, minutes }));
    const criteria = found.map(shown);
    const passed = criteria.every(({ problem, survivors }) => problem === undefined && survivors.length === 0);
    return { id: asked, passed, criteria };
  },
  page,
  isRefusal: ({ passed }) => !passed,
});

function parts(asked: string): [spec: string, criterion: string | undefined] {
  const match = /^(.*)\.(AC-[0-9]{1,4})$/.exec(asked);
  return match === null ? [parseWorkflowId(asked), undefined] : [parseWorkflowId(match[1] ?? ""), match[2]];
}

const shown = ({ survivors, ...sum }: BiteOf): Output["criteria"][number] => ({
  ...sum,
  survivors: survivors.map(({ path, line, shown: { before, after } }) => ({ file: path, line, before, after })),
});

function page({ id, passed, criteria }: Output): Page {
  const sum = (of: (each: Output["criteria"][number]) => number): number =>
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
      ...survivors.map(({ file, line, before, after }) => `${file}:${line}: ${unnoticed(name, before, after)}`),
    ]),
    next: passed ? [] : [{ operation: "gate.bite", input: { id } }],
  };
}
