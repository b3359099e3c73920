import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { startWorker } from "../kit/worker.ts";

const CLAIMS = 25;

test("logs each event of many processes once, in order, though some are killed", { timeout: 120_000 }, async () => {
  using repository = temporaryRepository();
  const start = (name: string) => startWorker<string>("log", [repository.path, name, String(CLAIMS)]);
  const [living, doomed] = [["a", "b", "c"].map(start), ["x", "y"].map(start)];
  const all = [...living, ...doomed];
  await Promise.all(all.map((worker) => worker.hear(1)));
  for (const worker of all) worker.tell("go");
  for (const [i, worker] of doomed.entries()) {
    await worker.hear(4 + 7 * i);
    worker.process.kill("SIGKILL");
  }
  await Promise.all(all.map(({ ended }) => ended));
  using house = testHouse(repository.path, { newId: () => crypto.randomUUID() });
  const engine = await house.house.open({});
  await commitStoreWrite(engine, () => ({ steps: [], occurrences: [], result: undefined }));
  const claimed = (await engine.store.events(0)).map(({ data }) => String(data?.["paths"]));
  const log = fs.readFileSync(join(repository.path, ".sdd/logs/workflows.log"), "utf8");
  expect([...log.matchAll(/Paths: (.*)$/gm)].map(([, path]) => path)).toEqual(claimed);
  const acknowledged = all.flatMap(({ said }) => said.slice(1));
  expect(acknowledged.filter((path) => !claimed.includes(path))).toEqual([]);
});
