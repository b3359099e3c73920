import type { CheckReceipt, Receipt } from "#domain/gate/receipt.ts";
import { listClaimedChecks, type CheckRerun } from "#domain/gate/verification.ts";
import type { Engine } from "../engine.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import { type TrustedChecks, loadCheckRuling } from "./running/rules.ts";
import { runExclusively, formatCheckCommand, type PlannedCheck, runCheck } from "./running/trying.ts";

export type ReceiptRerunner = (engine: Engine, receipt: Receipt) => Promise<readonly CheckRerun[]>;

/** Runs today's trusted commands: a receipt proves past runs and must not choose what to execute. */
export const rerunReceiptChecks: ReceiptRerunner = async (engine, receipt) => {
  const claimed = listClaimedChecks(receipt);
  const { rules, refused = "" } = await loadCheckRuling(engine, receipt.base);
  const told = (check: string, problem: string): CheckRerun => ({ check, passed: false, problem });
  if (!rules) return claimed.map(({ check }) => told(check, refused));
  return runExclusively(engine, async () => {
    const results: CheckRerun[] = [];
    for (const each of claimed) {
      const planned = findPlannedCheck(each, rules);
      if (!planned) {
        results.push(told(each.check, `Nothing here runs ${(each.argv ?? []).join(" ")} any more.`));
        continue;
      }
      const { outcome } = await runCheck(engine, engine.root, planned, rules.passes);
      throwIfCancelled(engine.progress);
      const [problem = outcome.reason] = outcome.problems.map((one) => one.problem);
      results.push(
        outcome.status === "passed" ? { check: each.check, passed: true } : told(each.check, problem ?? "It failed."),
      );
    }
    return results;
  });
};

function findPlannedCheck(
  { check: name, directory, argv }: CheckReceipt,
  { definitions }: TrustedChecks,
): PlannedCheck | undefined {
  const words = JSON.stringify(argv);
  for (const stack of definitions.stacks) {
    const check = stack.checks.find((each) => JSON.stringify(formatCheckCommand(each)) === words);
    if (check && stack.directory === directory) return { name, stack, check };
  }
  return undefined;
}
