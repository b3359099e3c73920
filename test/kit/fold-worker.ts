/** Folds the journal in, again and again, until it is told to stop; then once more. */
import { setImmediate } from "node:timers/promises";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { ownHouse } from "./own-house.ts";
import { ready, say } from "./worker.ts";

const [root = ""] = process.argv.slice(2);
const house = ownHouse(root);
const engine = await house.open({ argument: root });
let isOver = false;
await ready();
process.once("message", () => void (isOver = true));
for (let rounds = 1; !isOver; rounds++) {
  await foldJournalIntoLedger(engine);
  await say(rounds);
  // A fold that finds nothing waits for nothing, and the word to stop must be heard.
  await setImmediate();
}
await foldJournalIntoLedger(engine);
house.close();
process.disconnect();
