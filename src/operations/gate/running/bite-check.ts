import { unnoticed } from "#domain/bite/bite.ts";
import { mayHold } from "#domain/report/read-tests.ts";
import { type FolderStack, findTestCheck } from "#domain/stack/check.ts";
import type { GateCheckResult } from "#domain/workflow/record.ts";
import type { Engine } from "../../engine.ts";
import { biteAll, type BiteOf, type Biting } from "./biting.ts";
import type { Rules, Ruling } from "./rules.ts";
import { tryCheck } from "./trying.ts";

const OF_A_GATE = { most: 20, minutes: 5 } as const;

export const biteBy = (
  engine: Engine,
  rules: Rules,
  asked: Pick<Biting, "spec" | "criterion" | "most" | "minutes">,
): Promise<BiteOf[]> => biteAll(engine, { ...asked, ...testing(engine, rules) });

export async function biteResult(engine: Engine, { rules, refused }: Ruling, spec: string): Promise<GateCheckResult> {
  if (!rules) return { check: "bite", status: "unknown", problems: [], reason: refused ?? "Nothing may be run." };
  const found = await biteBy(engine, rules, { spec, ...OF_A_GATE });
  const problems = found.flatMap(({ name, problem, survivors }) => [
    ...(problem === undefined ? [] : [{ problem }]),
    ...survivors.map(({ path, line, shown: { before, after } }) => ({
      problem: `${path}: ${unnoticed(name, before, after)}`,
      line,
    })),
  ]);
  return { check: "bite", status: problems.length === 0 ? "passed" : "failed", problems };
}

/** Limits the time by the first run, because mutated code may loop forever. */
function testing(engine: Engine, { definitions, passes }: Rules): Pick<Biting, "stacks" | "test" | "mayHold"> {
  const usual = new Map<FolderStack, number>();
  return {
    stacks: definitions.stacks.filter((stack) => findTestCheck(stack) !== undefined),
    async test(stack, root) {
      const check = findTestCheck(stack);
      if (!check) return undefined;
      const took = usual.get(stack);
      const timeout_s = took === undefined ? check.timeout_s : Math.min(check.timeout_s, Math.ceil(took * 5) + 10);
      const planned = { name: "bite", stack, check: { ...check, timeout_s } };
      const { report, outcome, receipt } = await tryCheck(engine, root, planned, passes);
      if (took === undefined) usual.set(stack, (receipt.ms ?? 0) / 1000);
      return outcome.failure === "transient" ? "endless" : report;
    },
    mayHold(stack, told, path) {
      const format = findTestCheck(stack)?.report?.format;
      return format !== undefined && mayHold(format, told, path);
    },
  };
}
