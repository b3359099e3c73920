/**
 * A run in a process of its own. With a list of strikes it kills itself with `SIGKILL` inside and after each write of a
 * kind that the list does not name yet, so that each strike happens once over all its processes.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { startRun } from "#running/operations/start-run.ts";
import { testHouse } from "../kit/house.ts";

const [root = "", bin = "", data = "", strikes = "", isForEachAction = ""] = process.argv.slice(2);
const { PATH = "", HOME = "" } = process.env;
const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const clock = { now: (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z") };
const environment = { PATH: `${bin}:${PATH}`, HOME };
const { house } = testHouse(root, { environment, wait, clock, newId: randomUUID, dataFolder: data });
const engine = await house.open({});

/** Dies unless it has died there before. The list is complete even then. */
function strike(place: string): void {
  if (strikes === "" || fs.readFileSync(strikes, "utf8").split("\n").includes(place)) return;
  fs.appendFileSync(strikes, `${place}\n`);
  process.kill(process.pid, "SIGKILL");
}

const write: typeof engine.store.write = async (decide) => {
  let place: string | undefined;
  const result = await engine.store.write((tree) => {
    const plan = decide(tree);
    // That a run began is no state of an action.
    const found = plan.occurrences.find(({ kind }) => kind.startsWith("run.") && kind !== "run.noted");
    place = found && (isForEachAction === "" ? found.kind : `${found.kind} ${found.subject}`);
    if (place !== undefined) strike(`in ${place}`);
    return plan;
  });
  if (place !== undefined) strike(`after ${place}`);
  return result;
};
const store = new Proxy(engine.store, {
  get(target, name) {
    const own: unknown = name === "write" ? write : Reflect.get(target, name);
    return typeof own === "function" && name !== "write" ? (own.bind(target) as unknown) : own;
  },
});
/** The first notice says that the run has begun. */
const notice = ({ event }: { readonly event: string }): void => {
  if (event === "run") fs.writeSync(2, "began\n");
};
const progress = { tell: () => undefined, cancelled: new AbortController().signal, notice };
const output = await startRun.run({ ...engine, store, progress }, { agent: "claude=2,codex=1" });
fs.writeSync(1, JSON.stringify(output));
