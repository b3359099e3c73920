/** Records decisions in one shared change, as fast as they become durable. */
import { startChangeOperation } from "#planning/operations/change/start-change.ts";
import { recordDecisionOperation } from "#planning/operations/adr/decision-operations.ts";
import { createBenchHouse } from "./house.ts";

const [root = "", updates = "0"] = process.argv.slice(2);
const workerHouse = createBenchHouse(root);
const workerEngine = await workerHouse.open({ argument: root });
try {
  await startChangeOperation.run(workerEngine, { type: "fix", size: "small", description: "Bench" });
} catch {
  // Another worker was first.
}
const recordBenchDecision = (title: string) =>
  recordDecisionOperation.run(workerEngine, { title, context: "c".repeat(500), decision: "d", rationale: "r" });
// The first write loads modules, which a server does once.
await recordBenchDecision("Warm up");
process.stdout.write("ready\n");
await new Promise((go) => process.stdin.once("end", go).resume());
const waits: number[] = [];
for (let i = 0; i < Number(updates); i++) {
  const begun = performance.now();
  await recordBenchDecision(`Decision ${i}`);
  waits.push(performance.now() - begun);
}
workerHouse.close();
process.stdout.write(`${waits.map((wait) => wait.toFixed(1)).join(" ")}\n`);
