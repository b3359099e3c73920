import * as z from "zod/mini";
import { formatCount } from "#kernel/model/text-format.ts";
import type { ReceiptChain, ChainedReceipt, CheckReceipt, Receipt } from "./receipt-chain.ts";
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
}

export interface CheckRerun {
  readonly check: string;
  readonly passed: boolean;
  readonly problem?: string | undefined;
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
  reruns: z.array(
    z.object({ receipt: z.string(), check: z.string(), passed: z.boolean(), problem: z.optional(z.string()) }),
  ),
});
export type VerifiedChain = z.output<typeof VerifiedChain>;

export interface ReceiptVerification {
  readonly strict: boolean;
  readonly workflows: readonly VerifiedChain[];
  readonly findings: readonly string[];
  /** Files in the receipt folder that are not receipts. */
  readonly strays: readonly { readonly path: string; readonly problem: string }[];
}

export function verifyReceiptChain(known: KnownReceipts, tree: string | undefined): VerifiedChain {
  const { id, path, chain, owed, lost, isCommitted } = known;
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
    newest: newest && summarizeReceipt(newest.receipt, matches(newest)),
    problems: limitShownProblems([...chain.problems, ...(isCommitted ? [] : cut.map((problem) => ({ problem })))]),
    findings: [
      ...(isCommitted ? cut : []),
      ...missing.map((gate) => `It is finished, but no receipt says that ${gate} was passed.`),
    ],
    reruns: [],
  };
}

const summarizeReceipt = ({ id, gate, at }: Receipt, matches: boolean): VerifiedChain["newest"] => ({
  id,
  gate,
  at,
  matches,
});

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
    .toSorted((one, other) =>
      one.at < other.at ? -1 : one.at > other.at ? 1 : Number(one.matches) - Number(other.matches),
    )
    .at(-1);
}

export function formatVerificationSummary(all: readonly VerifiedChain[], hasTree: boolean): string {
  const sum = (of: (each: VerifiedChain) => number): number => all.reduce((total, each) => total + of(each), 0);
  const [receipts, matching] = [sum((each) => each.receipts), sum((each) => each.matching)];
  const [earlier, failed] = [sum((each) => each.earlier), sum((each) => each.failed)];
  const broken = all.filter(({ problems }) => problems.length > 0).length;
  if (receipts === 0 && broken === 0) return "verify: there are no receipts.";
  const chains = broken === 0 ? "all chains whole" : `${formatCount(broken, "chain")} broken`;
  const standing = hasTree
    ? `${matching} ${matching === 1 ? "matches" : "match"} this tree, ${earlier === 1 ? "1 is of an earlier one" : `${earlier} are of earlier ones`}`
    : "without git none can be matched";
  const unpassed = failed > 0 ? `, ${failed} ${failed === 1 ? "tells" : "tell"} of a gate that was not passed` : "";
  const head = `verify: ${formatCount(all.length, "workflow")}, ${formatCount(receipts, "receipt")}, ${chains}`;
  return `${head}; ${standing}${unpassed}.${formatRerunSummary(all.flatMap(({ reruns }) => reruns))}`;
}

function formatRerunSummary(reruns: readonly CheckRerun[]): string {
  if (reruns.length === 0) return "";
  const failed = reruns.filter(({ passed }) => !passed).length;
  return ` ${formatCount(reruns.length, "check")} run again, ${failed === 0 ? "all passed" : `${failed} failed`}.`;
}
