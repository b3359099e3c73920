/** Records decisions as fast as they become durable: in turn one in the change `shared` and one that stands alone. */
import { recordDecisionOperation } from "#planning/operations/adr/decision-operations.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

/** A decision that is kept, as its process was told. */
export interface Kept {
  readonly ref: string;
  readonly title: string;
  readonly waitMs: number;
}

const [root = "", name = "", updates = "0"] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
await ready();
for (let i = 0; i < Number(updates); i++) {
  const title = `${name} ${i}`;
  const place = i % 2 === 0 ? { change_id: "shared" } : { standalone: true };
  const begun = performance.now();
  const { adr } = await recordDecisionOperation.run(engine, {
    title,
    context: "c",
    decision: "d",
    rationale: "r",
    ...place,
  });
  await say({ ref: adr.ref, title: adr.title, waitMs: performance.now() - begun } satisfies Kept);
}
house.close();
process.disconnect();
