/** Measures a context check with 1,000 archived changes, in a running server and as a command. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { archiveMany, specify } from "../test/kit/history.ts";
import { createBenchHouse } from "./house.ts";

const ARCHIVED_CHANGES = 1_000;
const CONTEXT_BUDGET_MS = 300;
const CONTEXT_ROUNDS = 21;
const CONTEXT_BIN = resolve("bin/tenon.js");

const contextFolder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
const contextEnvironment = { ...inherited, TENON_HOME: join(contextFolder, ".sdd", "home") };
execFileSync("git", ["init", "--quiet"], { cwd: contextFolder });
specify(contextFolder, 200);
archiveMany(contextFolder, ARCHIVED_CHANGES);

const contextEngine = await createBenchHouse(contextFolder).open({});
const runContextOperation = async (id: Parameters<typeof loadCatalogueOperation>[0], input: object): Promise<void> =>
  void (await (await loadCatalogueOperation(id)).run(contextEngine, input));
await runContextOperation("change.start", {
  type: "fix",
  size: "small",
  description: "Mend the refund form of FR-007",
});
await runContextOperation("change.advance", { content: "The refund form loses what was typed." });

const timeContextCommand = (...words: string[]): number =>
  timeContextSync(() => {
    const { status, stderr } = spawnSync(process.execPath, words, {
      cwd: contextFolder,
      env: contextEnvironment,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  });
const contextRows: { what: string; times: number[] }[] = [
  { what: "node -e 0", times: [] },
  { what: "context.check, in a server", times: [] },
  { what: "context.suggest, in a server", times: [] },
  { what: "change.advance, rejected by the gate, in a server", times: [] },
  { what: "tenon context check --json", times: [] },
];
for (let round = -2; round < CONTEXT_ROUNDS; round++) {
  const times = [
    timeContextCommand("-e", "0"),
    await timeContextAsync(() => runContextOperation("context.check", {})),
    await timeContextAsync(() => runContextOperation("context.suggest", { task_description: "Mend the refund form" })),
    await timeContextAsync(() => runContextOperation("change.advance", { content: "No." })),
    timeContextCommand(CONTEXT_BIN, "context", "check", "--json"),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) contextRows[i]?.times.push(time);
}
fs.rmSync(contextFolder, { recursive: true });

const contextBaseline = computeContextMedian(contextRows[0]?.times ?? []);
const contextPage = [
  `# Context checks with ${ARCHIVED_CHANGES} archived changes, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${CONTEXT_ROUNDS} interleaved rounds; 200 requirements, 200 rules, one open change.`,
  "",
  "| case | ms | of `node -e 0` | budget | |",
  "|---|---|---|---|---|",
  ...contextRows.map(({ what, times }) => {
    const ms = computeContextMedian(times);
    const isBound = what !== "node -e 0";
    const isKept = ms <= CONTEXT_BUDGET_MS;
    if (isBound && !isKept) process.exitCode = 1;
    const verdict = isBound ? (isKept ? "kept" : "MISSED") : "";
    return `| ${what} | ${ms.toFixed(0)} | ${(ms / contextBaseline).toFixed(2)} × | ${isBound ? `${CONTEXT_BUDGET_MS} ms` : ""} | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(contextPage);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-context.md`, contextPage);

function timeContextSync(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function timeContextAsync(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function computeContextMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
