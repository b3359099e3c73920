import fs from "node:fs";
import os from "node:os";
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { forecastRunCost } from "#roadmap/model/cost-forecast.ts";
import { listFeatureReadiness } from "#roadmap/model/feature-readiness.ts";
import type { FeatureRecord } from "#roadmap/model/feature/feature-record.ts";
import { decideNextActions } from "#roadmap/model/lead/lead-decision.ts";
import type { Lead } from "#roadmap/model/lead/lead-state.ts";
import { formatRoadmapPage } from "#roadmap/model/roadmap-page.ts";
import { loadKnowledgeTemplates } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import { planLeadWrite } from "#roadmap/operations/lead/write-lead.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import {
  built,
  createEmptyLead,
  designed,
  feature,
  finished,
  group,
  createTestLead,
  review,
} from "../test/kit/features.ts";
import { createBenchHouse } from "./house.ts";

/** Measures the Lead with 1,000 features: pure decisions, and pending actions in a server. */

const WAVE_TOTAL = 10;
const FEATURES_PER_WAVE = 100;
/** The wave in progress. Earlier waves are finished, later ones designed ahead or not started. */
const OPEN_WAVE = 5;
const ROADMAP_BUDGET_MS = 50;
const ROADMAP_ROUNDS = 21;
const ROADMAP_BIN = resolve("bin/tenon.js");

const benchLead = createBenchRoadmap();
const roadmapFolder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
const roadmapEnvironment = { ...inherited, TENON_HOME: join(roadmapFolder, ".sdd", "home") };
const runRoadmapGit = (...words: string[]): void => void execFileSync("git", words, { cwd: roadmapFolder });
runRoadmapGit("init", "--quiet");
runRoadmapGit("config", "user.name", "Bench");
runRoadmapGit("config", "user.email", "bench@example.com");
const roadmapHouse = createBenchHouse(roadmapFolder);
const roadmapEngine = await roadmapHouse.open({});
await storeBenchLead(benchLead);
const roadmapSources = [...benchLead.features.values()].flatMap(({ design, phase }) =>
  phase === "implementation-complete" ? (design?.files ?? []) : [],
);
for (const file of roadmapSources) {
  fs.mkdirSync(dirname(join(roadmapFolder, file)), { recursive: true });
  fs.writeFileSync(join(roadmapFolder, file), `export const file = ${JSON.stringify(file)};\n`);
}
// The memory database is in this folder too and changes all the time.
fs.writeFileSync(join(roadmapFolder, ".gitignore"), ".sdd/\nmemory.db*\n");
runRoadmapGit("add", "-A");
runRoadmapGit("commit", "--quiet", "-m", "all");
const nextOperation = await loadCatalogueOperation("roadmap.next");
const recordFolders = fs
  .readdirSync(join(roadmapFolder, "sdd", "features"))
  .map((name) => join(roadmapFolder, "sdd", "features", name));

const boundRows = new Set(["sdd_next, peek", "sdd_next, assigning a reviewer", "sdd_next, assigning a Builder"]);
const roadmapRows: { what: string; times: number[] }[] = [
  { what: "node -e 0", times: [] },
  { what: "reading all records", times: [] },
  { what: "decideNextActions", times: [] },
  { what: "readiness table", times: [] },
  { what: "roadmap page", times: [] },
  { what: "forecast", times: [] },
  { what: "loading the Lead, in a server", times: [] },
  { what: "sdd_next, peek", times: [] },
  { what: "sdd_next, assigning a reviewer", times: [] },
  { what: "sdd_next, assigning a Builder", times: [] },
  { what: "tenon next --peek --json", times: [] },
];
for (let round = -2; round < ROADMAP_ROUNDS; round++) {
  const times = [
    timeRoadmapCommand("-e", "0"),
    timeRoadmapSync(() => void recordFolders.map((path) => fs.readFileSync(join(path, "spec.yaml")))),
    timeRoadmapSync(() => void decideNextActions(copyBenchLead())),
    timeRoadmapSync(() => void listFeatureReadiness(copyBenchLead())),
    timeRoadmapSync(() => void formatRoadmapPage(copyBenchLead())),
    timeRoadmapSync(() => void forecastRunCost(copyBenchLead(), () => 1)),
    await timeRoadmapAsync(() => readLead(roadmapEngine)),
    await timeNextCall({ peek: true, limit: 1 }),
    await timeNextCall({ limit: 1, session: `reviewer ${round + 2}`, feature: `w${OPEN_WAVE}-4` }),
    await timeNextCall({
      limit: 1,
      session: `builder ${round + 2}`,
      feature: `w${OPEN_WAVE}-${5 * Math.floor((round + 2) / 3) + 2}`,
    }),
    timeRoadmapCommand(ROADMAP_BIN, "next", "--peek", "--json"),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) roadmapRows[i]?.times.push(time);
}
const recordBytes = recordFolders.reduce((sum, path) => sum + fs.statSync(join(path, "spec.yaml")).size, 0);
fs.rmSync(roadmapFolder, { recursive: true });

