/** Measures stack detection in a workspace of 50,000 files, for working files and for a commit. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { createBenchHouse } from "./house.ts";

const STACK_FILES = 50_000;
const PACKAGE_TOTAL = 200;
const STACK_BUDGET_MS = 2_000;
const STACK_ROUNDS = 11;

const stackFolder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const runStackGit = (...words: string[]): string =>
  execFileSync("git", words, { cwd: stackFolder, encoding: "utf8", maxBuffer: 1 << 28 });
runStackGit("init", "--quiet", "--initial-branch=main");
runStackGit("config", "user.name", "Bench");
runStackGit("config", "user.email", "bench@example.com");

const PACKAGE_KINDS = [
  ["package.json", '{"devDependencies":{"react":"19","vitest":"5","eslint":"10"},"scripts":{"build":"x"}}', "tsx"],
  ["package.json", '{"devDependencies":{"typescript":"7","jest":"31"},"scripts":{"lint":"x"}}', "ts"],
  ["pyproject.toml", '[project]\ndependencies = ["fastapi"]\n[tool.ruff]\n[tool.pytest.ini_options]\n', "py"],
  ["go.mod", "module example.com/a\n\ngo 1.24\n", "go"],
  ["Cargo.toml", '[package]\nname = "a"\n', "rs"],
] as const;
for (let p = 0; p < PACKAGE_TOTAL; p++) {
  const [manifest, text, ending] = PACKAGE_KINDS[p % PACKAGE_KINDS.length] ?? PACKAGE_KINDS[0];
  const at = join(stackFolder, "packages", `p${p}`);
  fs.mkdirSync(join(at, "src", "deep", "er"), { recursive: true });
  fs.writeFileSync(join(at, manifest), text);
  const each = STACK_FILES / PACKAGE_TOTAL - 1;
  for (let i = 0; i < each; i++)
    fs.writeFileSync(join(at, "src", i % 2 === 0 ? "deep/er" : ".", `f${i}.${ending}`), "");
}
runStackGit("add", "-A");
runStackGit("commit", "--quiet", "-m", "all");
const stackCommit = runStackGit("rev-parse", "HEAD").trim();

const { stacks } = await createBenchHouse(stackFolder).open({});
const detectedStacks = (await stacks.survey()).detections.length;
if (detectedStacks !== PACKAGE_TOTAL)
  throw new Error(`${detectedStacks} stacks were found, and there are ${PACKAGE_TOTAL}.`);

const stackRows: { what: string; times: number[] }[] = [
  { what: "git ls-files", times: [] },
  { what: "stacks of the working files", times: [] },
  { what: "stacks of a commit", times: [] },
];
for (let round = -1; round < STACK_ROUNDS; round++) {
  const times = [
    await timeStackAsync(async () => void runStackGit("ls-files", "-z", "--cached", "--others", "--exclude-standard")),
    await timeStackAsync(() => stacks.definitions()),
    await timeStackAsync(() => stacks.definitions(stackCommit)),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) stackRows[i]?.times.push(time);
}
fs.rmSync(stackFolder, { recursive: true });

const stackBaseline = computeStackMedian(stackRows[0]?.times ?? []);
const stackPage = [
  `# Detecting the stacks of ${STACK_FILES} files, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${STACK_ROUNDS} interleaved rounds; ${PACKAGE_TOTAL} packages of four stacks, all detected.`,
  "",
  "| case | s | of `git ls-files` | budget | |",
  "|---|---|---|---|---|",
  ...stackRows.map(({ what, times }, i) => {
    const ms = computeStackMedian(times);
    const isKept = ms <= STACK_BUDGET_MS;
    if (i > 0 && !isKept) process.exitCode = 1;
    const verdict = i === 0 ? " | " : `${STACK_BUDGET_MS / 1_000} s | ${isKept ? "kept" : "MISSED"}`;
    return `| ${what} | ${(ms / 1_000).toFixed(2)} | ${(ms / stackBaseline).toFixed(1)} × | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(stackPage);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-stack.md`, stackPage);

async function timeStackAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function computeStackMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
