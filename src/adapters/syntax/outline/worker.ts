/** Entry of a thread that outlines files. It ends itself when its parser is spent, and the pool replaces it. */
import { parentPort, workerData } from "node:worker_threads";
import { Grammars } from "../grammars.ts";
import { Reading } from "../reading.ts";
import type { Asked, Said, ThreadData } from "./thread.ts";

const { grammars: folder, mostMs } = workerData as ThreadData;
const grammars = new Grammars(new URL(folder));
const reading = new Reading(grammars, mostMs);
const say = (said: Said): void => parentPort?.postMessage(said);

let last = Promise.resolve();
parentPort?.on("message", ({ path, text }: Asked) => {
  last = last.then(async () => {
    if (grammars.isSpent) return;
    say({ outline: await reading.outline(path, text) });
    if (!grammars.isSpent) return;
    say("spent");
    parentPort?.close();
  });
});
say("ready");
