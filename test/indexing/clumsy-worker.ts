/** A thread as they are, except that some files make it die in one way or another when their turn comes. */
import { parentPort, workerData } from "node:worker_threads";

if (parentPort === null) throw new Error("This is no thread.");
const port = parentPort;
const say = port.postMessage.bind(port);

const held: unknown[] = [];
const ACCIDENTS: Readonly<Record<string, () => void>> = {
  throws: () => {
    throw new Error("It cannot be read.");
  },
  hangs: () => {
    for (;;) held.length = 0;
  },
  exits: () => process.exit(3),
  falters: () => {
    if ((workerData as { readonly isFirst: boolean }).isFirst) process.exit(3);
  },
  swells: () => {
    for (;;) held.push(Array.from({ length: 10_000 }, () => ({})));
  },
  spends: () => {
    port.removeAllListeners("message");
    say({ outline: undefined });
    say("spent");
    port.close();
  },
};

const waiting: string[] = [];
const meet = (): void => ACCIDENTS[waiting[0]?.replace(/\.ts$/, "") ?? ""]?.();
port.on("message", ({ path }: { readonly path: string }) => {
  waiting.push(path);
  if (waiting.length === 1) meet();
});
port.postMessage = (said: unknown): void => {
  say(said);
  if (said === "ready") return;
  waiting.shift();
  meet();
};
await import(new URL("../../dist/outline-worker.js", import.meta.url).href);
