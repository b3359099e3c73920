/** Measures the Lead with 1,000 features: pure decisions, and pending actions in a server. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { dirname, join, resolve } from "node:path";
import type { FeatureRecord } from "../src/domain/feature/record.ts";
import { forecast } from "../src/domain/roadmap/forecast.ts";
import { decide } from "../src/domain/roadmap/lead/decide.ts";
import { noLead } from "../src/domain/roadmap/lead/lead.ts";
import type { Lead } from "../src/domain/roadmap/lead/state.ts";
import { roadmapPage } from "../src/domain/roadmap/page.ts";
import { readiness } from "../src/domain/roadmap/readiness.ts";
import { loadCatalogueOperation } from "../src/operations/catalogue.ts";
import { commitStoreWrite } from "../src/operations/engine.ts";
import { templatesOf } from "#operations/knowledge/draft.ts";
import { planOf } from "../src/operations/roadmap/plan.ts";
import { readLead } from "../src/operations/roadmap/shelf.ts";
import { built, designed, feature, finished, group, leadOf, review } from "../test/kit/features.ts";
import { benchHouse } from "./house.ts";

const WAVES = 10;
const IN_WAVE = 100;
/** The wave in progress. Earlier waves are finished, later ones designed ahead or not started. */
const OPEN = 5;
const BUDGET_MS = 50;
const ROUNDS = 21;
const BIN = resolve("bin/tenon.js");

const lead = roadmap();
const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
const environment = { ...inherited, TENON_HOME: join(folder, ".sdd", "home") };
const git = (...words: string[]): void => void execFileSync("git", words, { cwd: folder });
git("init", "--quiet");
git("config", "user.name", "Bench");
git("config", "user.email", "bench@example.com");
const house = benchHouse(folder);
const engine = await house.open({});
await keep(lead);
const sources = [...lead.features.values()].flatMap(({ design, phase }) =>
  phase === "implementation-complete" ? (design?.files ?? []) : [],
);
for (const file of sources) {
  fs.mkdirSync(dirname(join(folder, file)), { recursive: true });
  fs.writeFileSync(join(folder, file), `export const file = ${JSON.stringify(file)};\n`);
}
// The memory database is in this folder too and changes all the time.
fs.writeFileSync(join(folder, ".gitignore"), ".sdd/\nmemory.db*\n");
git("add", "-A");
git("commit", "--quiet", "-m", "all");
const next = await loadCatalogueOperation("roadmap.next");
const records = fs.readdirSync(join(folder, "sdd", "features")).map((name) => join(folder, "sdd", "features", name));

const isBound = new Set(["sdd_next, only looking", "sdd_next, a reviewer more", "sdd_next, a Builder more"]);
const rows: { what: string; times: number[] }[] = [
  { what: "node -e 0", times: [] },
  { what: "reading the bytes of all records", times: [] },
  { what: "decide", times: [] },
  { what: "the table of what is ready", times: [] },
  { what: "the page of the roadmap", times: [] },
  { what: "the forecast", times: [] },
  { what: "the Lead from its records, in a server", times: [] },
  { what: "sdd_next, only looking", times: [] },
  { what: "sdd_next, a reviewer more", times: [] },
  { what: "sdd_next, a Builder more", times: [] },
  { what: "tenon next --peek --json", times: [] },
];
for (let round = -2; round < ROUNDS; round++) {
  const times = [
    spawned("-e", "0"),
    timed(() => void records.map((path) => fs.readFileSync(join(path, "spec.yaml")))),
    timed(() => void decide(afresh())),
    timed(() => void readiness(afresh())),
    timed(() => void roadmapPage(afresh())),
    timed(() => void forecast(afresh(), () => 1)),
    await timedAsync(() => readLead(engine)),
    await asked({ peek: true, limit: 1 }),
    await asked({ limit: 1, session: `reviewer ${round + 2}`, feature: `w${OPEN}-4` }),
    await asked({
      limit: 1,
      session: `builder ${round + 2}`,
      feature: `w${OPEN}-${5 * Math.floor((round + 2) / 3) + 2}`,
    }),
    spawned(BIN, "next", "--peek", "--json"),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) rows[i]?.times.push(time);
}
const size = records.reduce((sum, path) => sum + fs.statSync(join(path, "spec.yaml")).size, 0);
fs.rmSync(folder, { recursive: true });

