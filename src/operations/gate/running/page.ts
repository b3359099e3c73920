import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import type { SuggestedFix } from "#domain/fault.ts";
import { limitShownProblems } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { GateCheckResult } from "#domain/workflow/record.ts";
import type { GateJudgement } from "../../workflow/running/gate.ts";
import type { WorkflowViewData } from "../../workflow/running/view.ts";
import type { GateAttemptsOutput, GateCheckOutput } from "../../workflow/schema.ts";
import { TRUST_NEEDED } from "./rules.ts";

type CheckView = z.infer<typeof GateCheckOutput>;
type AttemptsView = z.infer<typeof GateAttemptsOutput>;

export const viewGateCheck = ({ check, status, problems, reason }: GateCheckResult): CheckView => ({
  check,
  status,
  problems: limitShownProblems(problems),
  ...(reason ? { reason } : {}),
});

export const viewGateAttempts = ({ ran }: GateJudgement): AttemptsView =>
  (ran?.attempts ?? []).map((each) => ({
    ...each,
    fixed: [...each.fixed],
    failed: each.failed.map((one) => ({ ...one })),
  }));

export function formatOpenChecks(open: readonly CheckView[]): string[] {
  const isBare = ({ problems }: CheckView): boolean => problems.length === 0;
  return open.flatMap((each) => {
    const { check, problems, reason = "" } = each;
    if (!isBare(each))
      return problems.map(({ problem, line }) => `${check}: ${line ? `line ${line}: ` : ""}${problem}`);
    const same = open.filter((other) => isBare(other) && (other.reason ?? "") === reason);
    return same[0] === each ? [`${same.map((other) => other.check).join(", ")}: unknown. ${reason}`.trimEnd()] : [];
  });
}

export const formatWaivedChecks = (checks: readonly CheckView[]): string[] =>
  checks.filter(({ status }) => status === "waived").map(({ check, reason }) => `${check} was waived: ${reason}`);

/** Lists every attempt if there was more than one, so that the next session knows the earlier ones. */
export function formatGateAttempts(attempts: AttemptsView): string[] {
  if (attempts.length < 2) return [];
  const last = attempts.at(-1);
  const end =
    last?.failed.length === 0
      ? `Gate passed on attempt ${attempts.length}.`
      : `Gate failed after ${formatCount(attempts.length - 1, "retry").replace("retrys", "retries")}, escalating to the user.`;
  return [...attempts.map(formatGateAttempt), end];
}

function formatGateAttempt({ n, waited_s, fixed, failed }: AttemptsView[number]): string {
  const fixes = fixed.length > 0 ? ` and the fix of ${fixed.join(", ")}` : "";
  const before = n === 1 ? "" : ` after ${waited_s} s${fixes}`;
  const said = failed
    .map((each) => `${each.check} (${each.failure}): ${sanitizeText(each.said, 200).replace(/\.$/, "")}`)
    .join("; ");
  return `Attempt ${n}${before}: ${said === "" ? "passed" : said}`;
}

export function suggestFailedGateSteps(
  { id, stages, stage }: WorkflowViewData,
  attempts: AttemptsView,
): SuggestedFix[] {
  if ((attempts.at(-1)?.failed.length ?? 0) === 0) return [];
  const at = stages.findIndex(({ name }) => name === stage);
  const before = stages[at - 1]?.name;
  return [
    ...(before === undefined ? [] : [{ operation: "workflow.rollback", input: { id, stage: before } } as const]),
    { operation: "workflow.abandon", input: { id, reason: "…" } },
  ];
}

/**
 * Untrusted checks come first. A check that cannot run needs a waiver with a reason in the settings, which the user
 * approves.
 */
export function suggestUnknownCheckSteps(open: readonly CheckView[]): string[] {
  const isUntrusted = open.some(({ status, reason }) => status === "unknown" && reason?.endsWith(TRUST_NEEDED));
  if (isUntrusted) return ["Ask the user to type: tenon trust"];
  const unknown = open.filter(({ status }) => status === "unknown").map(({ check }) => check);
  if (unknown.length === 0) return [];
  const lines = unknown.map((check) => `${check}: <reason>`).join(", ");
  return [
    `${formatCount(unknown.length, "check")} nobody could run. To do without: gates: { waived: { ${lines} } } in sdd/config.yaml, then tenon trust`,
  ];
}
