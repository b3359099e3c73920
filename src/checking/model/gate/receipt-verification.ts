import * as z from "zod/mini";
import { compareTexts, formatCount } from "#kernel/model/text-format.ts";
import type { GateAllowance } from "#planning/model/workflow/workflow-record.ts";
import type { ReceiptChain, ChainedReceipt, CheckReceipt, Receipt, TextDigest } from "./receipt-chain.ts";
import { formatUnprovedApproval, listUnprovedApprovals } from "./receipt-approvals.ts";
import { limitShownProblems } from "#kernel/model/verdict.ts";

export interface KnownReceipts {
  readonly id: string;
  readonly path: string;
  readonly chain: ReceiptChain;
  /** Gates of a finished workflow that need a receipt; undefined while the workflow is in progress. */
  readonly owed?: readonly string[] | undefined;
  /** Number of receipts that this machine wrote here and that the file no longer has. */
  readonly lost: number;
  /** Whether the file has no uncommitted changes, so that git history explains missing receipts. */
  readonly isCommitted: boolean;
  /** Number of receipts that are not committed, and that this machine did not write here. */
  readonly foreign?: number;
  /** Whether a change has exceptions, and no answer of the user is recorded. */
  readonly isUnanswered?: boolean;
}

export const VerifiedChain = z.object({
  id: z.string(),
  path: z.string(),
  finished: z.boolean(),
  receipts: z.int(),
  /** Passed receipts for exactly the current files. */
  matching: z.int(),
  earlier: z.int(),
  failed: z.int(),
  newest: z.optional(z.object({ id: z.string(), gate: z.string(), at: z.string(), matches: z.boolean() })),
  problems: z.array(z.object({ problem: z.string(), line: z.optional(z.int()) })),
  findings: z.array(z.string()),
  unproved: z.array(z.object({ problem: z.string(), line: z.int() })),
  reruns: z.array(
    z.object({ receipt: z.string(), check: z.string(), passed: z.boolean(), problem: z.optional(z.string()) }),
  ),
});
export type VerifiedChain = z.output<typeof VerifiedChain>;
export type CheckRerun = Omit<VerifiedChain["reruns"][number], "receipt">;

export interface ReceiptVerification {
  readonly strict: boolean;
  readonly workflows: readonly VerifiedChain[];
  readonly findings: readonly string[];
  /** Files in the receipt folder that are not receipts. */
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
}

/** The reason with which a change passes in a project without tests. */
export const NO_TESTS_REASON = "The project has no tests that Tenon can run.";

/** Lists the requirements that a change removes. Only the user knows whether they still hold. */
export const REMOVAL_CHECK = "requirements-removed";

/** Checks of a change whose exceptions the user judges. */
const TEST_CHECKS: readonly string[] = [
  "tests-kept",
  "test-detection",
  "mutation-check",
  "requirement-tests",
  REMOVAL_CHECK,
];

/** What a change may do with a reason: remove tests or requirements, edit tests, and keep tests that prove nothing. */
export const listTestExceptions = (checks: readonly CheckReceipt[]): readonly GateAllowance[] =>
  checks.flatMap(({ check, allowed = [] }) => (TEST_CHECKS.includes(check) ? allowed : []));

/** Names the question to the user about these exceptions. */
export const getExceptionsQuestion = (change: string): string => `${change}/tests`;

export const digestTestExceptions = (digest: TextDigest, allowed: readonly GateAllowance[]): string =>
  digest(JSON.stringify(allowed.map(({ what, reason }) => [what, reason])));

/** Changes may end without changed files or without tests. A reviewer decides whether that was right. */
const listUnverifiedParts = ({ gate, checks }: Receipt): string[] =>
  checks.flatMap(({ check, status, reason }) => {
    if (gate !== "change-gate" || status !== "waived") return [];
    if (check === "code") return [reason?.startsWith("Only ") ? reason : `No file changed: ${reason}`];
    return reason === NO_TESTS_REASON ? [`No test ran: ${reason}`] : [];
  });

