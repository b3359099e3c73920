import { describeSurvivor } from "#domain/bite/bite.ts";
import { canReportFile } from "#domain/report/read-tests.ts";
import { type FolderStack, findTestCheck } from "#domain/stack/check.ts";
import type { GateCheckResult } from "#domain/workflow/record.ts";
import type { Engine } from "../../engine.ts";
import { mutateCriteria, type CriterionMutations, type MutationRequest } from "./biting.ts";
import type { TrustedChecks, CheckRuling } from "./rules.ts";
import { runCheck } from "./trying.ts";

const GATE_MUTATION_LIMITS = { most: 20, minutes: 5 } as const;

export const runMutationCheck = (
  engine: Engine,
  rules: TrustedChecks,
  asked: Pick<MutationRequest, "spec" | "criterion" | "most" | "minutes">,
): Promise<CriterionMutations[]> => mutateCriteria(engine, { ...asked, ...createMutationRunner(engine, rules) });

export async function createMutationResult(
  engine: Engine,
  { rules, refused }: CheckRuling,
  spec: string,
): Promise<GateCheckResult> {
  if (!rules) return { check: "bite", status: "unknown", problems: [], reason: refused ?? "Nothing may be run." };
  const found = await runMutationCheck(engine, rules, { spec, ...GATE_MUTATION_LIMITS });
  const problems = found.flatMap(({ name, problem, survivors }) => [
    ...(problem === undefined ? [] : [{ problem }]),
    ...survivors.map(({ path, line, shown: { before, after } }) => ({
      problem: `${path}: ${describeSurvivor(name, before, after)}`,
      line,
    })),
  ]);
  return { check: "bite", status: problems.length === 0 ? "passed" : "failed", problems };
}

/** Limits the time by the first run, because mutated code may loop forever. */
function createMutationRunner(
  engine: Engine,
  { definitions, passes }: TrustedChecks,
): Pick<MutationRequest, "stacks" | "test" | "mayHold"> {
  const usual = new Map<FolderStack, number>();
  return {
    stacks: definitions.stacks.filter((stack) => findTestCheck(stack) !== undefined),
    async test(stack, root) {
      const check = findTestCheck(stack);
      if (!check) return undefined;
      const took = usual.get(stack);
      const timeout_s = took === undefined ? check.timeout_s : Math.min(check.timeout_s, Math.ceil(took * 5) + 10);
      const planned = { name: "bite", stack, check: { ...check, timeout_s } };
      const { report, outcome, receipt } = await runCheck(engine, root, planned, passes);
      if (took === undefined) usual.set(stack, (receipt.ms ?? 0) / 1000);
      return outcome.failure === "transient" ? "endless" : report;
    },
    mayHold(stack, told, path) {
      const format = findTestCheck(stack)?.report?.format;
      return format !== undefined && canReportFile(format, told, path);
    },
  };
}
