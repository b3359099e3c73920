import type { LeadAction } from "#domain/roadmap/lead/action.ts";
import type { Engine } from "../engine.ts";
import { getReceiptFile, FEATURE_GATE, planReceiptWrite } from "../gate/receipts.ts";
import type { LedgerEntry, StoreOccurrence, StoreStep, StoreTree } from "../ports/store.ts";
import type { GatheredFacts } from "./facts/gather.ts";

interface GateReceiptPlan {
  readonly id: string;
  readonly steps: readonly StoreStep[];
  readonly keeps: readonly LedgerEntry[];
  readonly occurrences: readonly StoreOccurrence[];
}

export function createGateReceipt(
  tree: StoreTree,
  engine: Pick<Engine, "digest" | "checkout" | "machine" | "version">,
  action: LeadAction,
  { facts, tested, criteria = [] }: GatheredFacts,
): GateReceiptPlan | undefined {
  const status = facts.build?.tests.status;
  if (action.kind !== "gate" || !tested || (status !== "passed" && status !== "waived")) return undefined;
  const { receipts, problems } = tested;
  const waived = { check: "tests", status: "waived", reason: problems[0]?.problem ?? "" } as const;
  const { receipt, step, keeping } = planReceiptWrite(tree, engine, getReceiptFile(action.feature), {
    gate: FEATURE_GATE,
    workflow: action.feature,
    stage: "implementation",
    passed: true,
    checks: tested.status === "waived" ? [waived] : receipts,
    ...(tested.tree ? { tree: tested.tree } : {}),
    ...(tested.base ? { base: tested.base } : {}),
    ...(tested.rules ? { trust: tested.rules } : {}),
    spec_ids: [action.feature],
    criteria,
    environment: { tenon: engine.version, node: engine.machine.node, platform: engine.machine.platform },
    at: facts.at,
  });
  return {
    id: receipt.id,
    steps: [step],
    keeps: [keeping],
    occurrences: [{ kind: "receipt.written", subject: action.feature, data: { receipt: receipt.id } }],
  };
}