const [bare, bytes] = roadmapRows.map(({ times }) => computeRoadmapMedian(times));
const roadmapReport = [
  `# A roadmap of ${WAVE_TOTAL * FEATURES_PER_WAVE} features, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${ROADMAP_ROUNDS} interleaved rounds; ${WAVE_TOTAL} waves, ${OPEN_WAVE - 1} of them finished, ${(recordBytes / 1_024).toFixed(0)} KB of records, ${roadmapSources.length} files of code.`,
  "",
  "| case | ms | of `node -e 0` | of reading the bytes | budget | |",
  "|---|---|---|---|---|---|",
  ...roadmapRows.map(({ what, times }) => {
    const ms = computeRoadmapMedian(times);
    const isKept = ms <= ROADMAP_BUDGET_MS;
    if (boundRows.has(what) && !isKept) process.exitCode = 1;
    const verdict = boundRows.has(what) ? `${ROADMAP_BUDGET_MS} ms | ${isKept ? "kept" : "MISSED"}` : "| ";
    const ratio = (to = Number.NaN): string => `${(ms / to).toFixed(2)} ×`;
    return `| ${what} | ${ms.toFixed(1)} | ${ratio(bare)} | ${ratio(bytes)} | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(roadmapReport);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-roadmap.md`, roadmapReport);

/** Opens the workspace for every call, as a server does. */
function timeNextCall(input: object): Promise<number> {
  return timeRoadmapAsync(async () => nextOperation.run(await roadmapHouse.open({}), input));
}

/** A copy without cached views. */
function copyBenchLead(): Lead {
  return { ...benchLead, features: new Map(benchLead.features) };
}

/** Each wave depends on the one before it. The open wave has features at every step. */
function createBenchRoadmap(): Lead {
  const all: FeatureRecord[] = [];
  for (let wave = 1; wave <= WAVE_TOTAL; wave++)
    for (let i = 0; i < FEATURES_PER_WAVE; i++) all.push(createBenchFeature(wave, i));
  const waves = new Map(Array.from({ length: OPEN_WAVE - 1 }, (_unused, i) => [i + 1, finished(i + 1)]));
  return createTestLead(all, { waves });
}

function createBenchFeature(wave: number, i: number): FeatureRecord {
  const name = `w${wave}-${i}`;
  const on = wave === 1 ? [] : [0, 1, 7].map((step) => `w${wave - 1}-${(i + step) % FEATURES_PER_WAVE}`);
  const files = [0, 1, 2].map((n) => `src/w${wave}/f${i}/part-${n}.ts`);
  const basis = Object.fromEntries(on.map((other) => [other, `design of ${other}`]));
  const design = { hash: `design of ${name}`, files, basis };
  const reviews = { design: review("GO", design.hash), implementation: null };
  const groups = files.map((file, n) => group(`G${n}`, [file]));
  const planned = { ...feature(name).orchestration, last_phase_action: "tasks-generated" } as const;
  if (wave < OPEN_WAVE) return built(name, files, { wave, on, design });
  if (wave > OPEN_WAVE + 1) return feature(name, { wave, on });
  if (wave === OPEN_WAVE + 1 || i % 5 === 4) return designed(name, files, { wave, on, design });
  if (i % 5 === 3) return designed(name, files, { wave, on, design, reviews });
  if (i % 5 === 2)
    return designed(name, files, { wave, on, design, reviews, orchestration: planned, implementation: { groups } });
  return built(name, files, { wave, on, design, ...(i % 5 === 1 ? { reviews } : {}) });
}

async function storeBenchLead(after: Lead): Promise<void> {
  const tools = { yaml: await roadmapEngine.yaml(), templates: await loadKnowledgeTemplates(roadmapEngine) };
  const at = roadmapEngine.clock.now();
  await commitStoreWrite(roadmapEngine, (tree) => {
    const change = { before: createEmptyLead(), after, effects: [], at };
    const { steps, keeps } = planLeadWrite(tree, roadmapEngine, tools, change);
    const occurrences = [{ kind: "roadmap.run-begun", subject: "" }];
    return { steps, occurrences, ...(keeps ? { keeps } : {}), result: undefined };
  });
}

function timeRoadmapCommand(...words: string[]): number {
  return timeRoadmapSync(() => {
    const { status, stderr } = spawnSync(process.execPath, words, {
      cwd: roadmapFolder,
      env: roadmapEnvironment,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  });
}

function timeRoadmapSync(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

async function timeRoadmapAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function computeRoadmapMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
