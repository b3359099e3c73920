/** A thread as they are, except that some files make it die in one way or another. */
import { parentPort } from "node:worker_threads";

const held: unknown[] = [];
const ACCIDENTS: Readonly<Record<string, () => void>> = {
  throws: () => {
    throw new Error("It cannot be read.");
  },
  hangs: () => {
    for (;;) held.length = 0;
  },
  exits: () => process.exit(3),
  swells: () => {
    for (;;) held.push(Array.from({ length: 10_000 }, () => ({})));
  },
  spends: () => {
    parentPort?.removeAllListeners("message");
    parentPort?.postMessage({ outline: undefined });
    parentPort?.postMessage("spent");
    parentPort?.close();
  },
};

parentPort?.on("message", ({ path }: { readonly path: string }) => ACCIDENTS[path.replace(/\.ts$/, "")]?.());
await import(new URL("../../dist/outline-worker.js", import.meta.url).href);
