import type { Approval } from "#planning/model/approval/approval-record.ts";
import { isProven } from "#planning/model/approval/approval-proof.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { ReceiptChain } from "./receipt-chain.ts";

export interface UnprovedApproval extends Pick<Approval, "stage" | "text"> {
  readonly receipt: string;
  readonly line: number;
  /** Missing in receipts that name nobody. */
  readonly by?: string;
}

/** Each approval once, without those that a later receipt of the same text proves. */
export function listUnprovedApprovals({ receipts }: ReceiptChain): UnprovedApproval[] {
  const proven = new Set(receipts.flatMap(({ receipt }) => (receipt.approvals ?? []).filter(isProven).map(createKey)));
  const all = receipts.flatMap(({ receipt, line, hash }): UnprovedApproval[] => {
    const at = { receipt: receipt.id, line };
    if (receipt.approvals) return receipt.approvals.map(({ stage, text, by }) => ({ ...at, stage, text, by }));
    const isApproved = receipt.checks.some(({ check, status }) => check === "approval" && status === "passed");
    // An older receipt does not say which text was approved: its own hash takes that place.
    return isApproved ? [{ ...at, stage: receipt.stage, text: hash }] : [];
  });
  return [...new Map(all.map((each) => [createKey(each), each])).values()].filter(
    (each) => !proven.has(createKey(each)),
  );
}

const createKey = ({ stage, text }: Pick<Approval, "stage" | "text">): string => `${stage} ${text}`;

export const formatUnprovedApproval = ({ stage, by, receipt }: UnprovedApproval): string =>
  `The approval of ${stage}${by === undefined ? "" : ` by ${sanitizeText(by, 60)}`} is unproved: an agent reported it (${receipt}).`;
