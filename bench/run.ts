/** Measures the performance budgets as ratios within one run, prints them and stores them in bench/results/. */
import fs from "node:fs";
import os from "node:os";
import { measureStartUp } from "./start-up.ts";
import { isRateKept, measureUpdates } from "./updates.ts";

const runDate = new Date().toISOString().slice(0, 10);
const startUpRatios = await measureStartUp();
const updateRates = await measureUpdates();

const startUpRows = startUpRatios.map(({ what, ratio, best, budget }) => [
  what,
  `${ratio.toFixed(2)} ×`,
  `${best.toFixed(2)} ×`,
  `${budget} ×`,
  ratio <= budget ? "kept" : "MISSED",
]);
const benchPage = [
  `# Measured on ${runDate}`,
  "",
  `Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  "Each number is a ratio to `node -e 0` of the same Node. Runs are interleaved.",
  "",
  "## Start-up",
  "",
  "| case | median | best | budget | |",
  "|---|---|---|---|---|",
  ...startUpRows.map((row) => `| ${row.join(" | ")} |`),
  "",
  "## Durable updates",
  "",
  "| case | per second | of the baseline | p99 | budget | |",
  "|---|---|---|---|---|---|",
  ...updateRates.map((rate) => {
    const { what, perSecond, ofBare = 1, p99 = 0, budget } = rate;
    const judged =
      budget === undefined
        ? " | | | "
        : `${Math.round(ofBare * 100)} % | ${p99.toFixed(2)} s | ${budget}, p99 5 s | ${isRateKept(rate) ? "kept" : "MISSED"}`;
    return `| ${what} | ${Math.round(perSecond)} | ${judged} |`;
  }),
  "",
].join("\n");

console.log(benchPage);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${runDate}.md`, benchPage);
