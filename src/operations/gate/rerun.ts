import type { CheckReceipt, Receipt } from "#domain/gate/receipt.ts";
import { claimedBy, type Rerun } from "#domain/gate/verification.ts";
import type { Engine } from "../engine.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import { type Rules, rulingFor } from "./running/rules.ts";
import { alone, argvOf, type Planned, tryCheck } from "./running/trying.ts";

export type RerunReceipt = (engine: Engine, receipt: Receipt) => Promise<readonly Rerun[]>;

/** Runs today's trusted commands: a receipt proves past runs and must not choose what to execute. */
export const rerunReceipt: RerunReceipt = async (engine, receipt) => {
  const claimed = claimedBy(receipt);
  const { rules, refused = "" } = await rulingFor(engine, receipt.base);
  const told = (check: string, problem: string): Rerun => ({ check, passed: false, problem });
  if (!rules) return claimed.map(({ check }) => told(check, refused));
  return alone(engine, async () => {
    const results: Rerun[] = [];
    for (const each of claimed) {
      const planned = plannedFor(each, rules);
      if (!planned) {
        results.push(told(each.check, `Nothing here runs ${(each.argv ?? []).join(" ")} any more.`));
        continue;
      }
      const { outcome } = await tryCheck(engine, engine.root, planned, rules.passes);
      throwIfCancelled(engine.progress);
      const [problem = outcome.reason] = outcome.problems.map((one) => one.problem);
      results.push(
        outcome.status === "passed" ? { check: each.check, passed: true } : told(each.check, problem ?? "It failed."),
      );
    }
    return results;
  });
};

function plannedFor({ check: name, directory, argv }: CheckReceipt, { definitions }: Rules): Planned | undefined {
  const words = JSON.stringify(argv);
  for (const stack of definitions.stacks) {
    const check = stack.checks.find((each) => JSON.stringify(argvOf(each)) === words);
    if (check && stack.directory === directory) return { name, stack, check };
  }
  return undefined;
}
