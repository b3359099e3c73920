/** Measures calls of a server in workspaces with more and more finished and open work. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { sealRecord } from "#store/adapters/record-seal.ts";
import type { RevisedRecord } from "#store/operations/ports/store.ts";
import { createBenchHouse } from "./house.ts";

export interface GrowthRow {
  readonly what: string;
  /** Milliseconds, by the number of items. */
  readonly times: readonly number[];
  readonly budget?: number;
}

export const GROWTH_SIZES = [100, 10_000];
const GROWTH_ROUNDS = 5;
const STATUS_BUDGET_MS = 100;
const LOCK_BUDGET_MS = 50;
const VALIDATE_BUDGET_MS = 3000;

type GrowthOperation = Parameters<typeof loadCatalogueOperation>[0];
type GrowthCall = readonly [
  operation: GrowthOperation,
  input: (round: number) => Record<string, unknown>,
  budget?: number,
];

const GROWTH_CALLS: readonly GrowthCall[] = [
  ["workspace.status", () => ({}), STATUS_BUDGET_MS],
  ["workflow.status", () => ({}), STATUS_BUDGET_MS],
  ["workflow.lock", (round) => ({ action: "claim", paths: [`src/${round}.ts`], id: "AUTH-001" }), LOCK_BUDGET_MS],
  [
    "adr.record",
    (round) => ({ title: `Decision ${round}`, standalone: true, context: "c", decision: "d", rationale: "r" }),
  ],
  ["workspace.validate", () => ({}), VALIDATE_BUDGET_MS],
];

/** Fills a workspace with `items` finished workflows, archived changes and completed changes that are still open. */
type GrowthKind = "finished workflows" | "archived changes" | "open changes";
export const GROWTH_KINDS: readonly GrowthKind[] = ["finished workflows", "archived changes", "open changes"];

export async function measureGrowth(kind: GrowthKind, sizes: readonly number[] = GROWTH_SIZES): Promise<GrowthRow[]> {
  const measured: number[][] = [];
  for (const size of sizes) measured.push(await measureGrowthAt(kind, size));
  return GROWTH_CALLS.map(([what, , budget], i) => ({
    what: `${what}, ${kind}`,
    times: measured.map((times) => times[i] ?? Number.NaN),
    ...(budget === undefined ? {} : { budget }),
  }));
}

async function measureGrowthAt(kind: GrowthKind, items: number): Promise<number[]> {
  const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const first = createBenchHouse(root);
  await fillWorkspace(await first.open({ argument: root }), kind, items);
  first.close();
  const house = createBenchHouse(root);
  const engine = await house.open({ argument: root });
  const medians: number[] = [];
  for (const [id, input] of GROWTH_CALLS) {
    const operation = await loadCatalogueOperation(id);
    const times: number[] = [];
    // The first round loads modules and files, as a server does once.
    for (let round = 0; round <= GROWTH_ROUNDS; round++) {
      const begun = performance.now();
      await operation.run(engine, input(round));
      if (round > 0) times.push(performance.now() - begun);
    }
    medians.push(times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN);
  }
  house.close();
  fs.rmSync(root, { recursive: true });
  return medians;
}

export async function fillWorkspace(engine: Engine, kind: GrowthKind, items: number): Promise<void> {
  const run = async (id: GrowthOperation, input: Record<string, unknown>) =>
    (await loadCatalogueOperation(id)).run(engine, input);
  await run("workflow.feature", { description: "Log in", id: "AUTH-001", files: ["src/login.ts"] });
  if (kind === "finished workflows") {
    await run("workflow.feature", { description: "Sign up", id: "OLD-001", files: ["src/old.ts"] });
    await run("workflow.abandon", { id: "OLD-001", reason: "Solved upstream" });
    return copyWorkflow(engine.root, items);
  }
  await run("change.start", { type: "fix", size: "small", description: "Old", concurrent: true });
  await run("change.abandon", { change_id: "old", reason: "Solved upstream" });
  copyChange(engine.root, items, kind === "archived changes");
}

function copyWorkflow(root: string, items: number): void {
  using ledger = new DatabaseSync(join(root, ".git/tenon/ledger.db"));
  const row = ledger.prepare("SELECT body FROM kept WHERE space = 'workflow' AND key = 'OLD-001'").get();
  const insert = ledger.prepare("INSERT INTO kept (space, key, body) VALUES ('workflow', ?, ?)");
  ledger.exec("BEGIN");
  for (let i = 2; i <= items; i++) {
    const id = `OLD-${String(i).padStart(3, "0")}`;
    insert.run(id, String(row?.["body"]).replaceAll("OLD-001", id));
  }
  ledger.exec("COMMIT");
}

function copyChange(root: string, items: number, isArchived: boolean): void {
  const shelf = isArchived ? "history" : "changes";
  const record = JSON.parse(fs.readFileSync(join(root, "sdd/changes/old/change.json"), "utf8")) as RevisedRecord;
  for (let i = 1; i <= items; i++) {
    const folder = join(root, "sdd", shelf, `old-${i}`);
    fs.mkdirSync(folder, { recursive: true });
    const copy = { ...record, id: `old-${i}`, ...(isArchived ? { status: "archived" } : {}) };
    fs.writeFileSync(join(folder, "change.json"), sealRecord(copy, "json"));
  }
}
