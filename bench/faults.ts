/**
 * Measures what Tenon withstands and how it grows. Name parts to run only those. bench/results/ keeps the rows of a day:
 * power cuts and kills of later runs are added, other parts replace their rows. TENON_FAULT_STRIKES and TENON_SOAK_CALLS
 * set how much one run tries.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { canCutPower, FILE_SYSTEMS } from "../test/faults/loop-disk.ts";
import { measureKills, measurePowerCuts, type StrikeFigures } from "../test/faults/power-cut.ts";
import { GROWTH_KINDS, GROWTH_SIZES, measureGrowth } from "./growth.ts";
import { measureSoak, SOAK_BUDGET } from "./soak.ts";

interface FaultRow {
  readonly what: string;
  readonly runs: string;
  readonly result: string;
  /** Absent if this machine cannot measure it. */
  readonly isKept?: boolean;
  readonly counts?: { readonly strikes: number; readonly acknowledged: number; readonly lost: number };
}

const STRIKES = Number(process.env["TENON_FAULT_STRIKES"] ?? 50);
const SOAK_CALLS = Number(process.env["TENON_SOAK_CALLS"] ?? 20_000);

const FAULT_PARTS: Readonly<Record<string, () => Promise<readonly FaultRow[]>>> = {
  power: async () => {
    const rows: FaultRow[] = [];
    for (const system of FILE_SYSTEMS) rows.push(await measurePowerPart(system));
    return rows;
  },
  kills: async () => [createStrikeRow("kill -9 of a writing server", await measureKills(STRIKES))],
  strikes: async () => [runSuite("kill -9 at system calls, failing calls, full disks, damage", ["test/crash"])],
  crowd: async () => [runSuite("16 and 64 mixed processes", ["test/concurrency"])],
  clocks: async () => [runSuite("clocks", ["src/store/adapters/sqlite-leases.test.ts", "src/planning/adapters"])],
  soak: async () => [await measureSoakPart()],
  growth: measureGrowthPart,
};

async function measurePowerPart(system: (typeof FILE_SYSTEMS)[number]): Promise<FaultRow> {
  const what = `power cuts, ${system}`;
  return canCutPower(system)
    ? createStrikeRow(what, await measurePowerCuts(system, STRIKES))
    : { what, runs: "0", result: "needs root, mount and mkfs" };
}

function createStrikeRow(what: string, { strikes, acknowledged, lost }: StrikeFigures): FaultRow {
  for (const each of lost) console.error(`${what}: ${each}`);
  return addStrikes(what, { strikes, acknowledged, lost: lost.length });
}

function addStrikes(what: string, more: NonNullable<FaultRow["counts"]>, before?: FaultRow["counts"]): FaultRow {
  const strikes = more.strikes + (before?.strikes ?? 0);
  const acknowledged = more.acknowledged + (before?.acknowledged ?? 0);
  const lost = more.lost + (before?.lost ?? 0);
  return {
    what,
    runs: `${strikes}, ${acknowledged} acknowledged writes`,
    result: `${lost} lost`,
    isKept: lost === 0,
    counts: { strikes, acknowledged, lost },
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
  if (process.platform !== "linux") return { what, runs: "0", result: "needs Linux" };
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
        ...(budget === undefined ? {} : { isKept: last <= budget }),
      });
    }
  }
  return rows;
}

const date = new Date().toISOString().slice(0, 10);
const place = `bench/results/${date}-faults`;
const chosen = process.argv.slice(2);
for (const [name, measure] of Object.entries(FAULT_PARTS))
  if (chosen.length === 0 || chosen.includes(name)) keepRows(await measure());

/** Written after each part, so that an interrupted run keeps what it measured. */
function keepRows(measured: readonly FaultRow[]): void {
  const known: FaultRow[] = fs.existsSync(`${place}.json`)
    ? (JSON.parse(fs.readFileSync(`${place}.json`, "utf8")) as FaultRow[])
    : [];
  const rows = new Map(known.map((row) => [row.what, row]));
  for (const row of measured)
    rows.set(row.what, row.counts ? addStrikes(row.what, row.counts, rows.get(row.what)?.counts) : row);
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`${place}.json`, `${JSON.stringify([...rows.values()], undefined, 2)}\n`);
  const page = renderFaultPage([...rows.values()]);
  console.log(page);
  fs.writeFileSync(`${place}.md`, page);
  if ([...rows.values()].some(({ isKept }) => isKept === false)) process.exitCode = 1;
}

function renderFaultPage(rows: readonly FaultRow[]): string {
  const judge = ({ isKept }: FaultRow): string => (isKept === undefined ? "not judged" : isKept ? "kept" : "MISSED");
  return [
    `# Faults and growth, measured on ${date}`,
    "",
    `Node ${process.versions.node}, SQLite ${process.versions["sqlite"]}.`,
    "",
    "| what | runs | result | |",
    "|---|---|---|---|",
    ...rows.map((row) => `| ${row.what} | ${row.runs} | ${row.result} | ${judge(row)} |`),
    "",
  ].join("\n");
}
