/**
 * Measures the index: a full index of real code compared with the bare parser, an update after ten changed files, and
 * the memory for 50,000 files. Each measurement runs in its own process: `indexing.ts <kind> <folder>`.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Language, Parser } from "web-tree-sitter";
import { detectGrammar } from "#code/adapters/syntax/tree-sitter-reader.ts";
import { refreshCodeIndex } from "#code/operations/index/refresh-index.ts";
import { createBenchHouse } from "./house.ts";

const INDEXED_FILES = 5_000;
const MEMORY_FILES = 50_000;
const INDEXING_ROUNDS = 3;
const INDEXING_CEILING = { ratio: 2.5, incrementalS: 5, memoryMb: 500 };
const TYPICAL_UPDATE_S = 0.5;
const GRAMMAR_FOLDER = new URL("../dist/grammars/", import.meta.url);

interface IndexingMeasurement {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly files: number;
}

const [, , what, where = ""] = process.argv;
if (what === undefined) await measureIndexing();
else console.log(JSON.stringify(await measureIndexingKind(what, where)));

async function measureIndexing(): Promise<void> {
  const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  try {
    const [repository, large] = [join(root, "repository"), join(root, "large")];
    const real = fillRepository(repository, INDEXED_FILES);
    const bare: IndexingMeasurement[] = [];
    const full: IndexingMeasurement[] = [];
    const incremental: IndexingMeasurement[] = [];
    const command: number[] = [];
    for (let round = 0; round < INDEXING_ROUNDS; round++) {
      bare.push(measureInProcess("bare", repository));
      full.push(measureInProcess("full", repository));
      incremental.push(measureInProcess("incremental", repository));
      command.push(timeIndexCommand(repository));
    }
    fillRepository(large, MEMORY_FILES);
    const memory = measureInProcess("full", large);
    writeIndexingReport(real, { bare, full, incremental, command, memory });
  } finally {
    fs.rmSync(root, { recursive: true });
  }
}

/** Copies code from `node_modules`, and repeats it under other names until there are enough files. */
function fillRepository(folder: string, count: number): { readonly files: number; readonly bytes: number } {
  const texts = fs
    .readdirSync("node_modules", { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.includes("/.") && /\.(?:[cm]?ts|[cm]?js|tsx)$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .flatMap((path) => {
      const text = fs.readFileSync(path);
      // Leaves out very large and minified files, as the index does.
      const isWritten = text.length < 200_000 && text.length / (text.toString("latin1").split("\n").length || 1) < 200;
      return isWritten ? [{ path: renameBuildFolders(path), text }] : [];
    });
  let bytes = 0;
  const copies = Array.from({ length: Math.ceil(count / texts.length) }, (_, copy) =>
    texts.map((each) => ({ ...each, copy })),
  );
  for (const { path, text, copy } of copies.flat().slice(0, count)) {
    const file = join(folder, copy === 0 ? "packages" : `copy-${copy}`, path);
    fs.mkdirSync(dirname(file), { recursive: true });
    // Copies must differ, so that none is indexed from a cache.
    const written = copy === 0 ? text : Buffer.concat([text, Buffer.from(`\n// copy ${copy}\n`)]);
    fs.writeFileSync(file, written);
    bytes += written.length;
  }
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  return { files: count, bytes };
}

/** The index skips build folders, so they get other names. */
function renameBuildFolders(path: string): string {
  const parts = relative("node_modules", path).split("/");
  return parts
    .map((part) => (/^(?:dist|build|out|node_modules|vendor|coverage)$/.test(part) ? `${part}-code` : part))
    .join("/");
}

function measureInProcess(kind: string, folder: string): IndexingMeasurement {
  const words = ["--conditions=tenon-source", fileURLToPath(import.meta.url), kind, folder];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as IndexingMeasurement;
}

function timeIndexCommand(folder: string): number {
  const words = ["bin/tenon.js", "index", "--json", "--workspace", folder];
  // The built program has a different version, so its first call creates its own index.
  execFileSync(process.execPath, words, { stdio: "pipe" });
  changeTenFiles(folder);
  const start = performance.now();
  execFileSync(process.execPath, words, { stdio: "pipe" });
  return performance.now() - start;
}

async function measureIndexingKind(kind: string, folder: string): Promise<IndexingMeasurement> {
  if (kind === "bare") return timeIndexing(() => parseAllFiles(folder));
  const engine = await createBenchHouse(folder).open({ argument: folder });
  if (kind === "full") fs.rmSync(join(folder, ".sdd"), { recursive: true, force: true });
  else {
    // Like a server that has already answered a call.
    await refreshCodeIndex(engine);
    changeTenFiles(folder);
  }
  return timeIndexing(async () => {
    const { read, unchanged } = await refreshCodeIndex(engine);
    if (kind === "incremental" && read !== 10) throw new Error(`${read} files were read, and 10 changed.`);
    return read + unchanged;
  });
}

function changeTenFiles(folder: string): void {
  const files = execFileSync("git", ["ls-files", "-z", "--others"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  })
    .split("\0")
    .filter((path) => /\.(?:ts|js)$/.test(path) && !path.startsWith(".sdd"));
  const stamp = createHash("sha256").update(String(Math.random())).digest("hex");
  const step = Math.floor(files.length / 10);
  for (const path of files.filter((_, i) => i % step === 0).slice(0, 10))
    fs.appendFileSync(join(folder, path), `\n// ${stamp}\n`);
}

async function parseAllFiles(folder: string): Promise<number> {
  await Parser.init({ wasmBinary: fs.readFileSync(new URL("tree-sitter.wasm", GRAMMAR_FOLDER)) });
  const parser = new Parser();
  const languages = new Map<string, Language>();
  const paths = execFileSync("git", ["ls-files", "-z", "--others"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  let files = 0;
  for (const path of paths.split("\0")) {
    const text = path === "" || path.startsWith(".sdd") ? "" : fs.readFileSync(join(folder, path), "utf8");
    const grammar = text === "" ? undefined : detectGrammar(path, text);
    if (grammar === undefined) continue;
    const language =
      languages.get(grammar) ?? (await Language.load(fs.readFileSync(new URL(`${grammar}.wasm`, GRAMMAR_FOLDER))));
    languages.set(grammar, language);
    parser.setLanguage(language);
    parser.parse(text)?.delete();
    files++;
  }
  return files;
}

async function timeIndexing(work: () => Promise<number>): Promise<IndexingMeasurement> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const files = await work();
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = performance.now() - wall;
  return { wallMs, cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024, files };
}

interface IndexingResults {
  readonly bare: readonly IndexingMeasurement[];
  readonly full: readonly IndexingMeasurement[];
  readonly incremental: readonly IndexingMeasurement[];
  readonly command: readonly number[];
  readonly memory: IndexingMeasurement;
}

function writeIndexingReport(
  real: ReturnType<typeof fillRepository>,
  { bare, full, incremental, command, memory }: IndexingResults,
): void {
  const [bareS, fullS, incrementalS] = [bare, full, incremental].map(
    (each) => computeIndexingMedian(each, "wallMs") / 1000,
  ) as [number, number, number];
  const ratio = computeIndexingMedian(
    full.map((each, i) => ({ ...each, wallMs: each.wallMs / (bare[i]?.wallMs ?? Number.NaN) })),
    "wallMs",
  );
  const cpu = computeIndexingMedian(
    full.map((each, i) => ({ ...each, cpuMs: each.cpuMs / (bare[i]?.cpuMs ?? Number.NaN) })),
    "cpuMs",
  );
  const commandS = (command.toSorted((a, b) => a - b)[command.length >> 1] ?? Number.NaN) / 1000;
  const verdict = (isKept: boolean): string => {
    if (!isKept) process.exitCode = 1;
    return isKept ? "kept" : "MISSED";
  };
  const day = new Date().toISOString().slice(0, 10);
  const page = [
    `# Indexing real code, measured on ${day}`,
    "",
    `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
    `${real.files} files of npm packages, ${(real.bytes / 1e6).toFixed(1)} MB; medians of ${INDEXING_ROUNDS} interleaved rounds, each in its own process.`,
    "",
    "| case | result | limit | |",
    "|---|---|---|---|",
    `| parser alone, one thread | ${bareS.toFixed(2)} s | | |`,
    `| full index | ${fullS.toFixed(2)} s, ${ratio.toFixed(2)} × | ${INDEXING_CEILING.ratio} × | ${verdict(ratio <= INDEXING_CEILING.ratio)} |`,
    `| processor time of the full index | ${cpu.toFixed(2)} × | | |`,
    `| update after 10 changed files | ${incrementalS.toFixed(2)} s | ${INDEXING_CEILING.incrementalS} s | ${verdict(incrementalS <= INDEXING_CEILING.incrementalS)}${incrementalS <= TYPICAL_UPDATE_S ? `, and under ${TYPICAL_UPDATE_S} s` : ""} |`,
    `| the same as a command, with start and export | ${commandS.toFixed(2)} s | ${INDEXING_CEILING.incrementalS} s | ${verdict(commandS <= INDEXING_CEILING.incrementalS)} |`,
    `| memory at ${memory.files} files, peak | ${memory.peakMb.toFixed(0)} MB | ${INDEXING_CEILING.memoryMb} MB | ${verdict(memory.peakMb <= INDEXING_CEILING.memoryMb)} |`,
    `| full index of those files | ${(memory.wallMs / 1000).toFixed(1)} s | | |`,
    "",
  ].join("\n");
  console.log(page);
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`bench/results/${day}-indexing.md`, page);
}

function computeIndexingMedian(all: readonly IndexingMeasurement[], of: "wallMs" | "cpuMs"): number {
  return all.map((each) => each[of]).toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
}
