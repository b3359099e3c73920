/** Keeps receipts of AUTH-001 as fast as they become durable, and says the id that each got. */
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { planReceiptWrite } from "#checking/operations/gate/receipt-files.ts";
import { ownHouse } from "./own-house.ts";
import { createTestReceipt } from "./receipts.ts";
import { ready, say } from "./worker.ts";

const [root = "", receipts = "0"] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
await ready();
for (let i = 0; i < Number(receipts); i++) {
  const { id: _, ...said } = createTestReceipt(1);
  const id = await commitStoreWrite(engine, (tree) => {
    const kept = planReceiptWrite(tree, engine, { ...said, workflow: parseWorkflowId("AUTH-001") });
    return {
      steps: [kept.step],
      keeps: [kept.keeping],
      occurrences: [{ kind: "gate.checked", subject: "AUTH-001" }],
      result: kept.receipt.id,
    };
  });
  await say(id);
}
house.close();
process.disconnect();
