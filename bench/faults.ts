/**
 * Measures what Tenon withstands and how it grows, and writes the table to bench/results/. Each part is bounded; name
 * parts to run only those. TENON_FAULT_CUTS and TENON_SOAK_CALLS set how much is tried.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { canCutPower, FILE_SYSTEMS } from "../test/faults/loop-disk.ts";
import { measurePowerCuts } from "../test/faults/power-cut.ts";
import { GROWTH_KINDS, GROWTH_SIZES, measureGrowth } from "./growth.ts";
import { measureSoak, SOAK_BUDGET } from "./soak.ts";

interface FaultRow {
  readonly what: string;
  readonly runs: string;
  readonly result: string;
  /** Undefined if this machine cannot measure it. */
  readonly isKept: boolean | undefined;
}

const POWER_CUTS = Number(process.env["TENON_FAULT_CUTS"] ?? 50);
const SOAK_CALLS = Number(process.env["TENON_SOAK_CALLS"] ?? 20_000);

const FAULT_PARTS: Readonly<Record<string, () => Promise<readonly FaultRow[]>>> = {
  power: async () => Promise.all(FILE_SYSTEMS.map(measurePowerPart)),
  kills: async () => [runSuite("kill -9, failing calls, full disks, damage", ["test/crash"])],
  crowd: async () => [runSuite("16 and 64 mixed processes", ["test/concurrency"])],
  clocks: async () => [runSuite("clocks", ["src/store/adapters/sqlite-leases.test.ts", "src/planning/adapters"])],
  soak: async () => [await measureSoakPart()],
  growth: measureGrowthPart,
};

async function measurePowerPart(system: (typeof FILE_SYSTEMS)[number]): Promise<FaultRow> {
  const what = `power cuts, ${system}`;
  if (!canCutPower(system)) return { what, runs: "0", result: "needs root, mount and mkfs", isKept: undefined };
  const { cuts, acknowledged, lost } = await measurePowerCuts(system, POWER_CUTS);
  for (const each of lost) console.error(`${what}: ${each}`);
  return {
    what,
    runs: `${cuts} cuts, ${acknowledged} acknowledged`,
    result: `${lost.length} lost`,
    isKept: lost.length === 0,
  };
}

/** The suites strike everywhere in the full tier (TENON_FULL=1), otherwise at a sample. */
function runSuite(what: string, paths: readonly string[]): FaultRow {
  const { stdout, status } = spawnSync("npx", ["vitest", "run", ...paths], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 28,
  });
  const closing = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(stdout);
  if (status !== 0) console.error(stdout);
  const [, passed = "0", failed = "unknown"] = closing ?? [];
  return { what, runs: `${passed} tests passed`, result: `${failed} failed`, isKept: status === 0 };
}

async function measureSoakPart(): Promise<FaultRow> {
  const what = "a server's memory";
  if (process.platform !== "linux") return { what, runs: "0", result: "needs Linux", isKept: undefined };
  const { calls, early, late, openFiles } = await measureSoak(SOAK_CALLS);
  const result = `${early.toFixed(0)} → ${late.toFixed(0)} MB, ${openFiles.join(" → ")} files`;
  return { what, runs: `${calls} calls`, result, isKept: late <= early * SOAK_BUDGET };
}

async function measureGrowthPart(): Promise<FaultRow[]> {
  const rows: FaultRow[] = [];
  for (const kind of GROWTH_KINDS) {
    for (const { what, times, budget } of await measureGrowth(kind)) {
      const last = times.at(-1) ?? Number.NaN;
      const limit = budget === undefined ? "" : ` (at most ${budget})`;
      rows.push({
        what,
        runs: GROWTH_SIZES.join(" → "),
        result: `${times.map((time) => time.toFixed(1)).join(" → ")} ms${limit}`,
        isKept: budget === undefined ? undefined : last <= budget,
      });
    }
  }
  return rows;
}

const chosen = process.argv.slice(2);
const rows: FaultRow[] = [];
for (const [name, measure] of Object.entries(FAULT_PARTS))
  if (chosen.length === 0 || chosen.includes(name)) rows.push(...(await measure()));

const date = new Date().toISOString().slice(0, 10);
const verdicts = new Map([
  [true, "kept"],
  [false, "MISSED"],
  [undefined, "not judged"],
]);
const page = [
  `# Faults and growth, measured on ${date}`,
  "",
  `Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}.`,
  "",
  "| what | runs | result | |",
  "|---|---|---|---|",
  ...rows.map(({ what, runs, result, isKept }) => `| ${what} | ${runs} | ${result} | ${verdicts.get(isKept)} |`),
  "",
].join("\n");
console.log(page);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${date}-faults.md`, page);
process.exitCode = rows.some(({ isKept }) => isKept === false) ? 1 : 0;
