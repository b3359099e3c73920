/** Decides and drafts as fast as it becomes durable, and says what it was told after each. */
import { commitStoreWrite } from "#store/operations/engine.ts";
import { recordDecision } from "#roadmap/operations/handover/record-decision.ts";
import { createSessionSteps } from "#roadmap/operations/handover/commit-with-session.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

const [root = "", name = "", times = "0"] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
await ready();
for (let i = 0; i < Number(times); i++) {
  const said = `${name} ${i}`;
  await commitStoreWrite(engine, (tree) => ({
    steps: createSessionSteps(
      tree,
      { accomplished: [said], next: `after ${said}`, files: [`src/${name}-${i}.ts`] },
      engine.clock.now(),
    ),
    occurrences: [{ kind: "test.worked", subject: said }],
    result: undefined,
  }));
  const { decision } = await recordDecision.run(engine, { summary: said, reason: "r" });
  await say({ decision, said });
}
house.close();
process.disconnect();
