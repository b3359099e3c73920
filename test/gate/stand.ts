import type { Receipt } from "#checking/model/gate/receipt-chain.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { planReceiptWrite } from "#checking/operations/gate/receipt-files.ts";
import type { TemporaryFolder } from "../kit/folder.ts";
import { createTestReceipt } from "../kit/receipts.ts";
import { type Stand, stand } from "../workflow/stand.ts";

export const FILE = "sdd/receipts/AUTH-001.jsonl";

export interface GateStand extends Stand {
  /** Keeps a receipt of the files as they are, as a gate does; tells its id. */
  keep(more?: Partial<Receipt>, workflow?: string): Promise<string>;
}

/** A repository in which gates leave receipts. */
export async function gateStand(folder?: TemporaryFolder, isGit = true): Promise<GateStand> {
  const inner = await stand(folder, isGit);
  const { engine } = inner;
  const keep: GateStand["keep"] = async (more = {}, workflow = "AUTH-001") => {
    const { id: _, tree: __, ...said } = createTestReceipt(1, { at: engine.clock.now() });
    const files = isGit ? { tree: await engine.snapshots.sourceTree() } : {};
    return commitStoreWrite(engine, (tree) => {
      const kept = planReceiptWrite(tree, engine, {
        ...said,
        ...files,
        ...more,
        workflow: parseWorkflowId(workflow),
      });
      const occurrences = [{ kind: "gate.checked", subject: workflow }];
      return { steps: [kept.step], keeps: [kept.keeping], occurrences, result: kept.receipt.id };
    });
  };
  return { ...inner, keep, [Symbol.dispose]: () => inner[Symbol.dispose]() };
}
