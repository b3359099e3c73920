/** Measures `tenon run`: 20 features in 5 waves with 4 scripted agents, each of which takes a fixed time. */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { TINY } from "../test/gate/tiny.ts";
import { temporaryFolder } from "../test/kit/folder.ts";
import { createWavePlan, listLandingProblems, REAL_CLOCK, runStand } from "../test/running/run-stand.ts";

const [waves = 5, width = 4, delay = 5000] = process.argv.slice(2).map(Number);
const PLACES = 4;
const MAX_SECONDS_PER_ACTION = 2;
const MAX_WALL_RATIO = 1.3;
const TICKS_PER_SECOND = 100;

const folder = temporaryFolder();
const testLog = join(folder.path, "tests.log");
// The gate is not overhead: each run of the tests notes its own processor time.
const noteTime = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  fs.appendFileSync(${JSON.stringify(testLog)}, (user + system) + "\\n");
});
`;
const files = { "tools/test.mjs": (TINY["tools/test.mjs"] ?? "").replace(/^(import fs .*\n)/, `$1${noteTime}`) };
fs.writeFileSync(testLog, "");
const plan = { ...createWavePlan(waves, width), delay };
const stand = await runStand(plan, files, { clock: REAL_CLOCK });

const cpuBefore = readProcessorSeconds();
const began = performance.now();
const { notices, ...output } = await stand.start({ agent: `claude=${PLACES}` });
const wall = (performance.now() - began) / 1000;
const used = readProcessorSeconds() - cpuBefore;
const problems = [...(output.complete ? [] : [output.ended]), ...listLandingProblems(stand, plan)];
if (problems.length > 0) throw new Error(problems.join("\n"));

const starts = notices.flatMap((notice) => (notice.event === "started" ? [notice.action] : []));
const agents = sumLines(join(stand.home, "cpu.log"));
const gates = sumLines(testLog);
const overhead = (used - agents - gates) / starts.length;
const longest = computeLongestPath(starts);
const ideal = (Math.max(longest, starts.length / PLACES) * delay) / 1000;
const rows = [
  ["processor time of Tenon and git for each agent", `${overhead.toFixed(2)} s`, overhead, MAX_SECONDS_PER_ACTION, "s"],
  ["wall time, of the ideal", `${(wall / ideal).toFixed(2)} ×`, wall / ideal, MAX_WALL_RATIO, "×"],
] as const;
const [load = 0] = os.loadavg();
const report = [
  `# \`tenon run\` with ${waves * width} features in ${waves} waves, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}, load ${load.toFixed(1)}.`,
  `${starts.length} agents, at most ${PLACES} at once; each takes ${delay / 1000} s. All work landed.`,
  `The ideal is ${ideal.toFixed(0)} s: the longest path has ${longest} agents in a row, and ${PLACES} places need ${Math.ceil(starts.length / PLACES)} rounds.`,
  `The tests used ${gates.toFixed(0)} s of processor time and the agents ${agents.toFixed(0)} s, which do not count.`,
  "",
  "| case | value | budget | |",
  "|---|---|---|---|",
  ...rows.map(([what, shown, value, most, unit]) => {
    if (value > most) process.exitCode = 1;
    return `| ${what} | ${shown} | ${most} ${unit} | ${value <= most ? "kept" : "MISSED"} |`;
  }),
  "",
].join("\n");
console.log(report);
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-run.md`, report);
stand[Symbol.dispose]();
folder[Symbol.dispose]();

/** Of this process and of all its children that have ended. */
function readProcessorSeconds(): number {
  const fields = fs
    .readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

function sumLines(file: string): number {
  const lines = fs.readFileSync(file, "utf8").trim().split("\n");
  return lines.reduce((sum, line) => sum + Number(line), 0) / 1e6;
}

/** Agents in a row: the steps of a feature follow each other, inspectors of one review do not, and waves do. */
function computeLongestPath(actions: readonly string[]): number {
  const steps = new Map<string, Set<string>>();
  for (const action of actions) {
    const [subject = "", ...rest] = action.split("/");
    const step = rest
      .join("/")
      .replace(/(?<=\/B\d+\/)(?!auditor).+/, "inspector")
      .replace(/^build-\w+/, "build");
    steps.set(subject, (steps.get(subject) ?? new Set()).add(step));
  }
  const perWave = Array.from({ length: waves }, (_, i) => i + 1).map((wave) => {
    const own = [...steps].filter(([subject]) => subject.startsWith(`w${wave}-`)).map(([, { size }]) => size);
    return Math.max(...own) + (steps.get(`wave-${wave}`)?.size ?? 0);
  });
  return perWave.reduce((sum, length) => sum + length, 0);
}
