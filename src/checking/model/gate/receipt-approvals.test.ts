import { expect, test } from "vitest";
import type { Approval } from "#planning/model/approval/approval-record.ts";
import { formatUnprovedApproval, listUnprovedApprovals } from "./receipt-approvals.ts";
import type { Receipt, ReceiptChain } from "./receipt-chain.ts";

const at = "2026-01-31T12:00:00Z";
const approve = (stage: string, proof: Approval["proof"], text = "a"): Approval => ({
  stage,
  by: "Ann",
  at,
  text: text.repeat(64),
  proof,
});

function chain(...each: Partial<Receipt>[]): ReceiptChain {
  const receipts = each.map((more, i) => ({
    receipt: {
      id: `AUTH-001.R-${i + 1}`,
      gate: "gate-2-architect",
      workflow: "AUTH-001",
      stage: "specify",
      passed: true,
      checks: [{ check: "approval", status: "passed" as const }],
      spec_ids: ["AUTH-001"],
      criteria: [],
      environment: { tenon: "0", node: "24", platform: "test" },
      at,
      ...more,
    },
    line: i + 1,
    hash: String(i).repeat(64),
  }));
  return { receipts, problems: [] };
}

test("lists an approval that an agent passed on once for all its receipts", () => {
  const relayed = [approve("specify", "relayed")];
  const [found, ...more] = listUnprovedApprovals(chain({ approvals: relayed }, { approvals: relayed }));
  expect(more).toEqual([]);
  expect(found && formatUnprovedApproval(found)).toBe(
    "The approval of specify by Ann is unproved: an agent reported it (AUTH-001.R-2).",
  );
});

test.each(["typed", "elicited", "witnessed"] as const)("a %s approval is proven", (proof) => {
  expect(listUnprovedApprovals(chain({ approvals: [approve("specify", proof)] }))).toEqual([]);
});

test("counts a later proof for the same stage and text only", () => {
  const relayed = { approvals: [approve("specify", "relayed")] };
  expect(listUnprovedApprovals(chain(relayed, { approvals: [approve("specify", "typed")] }))).toEqual([]);
  expect(listUnprovedApprovals(chain(relayed, { approvals: [approve("specify", "typed", "b")] }))).toHaveLength(1);
  expect(listUnprovedApprovals(chain(relayed, { approvals: [approve("verify", "typed")] }))).toHaveLength(1);
});

test("counts an older receipt without proofs as passed on by an agent", () => {
  const [found, ...more] = listUnprovedApprovals(chain({}));
  expect([found?.stage, found?.text, found?.by, more]).toEqual(["specify", "0".repeat(64), undefined, []]);
});

test("has no approval to prove at a gate without approvals", () => {
  expect(listUnprovedApprovals(chain({ checks: [{ check: "tests", status: "passed" }] }))).toEqual([]);
});
