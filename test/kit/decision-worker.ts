import type { LeadEffect } from "#roadmap/model/lead/lead-state.ts";
import { draftSteeringEffects } from "#roadmap/operations/steering/steering-draft.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

/** Logs decisions as fast as they become durable, and says the number that each got with what it was about. */

/** A decision that is kept, as its process was told. */
export interface Decided {
  readonly number: number;
  readonly summary: string;
}

const [root = "", name = "", decisions = "0"] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
await ready();
for (let i = 0; i < Number(decisions); i++) {
  const summary = `${name} ${i}`;
  const said = { context: "c", decision: "d", reason: "r", impact: "i", source: "s" };
  const effects: LeadEffect[] = [{ kind: "decision", type: "USER_DECISION", summary, ...said }];
  const number = await commitStoreWrite(engine, (tree) => {
    const keeps = draftSteeringEffects(tree, effects, "").keeps();
    return {
      steps: draftSteeringEffects(tree, effects, engine.clock.now()).steps(),
      keeps,
      occurrences: [{ kind: "steering.updated", subject: summary }],
      result: Number(keeps[0]?.value),
    };
  });
  await say({ number, summary } satisfies Decided);
}
house.close();
process.disconnect();