const [bare, bytes] = rows.map(({ times }) => median(times));
const page = [
  `# A roadmap of ${WAVES * IN_WAVE} features, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${ROUNDS} interleaved rounds; ${WAVES} waves, ${OPEN - 1} of them finished, ${(size / 1_024).toFixed(0)} KB of records, ${sources.length} files of code.`,
  "",
  "| what | ms | of `node -e 0` | of reading the bytes | budget | |",
  "|---|---|---|---|---|---|",
  ...rows.map(({ what, times }) => {
    const ms = median(times);
    const isKept = ms <= BUDGET_MS;
    if (isBound.has(what) && !isKept) process.exitCode = 1;
    const verdict = isBound.has(what) ? `${BUDGET_MS} ms | ${isKept ? "kept" : "MISSED"}` : "| ";
    const ratio = (to = Number.NaN): string => `${(ms / to).toFixed(2)} ×`;
    return `| ${what} | ${ms.toFixed(1)} | ${ratio(bare)} | ${ratio(bytes)} | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(page);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-roadmap.md`, page);

/** Opens the workspace for every call, as a server does. */
function asked(input: object): Promise<number> {
  return timedAsync(async () => next.run(await house.open({}), input));
}

/** A copy without cached views. */
function afresh(): Lead {
  return { ...lead, features: new Map(lead.features) };
}

/** Each wave depends on the one before it. The open wave has features at every step. */
function roadmap(): Lead {
  const all: FeatureRecord[] = [];
  for (let wave = 1; wave <= WAVES; wave++) for (let i = 0; i < IN_WAVE; i++) all.push(featureAt(wave, i));
  const waves = new Map(Array.from({ length: OPEN - 1 }, (_unused, i) => [i + 1, finished(i + 1)]));
  return leadOf(all, { waves });
}

function featureAt(wave: number, i: number): FeatureRecord {
  const name = `w${wave}-${i}`;
  const on = wave === 1 ? [] : [0, 1, 7].map((step) => `w${wave - 1}-${(i + step) % IN_WAVE}`);
  const files = [0, 1, 2].map((n) => `src/w${wave}/f${i}/part-${n}.ts`);
  const basis = Object.fromEntries(on.map((other) => [other, `design of ${other}`]));
  const design = { hash: `design of ${name}`, files, basis };
  const reviews = { design: review("GO", design.hash), implementation: null };
  const groups = files.map((file, n) => group(`G${n}`, [file]));
  const planned = { ...feature(name).orchestration, last_phase_action: "tasks-generated" } as const;
  if (wave < OPEN) return built(name, files, { wave, on, design });
  if (wave > OPEN + 1) return feature(name, { wave, on });
  if (wave === OPEN + 1 || i % 5 === 4) return designed(name, files, { wave, on, design });
  if (i % 5 === 3) return designed(name, files, { wave, on, design, reviews });
  if (i % 5 === 2)
    return designed(name, files, { wave, on, design, reviews, orchestration: planned, implementation: { groups } });
  return built(name, files, { wave, on, design, ...(i % 5 === 1 ? { reviews } : {}) });
}

async function keep(after: Lead): Promise<void> {
  const tools = { yaml: await engine.yaml(), templates: await templatesOf(engine) };
  const at = engine.clock.now();
  await commitStoreWrite(engine, (tree) => {
    const { steps, keeps } = planOf(tree, { ...engine, tools }, { before: noLead(), after, effects: [], at });
    const occurrences = [{ kind: "roadmap.run-begun", subject: "" }];
    return { steps, occurrences, ...(keeps ? { keeps } : {}), result: undefined };
  });
}

function spawned(...words: string[]): number {
  return timed(() => {
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env: environment, encoding: "utf8" });
    if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  });
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
