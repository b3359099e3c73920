/** Entry of a thread that outlines files. It ends itself when its parser is spent, and the pool replaces it. */
import { parentPort, workerData } from "node:worker_threads";
import { TreeSitterGrammars, TreeSitterReader } from "../syntax/tree-sitter-reader.ts";
import type { OutlineRequest, OutlineReply, ThreadData } from "./outline-worker-pool.ts";

const { grammars: folder, maxSteps } = workerData as ThreadData;
const grammars = new TreeSitterGrammars(new URL(folder));
const postOutlineReply = (said: OutlineReply): void => parentPort?.postMessage(said);
const reading = new TreeSitterReader(grammars, maxSteps, () => postOutlineReply("working"));

let lastOutlineTask = Promise.resolve();
parentPort?.on("message", ({ path, text }: OutlineRequest) => {
  lastOutlineTask = lastOutlineTask.then(async () => {
    if (grammars.isSpent) return;
    postOutlineReply({ outline: await reading.outline(path, text) });
    if (!grammars.isSpent) return;
    postOutlineReply("spent");
    parentPort?.close();
  });
});
postOutlineReply("ready");
