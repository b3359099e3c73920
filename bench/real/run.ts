/**
 * Takes public projects through detection, trust, a bugfix and a feature, and tries three lies on each.
 *
 * Usage: npm run bench:real -- [--only name,name] [--work <folder>] [--reuse] [--keep] [--write]
 *
 * With --reuse, a project whose result is in the work folder is not tested again. With --keep, the rows of other projects
 * stay as the newest results have them.
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
    keep: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const PROGRAM = fileURLToPath(new URL("../../bin/tenon.js", import.meta.url));
const work = values.work ?? fs.mkdtempSync(join(os.tmpdir(), "tenon-real-"));
const list = loadProjectList();
const commit = describeCommit();
const MOST_RATIO = 2.5;
const COLUMNS = [
  "project",
  "detected",
  "waived",
  "refusals not owed",
  "lies passed",
  "suite (s)",
  "its other checks (s)",
  "gate (s)",
  "gate / suite",
  "gate / all its checks",
  "gate again (s)",
  "measured",
  "commit",
];
const wanted = values.only?.split(",");
const chosen = list.projects.filter(({ name }) => wanted === undefined || wanted.some((word) => name.startsWith(word)));

const results = chosen.map(testProject);
const table = formatTable(results);
process.stdout.write(`${table}\n`);
if (values.write) writeResults(table);

function testProject(project: RealProject): ProjectResult {
  const root = join(work, project.name.replace(/[^\w.-]+/g, "-"));
  let result: ProjectResult;
  if (values.reuse && fs.existsSync(`${root}.json`)) {
    const known = JSON.parse(fs.readFileSync(`${root}.json`, "utf8")) as ProjectResult;
    return { ...known, at: formatMinute(fs.statSync(`${root}.json`).mtime) };
  }
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
    result.at = formatMinute(new Date());
    result.commit = commit;
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
  const fresh = new Map(tested.map((one) => [one.name, formatCells(one)]));
  const kept = values.keep ? loadEarlierRows() : new Map<string, string[]>();
  const rows = list.projects.flatMap(({ name }) => {
    const isFailed = all.some((one) => one.name === name && one.problem !== undefined);
    const row = fresh.get(name) ?? (isFailed ? undefined : kept.get(name));
    return row ? [row] : [];
  });
  const read = (column: string, form: RegExp, some: readonly (readonly string[])[] = rows): number[] =>
    some.flatMap((cells) => form.exec(cells[COLUMNS.indexOf(column)] ?? "")?.[1] ?? []).map(Number);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const ratios = read("gate / suite", /^([\d.]+)$/);
  // Tenon itself takes most of a gate if the suite takes less than a second.
  const longer = rows.filter((cells) => Number.parseFloat(cells[COLUMNS.indexOf("suite (s)")] ?? "") >= 1);
  const again = read("gate again (s)", /^([\d.]+) /);
  const complete = read("gate / all its checks", /^([\d.]+)$/);
  const describeRatios = (numbers: readonly number[]): string =>
    `median ${median(numbers).toFixed(1)} ×, ${numbers.filter((ratio) => ratio > MOST_RATIO).length} of ${numbers.length} above ${MOST_RATIO} ×`;
  const missing = [
    ...all.flatMap(({ name, runner, problem }) =>
      problem === undefined ? [] : [`- ${name} (${runner}): ${shortenText(problem)}`],
    ),
    ...list.projects
      .filter((project) => !chosen.includes(project) && !kept.has(project.name))
      .map(({ name, runner }) => `- ${name} (${runner}): not part of this run`),
    ...list.unavailable.map(({ name, runner, why }) => `- ${name} (${runner}): ${why}`),
  ];
  return [
    `${rows.length} projects, ${sum(read("refusals not owed", /^(\d+)$/))} refusals not owed, ${sum(read("lies passed", /^(\d+) of/))} of ${sum(read("lies passed", /of (\d+)$/))} lies passed.`,
    "",
    `- A gate against the project's own suite: ${describeRatios(ratios)}. Only suites of a second or more: ${describeRatios(read("gate / suite", /^([\d.]+)$/, longer))}.`,
    `- A gate against the suite and the project's other checks that it runs: ${describeRatios(complete)}.`,
    `- The gate again on the same files runs no check, which is what Tenon itself takes: median ${median(again).toFixed(1)} s.`,
    "",
    `| ${COLUMNS.join(" | ")} |`,
    `|${"---|".repeat(COLUMNS.length)}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    ...tested.flatMap(({ name, refused }) => refused.map((why) => `\n- Refused, ${name}: ${shortenText(why)}`)),
    "",
    "Measured commits:",
    "",
    ...describeCommits(rows),
    "",
    "Not tested:",
    "",
    ...missing,
  ].join("\n");
}

function formatCells(one: ProjectResult): string[] {
  return [
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
    formatSeconds(one.again),
    one.at ?? "-",
    one.commit ?? "unknown",
  ];
}

/** The rows of the newest results, by project. */
function loadEarlierRows(): Map<string, string[]> {
  const folder = fileURLToPath(new URL("../results", import.meta.url));
  const newest = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith("-real.md"))
    .toSorted()
    .at(-1);
  const text = newest === undefined ? "" : fs.readFileSync(join(folder, newest), "utf8");
  const rows = text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "))
    .filter(([name]) => name !== "project");
  // Older results do not name the commit.
  return new Map(rows.map((cells) => [cells[0] ?? "", [...cells, "earlier"].slice(0, COLUMNS.length)]));
}

/** What each measured commit did, and its place on this branch, since a rebase gives it another hash. */
function describeCommits(rows: readonly (readonly string[])[]): string[] {
  const labels = new Set(
    rows.map((cells) => cells[COLUMNS.indexOf("commit")] ?? "").filter((one) => /^[0-9a-f]{10}\+?$/.test(one)),
  );
  return [...labels].map((label) => {
    const subject = askGit("log", "-1", "--format=%s", label.replace("+", ""));
    const here =
      subject === "" ? "" : askGit("log", "-1", "--format=%h", "--abbrev=10", "--fixed-strings", `--grep=${subject}`);
    const place = here === "" ? "not on this branch" : here === label ? "on this branch" : `on this branch ${here}`;
    return `- ${label}, ${place}: ${subject === "" ? "unknown" : subject}`;
  });
}

/** The commit that is measured, with a plus for code that is not committed. */
function describeCommit(): string {
  const dirty = askGit("status", "--porcelain", "--", "src", "assets", "bin", "scripts");
  return `${askGit("rev-parse", "--short=10", "HEAD")}${dirty === "" ? "" : "+"}`;
}

function askGit(...words: string[]): string {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  return spawnSync("git", words, { cwd: folder, encoding: "utf8" }).stdout?.trim() ?? "";
}

function formatMinute(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
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
  const shown = text.slice(0, text.search(/\n\n- Refused|\n\nMeasured commits:/));
  if (at >= 0) fs.writeFileSync(guide, `${old.slice(0, at)}${begin}\n\n${shown}\n\n${old.slice(old.indexOf(end))}`);
}
