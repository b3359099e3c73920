/** Measures a context check with 1,000 archived changes, in a running server and as a command. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { loadCatalogueOperation } from "../src/operations/catalogue.ts";
import { archiveMany, specify } from "../test/kit/history.ts";
import { benchHouse } from "./house.ts";

const ARCHIVED = 1_000;
const BUDGET_MS = 300;
const ROUNDS = 21;
const BIN = resolve("bin/tenon.js");

const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
const environment = { ...inherited, TENON_HOME: join(folder, ".sdd", "home") };
execFileSync("git", ["init", "--quiet"], { cwd: folder });
specify(folder, 200);
archiveMany(folder, ARCHIVED);

const engine = await benchHouse(folder).open({});
const run = async (id: Parameters<typeof loadCatalogueOperation>[0], input: object): Promise<void> =>
  void (await (await loadCatalogueOperation(id)).run(engine, input));
await run("change.start", { type: "fix", size: "small", description: "Mend the refund form of FR-007" });
await run("change.advance", { content: "The refund form loses what was typed." });

const spawned = (...words: string[]): number =>
  timed(() => {
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env: environment, encoding: "utf8" });
    if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  });
const rows: { what: string; times: number[] }[] = [
  { what: "node -e 0", times: [] },
  { what: "context.check, in a server", times: [] },
  { what: "context.suggest, in a server", times: [] },
  { what: "change.advance refused at the gate, in a server", times: [] },
  { what: "tenon context check --json", times: [] },
];
for (let round = -2; round < ROUNDS; round++) {
  const times = [
    spawned("-e", "0"),
    await timedAsync(() => run("context.check", {})),
    await timedAsync(() => run("context.suggest", { task_description: "Mend the refund form" })),
    await timedAsync(() => run("change.advance", { content: "No." })),
    spawned(BIN, "context", "check", "--json"),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) rows[i]?.times.push(time);
}
fs.rmSync(folder, { recursive: true });

const bare = median(rows[0]?.times ?? []);
const page = [
  `# A context check with ${ARCHIVED} archived changes, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${ROUNDS} interleaved rounds; 200 requirements, 200 rules, one change under way.`,
  "",
  "| what | ms | of `node -e 0` | budget | |",
  "|---|---|---|---|---|",
  ...rows.map(({ what, times }) => {
    const ms = median(times);
    const isBound = what !== "node -e 0";
    const isKept = ms <= BUDGET_MS;
    if (isBound && !isKept) process.exitCode = 1;
    const verdict = isBound ? (isKept ? "kept" : "MISSED") : "";
    return `| ${what} | ${ms.toFixed(0)} | ${(ms / bare).toFixed(2)} × | ${isBound ? `${BUDGET_MS} ms` : ""} | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(page);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-context.md`, page);

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function timedAsync(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