export function verifyReceiptChain(known: KnownReceipts, tree: string | undefined): VerifiedChain {
  const { id, path, chain, owed, lost, isCommitted, isUnanswered = false, foreign = 0 } = known;
  const passing = chain.receipts.filter(({ receipt }) => receipt.passed);
  const matches = ({ receipt }: ChainedReceipt): boolean => tree !== undefined && receipt.tree === tree;
  const newest = passing.at(-1);
  const matching = passing.filter(matches).length;
  const missing = (owed ?? []).filter((gate) => !passing.some(({ receipt }) => receipt.gate === gate));
  const is = lost === 1 ? "is" : "are";
  const cut = lost === 0 ? [] : [`${formatCount(lost, "receipt")} that this machine wrote here ${is} not in it.`];
  return {
    id,
    path,
    finished: owed !== undefined,
    receipts: chain.receipts.length,
    matching,
    earlier: passing.length - matching,
    failed: chain.receipts.length - passing.length,
    newest: newest && {
      id: newest.receipt.id,
      gate: newest.receipt.gate,
      at: newest.receipt.at,
      matches: matches(newest),
    },
    problems: limitShownProblems([...chain.problems, ...(isCommitted ? [] : cut.map((problem) => ({ problem })))]),
    findings: [
      ...(isCommitted ? cut : []),
      ...missing.map((gate) => `It is finished, but no receipt shows that ${gate} passed.`),
      ...(newest ? listUnverifiedParts(newest.receipt) : []),
      ...(foreign === 0
        ? []
        : [`${formatCount(foreign, "receipt")} in it: not committed, and not written by Tenon on this machine.`]),
      ...(isUnanswered ? ["Its receipt has exceptions, and no answer of the user is recorded."] : []),
    ],
    unproved: listUnprovedApprovals(chain).map((each) => ({
      problem: formatUnprovedApproval(each),
      line: each.line,
    })),
    reruns: [],
  };
}

export const findRerunnableReceipt = ({ receipts }: ReceiptChain): Receipt | undefined =>
  receipts.findLast(({ receipt }) => receipt.passed && receipt.checks.some(({ argv }) => argv !== undefined))?.receipt;

/** Equal for two receipts that ran the same commands in the same folders. */
export const formatCommandKey = ({ checks }: Receipt): string =>
  JSON.stringify(checks.flatMap(({ check, directory = ".", argv }) => (argv ? [[check, directory, argv]] : [])));

/** Checks that the receipt claims to have run, and passed, on the working files. */
export const listClaimedChecks = ({ checks }: Receipt): CheckReceipt[] =>
  checks.filter(({ argv, on, status }) => argv !== undefined && on === undefined && status === "passed");

/** A claimed check that did not run again counts as failed. */
export function compareCheckReruns(receipt: Receipt, results: readonly CheckRerun[]): CheckRerun[] {
  const claimed = Map.groupBy(listClaimedChecks(receipt), ({ check }) => check);
  return [...claimed].flatMap(([check, { length }]) => {
    const found = results.filter((each) => each.check === check);
    const unrun = { check, passed: false, problem: "It was not run again." };
    return [...found, ...Array.from({ length: Math.max(0, length - found.length) }, () => unrun)];
  });
}

export function findNewestReceipt(all: readonly VerifiedChain[]): VerifiedChain["newest"] {
  return all
    .flatMap(({ newest }) => newest ?? [])
    .toSorted((one, other) => compareTexts(one.at, other.at) || Number(one.matches) - Number(other.matches))
    .at(-1);
}

export function formatVerificationSummary(all: readonly VerifiedChain[], hasTree: boolean): string {
  const sum = (count: "receipts" | "matching" | "earlier" | "failed"): number =>
    all.reduce((total, each) => total + each[count], 0);
  const [receipts, matching, earlier, failed] = [sum("receipts"), sum("matching"), sum("earlier"), sum("failed")];
  const broken = all.filter(({ problems }) => problems.length > 0).length;
  if (receipts === 0 && broken === 0) return "No receipts to verify.";
  const altered = broken === 0 ? "none altered" : `${formatCount(broken, "chain")} altered`;
  const matched = hasTree
    ? `${matching} ${matching === 1 ? "matches" : "match"} the current files, ${earlier} ${earlier === 1 ? "belongs" : "belong"} to older versions`
    : "Without git Tenon cannot compare them with your files";
  const unpassed = failed > 0 ? ` ${failed} ${failed === 1 ? "records" : "record"} a gate that did not pass.` : "";
  const head = `${formatCount(receipts, "receipt")} of ${formatCount(all.length, "workflow")}, ${altered}`;
  const reruns = all.flatMap((each) => each.reruns);
  const refuted = reruns.filter(({ passed }) => !passed).length;
  const rerun = ` ${formatCount(reruns.length, "check")} run again, ${refuted === 0 ? "all passed" : `${refuted} failed`}.`;
  return `${head}. ${matched}.${unpassed}${reruns.length === 0 ? "" : rerun}`;
}
