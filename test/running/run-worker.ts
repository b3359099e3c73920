/** A run in a process of its own, which kills itself with `SIGKILL` before or after one of its writes. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { startRun } from "#running/operations/start-run.ts";
import { testHouse } from "../kit/house.ts";

const [root = "", bin = "", data = "", at = "0", side = "before"] = process.argv.slice(2);
const { PATH = "", HOME = "" } = process.env;
const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const clock = { now: (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z") };
const environment = { PATH: `${bin}:${PATH}`, HOME };
const { house } = testHouse(root, { environment, wait, clock, newId: randomUUID, dataFolder: data });
const engine = await house.open({});
let left = Number(at);
const die = (): void => void process.kill(process.pid, "SIGKILL");
const write: typeof engine.store.write = async (decide) => {
  let isStruck = false;
  if (left > 0 && side === "before" && --left === 0) die();
  const result = await engine.store.write((tree) => {
    const plan = decide(tree);
    isStruck = plan.occurrences.some(({ kind }) => kind.startsWith("run."));
    return plan;
  });
  if (isStruck && left > 0 && side === "after" && --left === 0) die();
  return result;
};
const store = new Proxy(engine.store, {
  get(target, name) {
    const own: unknown = name === "write" ? write : Reflect.get(target, name);
    return typeof own === "function" && name !== "write" ? (own.bind(target) as unknown) : own;
  },
});
const progress = { tell: () => undefined, cancelled: new AbortController().signal };
const output = await startRun.run({ ...engine, store, progress }, { agent: "claude=2,codex=1" });
fs.writeSync(1, JSON.stringify(output));
