/** Claims one file after another, and lets the logs tell of each. */
import { commitStoreWrite } from "#store/operations/engine.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

const [root = "", name = "", claims = "0"] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
await ready();
for (let i = 0; i < Number(claims); i++) {
  const path = `src/${name}/${i}.ts`;
  await commitStoreWrite(engine, () => ({
    steps: [],
    occurrences: [{ kind: "lock.claimed", subject: "AUTH-001", data: { paths: [path] } }],
    result: undefined,
  }));
  await say(path);
}
house.close();
process.disconnect();
