/**
 * Takes public projects through detection, trust, a bugfix and a feature, and tries three lies on each.
 *
 * Usage: npm run bench:real -- [--only name,name] [--work <folder>] [--reuse] [--write]
 *
 * With --reuse, a project whose result is in the work folder is not tested again.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyProject } from "./project-copy.ts";
import { loadProjectList, type RealProject } from "./project-list.ts";
import { type MeasuredRun, type ProjectResult, walkProject } from "./walk-project.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    work: { type: "string" },
    reuse: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const PROGRAM = fileURLToPath(new URL("../../bin/tenon.js", import.meta.url));
const work = values.work ?? fs.mkdtempSync(join(os.tmpdir(), "tenon-real-"));
const list = loadProjectList();
const MOST_RATIO = 2.5;
const wanted = values.only?.split(",");
const chosen = list.projects.filter(({ name }) => wanted === undefined || wanted.some((word) => name.startsWith(word)));

const results = chosen.map(testProject);
const table = formatTable(results);
process.stdout.write(`${table}\n`);
if (values.write) writeResults(table);

function testProject(project: RealProject): ProjectResult {
  const root = join(work, project.name.replace(/[^\w.-]+/g, "-"));
  let result: ProjectResult;
  if (values.reuse && fs.existsSync(`${root}.json`)) return JSON.parse(fs.readFileSync(`${root}.json`, "utf8"));
  try {
    for (const old of [root, `${root}.data`]) fs.rmSync(old, { recursive: true, force: true });
    copyProject(project, root);
    const install = spawnSync("sh", ["-c", project.install ?? "true"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    if (install.status !== 0) throw new Error(`it cannot be installed here: ${install.stderr.trim().slice(-200)}`);
    result = walkProject(list, project, root, PROGRAM);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const { name, runner } = project;
    result = { name, runner, detected: "", waived: [], refused: [], passed: [], lies: 0, problem };
  }
  fs.writeFileSync(`${root}.json`, JSON.stringify(result, null, 2));
  process.stderr.write(`${JSON.stringify(result)}\n`);
  return result;
}

function formatTable(all: readonly ProjectResult[]): string {
  const tested = all.filter(({ problem }) => problem === undefined);
  const sum = (count: (one: ProjectResult) => number): number => tested.reduce((total, one) => total + count(one), 0);
  const ratios = tested.flatMap((one) => divideSeconds(one.gate?.processor, one.suite?.processor) ?? []);
  const slow = ratios.filter((ratio) => ratio > MOST_RATIO).length;
  const rows = tested.map((one) =>
    [
      one.name,
      one.detected,
      one.waived.join(", ") || "none",
      String(one.refused.length),
      `${one.passed.length} of ${one.lies}`,
      formatSeconds(one.suite),
      formatSeconds(one.others),
      formatSeconds(one.gate),
      divideSeconds(one.gate?.processor, one.suite?.processor)?.toFixed(1) ?? "-",
      divideSeconds(one.gate?.processor, addSeconds(one.suite, one.others))?.toFixed(1) ?? "-",
    ].join(" | "),
  );
  const missing = [
    ...all.flatMap(({ name, runner, problem }) =>
      problem === undefined ? [] : [`- ${name} (${runner}): ${shortenText(problem)}`],
    ),
    ...list.projects
      .filter((project) => !chosen.includes(project))
      .map(({ name, runner }) => `- ${name} (${runner}): not part of this run`),
    ...list.unavailable.map(({ name, runner, why }) => `- ${name} (${runner}): ${why}`),
  ];
  return [
    `${tested.length} projects, ${sum(({ refused }) => refused.length)} refusals not owed, ${sum(({ passed }) => passed.length)} of ${sum(({ lies }) => lies)} lies passed, median gate ${median(ratios).toFixed(1)} × the project's own suite, ${slow} above ${MOST_RATIO} ×.`,
    "",
    "| project | detected | waived | refusals not owed | lies passed | suite (s) | its other checks (s) | gate (s) | gate / suite | gate / all its checks |",
    "|---|---|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    ...tested.flatMap(({ name, refused }) => refused.map((why) => `\n- Refused, ${name}: ${shortenText(why)}`)),
    "",
    "Not tested:",
    "",
    ...missing,
  ].join("\n");
}

function formatSeconds(measured: MeasuredRun | undefined): string {
  return measured === undefined ? "-" : `${measured.processor.toFixed(1)} (${measured.wall.toFixed(1)})`;
}

function addSeconds(one: MeasuredRun | undefined, other: MeasuredRun | undefined): number | undefined {
  return one === undefined ? undefined : one.processor + (other?.processor ?? 0);
}

function divideSeconds(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined || other === 0 ? undefined : one / other;
}

function shortenText(text: string): string {
  return text
    .replaceAll(work, "")
    .replaceAll(os.homedir(), "~")
    .replaceAll("|", "/")
    .replaceAll(/\s+/g, " ")
    .slice(0, 300);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The table is also part of the guide. */
function writeResults(text: string): void {
  const date = new Date().toISOString().slice(0, 10);
  const head = `# Real projects, ${date}\n\nnpm run bench:real on ${os.cpus().length} shared cores, Node ${process.version}. Seconds are processor time, which other work on the machine hardly changes, and in brackets seconds by the clock. The suite runs once after one line was changed.\n\n`;
  fs.writeFileSync(new URL(`../results/${date}-real.md`, import.meta.url), `${head}${text}\n`);
  const guide = new URL("../../docs/guide/stacks.md", import.meta.url);
  const old = fs.readFileSync(guide, "utf8");
  const [begin, end] = ["<!-- bench:real begin -->", "<!-- bench:real end -->"];
  const at = old.indexOf(begin);
  // The reasons of refusals are only in the results.
  const shown = text.slice(0, text.search(/\n\n- Refused|\n\nNot tested:/));
  if (at >= 0) fs.writeFileSync(guide, `${old.slice(0, at)}${begin}\n\n${shown}\n\n${old.slice(old.indexOf(end))}`);
}
