import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import type { Decided } from "../kit/decision-worker.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { tenon } from "../kit/process.ts";
import { commitAll, put } from "../kit/repository.ts";
import { startWorker, type Worker } from "../kit/worker.ts";

const LOG = "sdd/handover/decisions.md";
const PRODUCT = "sdd/steering/product.md";
const EACH = 10;

const logged = (root: string): Decided[] =>
  parseDecisionLog(fs.readFileSync(join(root, LOG), "utf8")).map(({ number, summary }) => ({ number, summary }));
const byNumber = (all: readonly Decided[]): Decided[] => all.toSorted((a, b) => a.number - b.number);
const listDecided = (worker: Worker<Decided | "ready">): Decided[] => worker.said.filter((word) => word !== "ready");

/** A repository with a worktree beside it, both of one ledger. */
function twoWorktrees(): { readonly main: string; readonly side: string } & Disposable {
  const repository = temporaryRepository();
  const [main, side] = [repository.path, join(repository.path, ".side")];
  put(main, "sdd/config.yaml", "");
  put(main, ".gitignore", ".side/\n.sdd/\n");
  commitAll(main);
  git(main, "worktree", "add", "--quiet", "-b", "side", side);
  return { main, side, [Symbol.dispose]: () => repository[Symbol.dispose]() };
}

async function work(places: readonly string[]): Promise<Worker<Decided | "ready">[]> {
  const workers = places.map((root, i) => startWorker<Decided | "ready">("decision", [root, `w${i}`, String(EACH)]));
  await Promise.all(workers.map((worker) => worker.hear(1)));
  for (const worker of workers) worker.tell("go");
  return workers;
}

test("keeps all concurrent decisions of two worktrees, and numbers each once", async () => {
  using at = twoWorktrees();
  put(at.main, PRODUCT, "# Product\n");
  const workers = await work([at.main, at.side, at.main]);
  expect((await Promise.all(workers.map(({ ended }) => ended))).map(({ code, err }) => [code, err])).toEqual(
    workers.map(() => [0, ""]),
  );
  const [one = [], other = [], third = []] = workers.map(listDecided);
  expect(logged(at.main)).toEqual(byNumber([...one, ...third]));
  expect(logged(at.side)).toEqual(other);
  const numbers = [...one, ...other, ...third].map(({ number }) => number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 3 * EACH }, (_, i) => i + 1));
  const product = fs.readFileSync(join(at.main, PRODUCT), "utf8");
  expect(product.match(/^- \S+ D\d+: w\d \d+$/gm)?.length).toBe(2 * EACH);
});

test("keeps complete decisions of a killed process, and never reassigns its number", async () => {
  using at = twoWorktrees();
  const workers = await work([at.main, at.main, at.side]);
  await workers[0]?.hear(4);
  workers[0]?.process.kill("SIGKILL");
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  expect(ends.map(({ signal }) => signal)).toEqual(["SIGKILL", null, null]);
  const env = { TENON_MEMORY: "off" };
  expect(tenon(["steering", "create", "--json"], { cwd: at.main, env }).code).toBe(0);
  const [main, side] = [logged(at.main), logged(at.side)];
  const told = workers.map(listDecided);
  // What was begun and not told of may be there too, once.
  const begun = main.filter(({ summary }) => summary.startsWith("w0 ")).slice(told[0]?.length ?? 0);
  expect(begun.length).toBeLessThanOrEqual(1);
  expect(main.slice(0, -1)).toEqual(byNumber([...(told[0] ?? []), ...begun, ...(told[1] ?? [])]));
  expect(side).toEqual(told[2]);
  const numbers = [...main, ...side].map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test.each([
  ["before the first file", "renameSync .*steering-product-1.md$"],
  ["between the product and the log", "renameSync .*decisions.md$"],
])("finishes a write that was killed %s in the next call", async (_, call) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  expect(tenon(["steering", "create", "--vision", "Old words"], settings).code).toBe(0);
  const frozen = await freezeTenon(["steering", "update", "--vision", "New words"], settings, call);
  frozen.process.kill("SIGKILL");
  expect((await frozen.ended).signal).toBe("SIGKILL");
  expect(tenon(["steering", "custom", "ui"], settings).code).toBe(0);
  expect(logged(repository.path)).toEqual([
    { number: 1, summary: "Steering begins: product.md, tech.md, structure.md" },
    { number: 2, summary: "Changed vision: New words" },
    { number: 3, summary: "Steering on ui" },
  ]);
  const text = fs.readFileSync(join(repository.path, PRODUCT), "utf8");
  expect([text.includes("New words"), text.includes("Old words"), text.match(/D2: /g)?.length]).toEqual([
    true,
    false,
    1,
  ]);
  expect(fs.readFileSync(join(repository.path, "sdd/superseded/steering-product-1.md"), "utf8")).toContain("Old words");
  expect(tenon(["validate"], settings).code).toBe(0);
});

test("does not overwrite what a person saves during a write", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const settings = { cwd: repository.path, env: { TENON_HOME: home.path } };
  expect(tenon(["steering", "create", "--vision", "Words"], settings).code).toBe(0);
  const words = ["steering", "update", "--anti-goals", "Ads", "--json"];
  const frozen = await freezeTenon(words, settings, "exec BEGIN>exec COMMIT>exec BEGIN");
  fs.appendFileSync(join(repository.path, PRODUCT), "\n## Mine\n\nWritten in the meantime.\n");
  const { code } = await frozen.thaw();
  const text = fs.readFileSync(join(repository.path, PRODUCT), "utf8");
  expect([code, text.includes("- Ads"), text.endsWith("\n## Mine\n\nWritten in the meantime.\n")]).toEqual([
    0,
    true,
    true,
  ]);
  expect(logged(repository.path).map(({ number }) => number)).toEqual([1, 2]);
});
