/** Measures the performance budgets as ratios within one run, prints them and stores them in bench/results/. */
import fs from "node:fs";
import os from "node:os";
import { measureStartUp } from "./start-up.ts";
import { measureUpdates } from "./updates.ts";

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
  "Ratios to `node -e 0` of the same Node, runs interleaved.",
  "",
  "## Start-up",
  "",
  "| what | median | best | budget | |",
  "|---|---|---|---|---|",
  ...startUpRows.map((row) => `| ${row.join(" | ")} |`),
  "",
  "## Durable updates",
  "",
  "| what | per second | of the bare cost |",
  "|---|---|---|",
  ...updateRates.map(
    ({ what, perSecond, ofBare }) =>
      `| ${what} | ${Math.round(perSecond)} | ${ofBare === undefined ? "" : `${Math.round(ofBare * 100)} %`} |`,
  ),
  "",
].join("\n");

console.log(benchPage);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${runDate}.md`, benchPage);
