/** Measures stack detection in a workspace of 50,000 files, for working files and for a commit. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { benchHouse } from "./house.ts";

const FILES = 50_000;
const PACKAGES = 200;
const BUDGET_MS = 2_000;
const ROUNDS = 11;

const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
const git = (...words: string[]): string =>
  execFileSync("git", words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
git("init", "--quiet", "--initial-branch=main");
git("config", "user.name", "Bench");
git("config", "user.email", "bench@example.com");

const KINDS = [
  ["package.json", '{"devDependencies":{"react":"19","vitest":"5","eslint":"10"},"scripts":{"build":"x"}}', "tsx"],
  ["package.json", '{"devDependencies":{"typescript":"7","jest":"31"},"scripts":{"lint":"x"}}', "ts"],
  ["pyproject.toml", '[project]\ndependencies = ["fastapi"]\n[tool.ruff]\n[tool.pytest.ini_options]\n', "py"],
  ["go.mod", "module example.com/a\n\ngo 1.24\n", "go"],
  ["Cargo.toml", '[package]\nname = "a"\n', "rs"],
] as const;
for (let p = 0; p < PACKAGES; p++) {
  const [manifest, text, ending] = KINDS[p % KINDS.length] ?? KINDS[0];
  const at = join(folder, "packages", `p${p}`);
  fs.mkdirSync(join(at, "src", "deep", "er"), { recursive: true });
  fs.writeFileSync(join(at, manifest), text);
  const each = FILES / PACKAGES - 1;
  for (let i = 0; i < each; i++)
    fs.writeFileSync(join(at, "src", i % 2 === 0 ? "deep/er" : ".", `f${i}.${ending}`), "");
}
git("add", "-A");
git("commit", "--quiet", "-m", "all");
const commit = git("rev-parse", "HEAD").trim();

const { stacks } = await benchHouse(folder).open({});
const found = (await stacks.survey()).detections.length;
if (found !== PACKAGES) throw new Error(`${found} stacks were found, and there are ${PACKAGES}.`);

const rows: { what: string; times: number[] }[] = [
  { what: "git ls-files", times: [] },
  { what: "stacks of the working files", times: [] },
  { what: "stacks of a commit", times: [] },
];
for (let round = -1; round < ROUNDS; round++) {
  const times = [
    await timed(async () => void git("ls-files", "-z", "--cached", "--others", "--exclude-standard")),
    await timed(() => stacks.definitions()),
    await timed(() => stacks.definitions(commit)),
  ];
  if (round >= 0) for (const [i, time] of times.entries()) rows[i]?.times.push(time);
}
fs.rmSync(folder, { recursive: true });

const bare = median(rows[0]?.times ?? []);
const page = [
  `# What ${FILES} files are taken for, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
  `Medians of ${ROUNDS} interleaved rounds; ${PACKAGES} packages of four stacks, all of them found.`,
  "",
  "| what | s | of `git ls-files` | budget | |",
  "|---|---|---|---|---|",
  ...rows.map(({ what, times }, i) => {
    const ms = median(times);
    const isKept = ms <= BUDGET_MS;
    if (i > 0 && !isKept) process.exitCode = 1;
    const verdict = i === 0 ? " | " : `${BUDGET_MS / 1_000} s | ${isKept ? "kept" : "MISSED"}`;
    return `| ${what} | ${(ms / 1_000).toFixed(2)} | ${(ms / bare).toFixed(1)} × | ${verdict} |`;
  }),
  "",
].join("\n");
console.log(page);
fs.mkdirSync("bench/results", { recursive: true });
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-stack.md`, page);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
