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
import { detectGrammar } from "../src/adapters/syntax/grammars.ts";
import { refreshCodeIndex } from "../src/operations/indexing/up-to-date.ts";
import { benchHouse } from "./house.ts";

const FILES = 5_000;
const MANY = 50_000;
const ROUNDS = 3;
const CEILING = { ratio: 2.5, incrementalS: 5, memoryMb: 500 };
const TYPICAL_S = 0.5;
const GRAMMARS = new URL("../dist/grammars/", import.meta.url);

interface Measured {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly files: number;
}

const [, , what, where = ""] = process.argv;
if (what === undefined) await measureAll();
else console.log(JSON.stringify(await measured(what, where)));

async function measureAll(): Promise<void> {
  const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  try {
    const [repository, large] = [join(root, "repository"), join(root, "large")];
    const real = fill(repository, FILES);
    const bare: Measured[] = [];
    const full: Measured[] = [];
    const incremental: Measured[] = [];
    const command: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(apart("bare", repository));
      full.push(apart("full", repository));
      incremental.push(apart("incremental", repository));
      command.push(commandMs(repository));
    }
    fill(large, MANY);
    const memory = apart("full", large);
    report(real, { bare, full, incremental, command, memory });
  } finally {
    fs.rmSync(root, { recursive: true });
  }
}

/** Copies code from `node_modules`, and repeats it under other names until there are enough files. */
function fill(folder: string, count: number): { readonly files: number; readonly bytes: number } {
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
      return isWritten ? [{ path: placeOf(path), text }] : [];
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
function placeOf(path: string): string {
  const parts = relative("node_modules", path).split("/");
  return parts
    .map((part) => (/^(?:dist|build|out|node_modules|vendor|coverage)$/.test(part) ? `${part}-code` : part))
    .join("/");
}

function apart(kind: string, folder: string): Measured {
  const words = ["--conditions=tenon-source", fileURLToPath(import.meta.url), kind, folder];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as Measured;
}

function commandMs(folder: string): number {
  const words = ["bin/tenon.js", "index", "--json", "--workspace", folder];
  // The built program has a different version, so its first call creates its own index.
  execFileSync(process.execPath, words, { stdio: "pipe" });
  changeTen(folder);
  const start = performance.now();
  execFileSync(process.execPath, words, { stdio: "pipe" });
  return performance.now() - start;
}

async function measured(kind: string, folder: string): Promise<Measured> {
  if (kind === "bare") return timed(() => parseAll(folder));
  const engine = await benchHouse(folder).open({ argument: folder });
  if (kind === "full") fs.rmSync(join(folder, ".sdd"), { recursive: true, force: true });
  else {
    // Like a server that has already answered a call.
    await refreshCodeIndex(engine);
    changeTen(folder);
  }
  return timed(async () => {
    const { read, unchanged } = await refreshCodeIndex(engine);
    if (kind === "incremental" && read !== 10) throw new Error(`${read} files were read, and 10 changed.`);
    return read + unchanged;
  });
}

function changeTen(folder: string): void {
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

async function parseAll(folder: string): Promise<number> {
  await Parser.init({ wasmBinary: fs.readFileSync(new URL("tree-sitter.wasm", GRAMMARS)) });
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
      languages.get(grammar) ?? (await Language.load(fs.readFileSync(new URL(`${grammar}.wasm`, GRAMMARS))));
    languages.set(grammar, language);
    parser.setLanguage(language);
    parser.parse(text)?.delete();
    files++;
  }
  return files;
}

async function timed(work: () => Promise<number>): Promise<Measured> {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const files = await work();
  const { user, system } = process.cpuUsage(cpu);
  const wallMs = performance.now() - wall;
  return { wallMs, cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024, files };
}

interface Results {
  readonly bare: readonly Measured[];
  readonly full: readonly Measured[];
  readonly incremental: readonly Measured[];
  readonly command: readonly number[];
  readonly memory: Measured;
}

function report(real: ReturnType<typeof fill>, { bare, full, incremental, command, memory }: Results): void {
  const [bareS, fullS, incrementalS] = [bare, full, incremental].map((each) => median(each, "wallMs") / 1000) as [
    number,
    number,
    number,
  ];
  const ratio = median(
    full.map((each, i) => ({ ...each, wallMs: each.wallMs / (bare[i]?.wallMs ?? Number.NaN) })),
    "wallMs",
  );
  const cpu = median(
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
    `# The index of real code, measured on ${day}`,
    "",
    `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()} ${os.release()}.`,
    `${real.files} files of packages in node_modules, ${(real.bytes / 1e6).toFixed(1)} MB; medians of ${ROUNDS} interleaved rounds, each in a process of its own.`,
    "",
    "| what | | ceiling | |",
    "|---|---|---|---|",
    `| the bare parser, one thread | ${bareS.toFixed(2)} s | | |`,
    `| the whole index from nothing | ${fullS.toFixed(2)} s, ${ratio.toFixed(2)} × | ${CEILING.ratio} × | ${verdict(ratio <= CEILING.ratio)} |`,
    `| its processor time | ${cpu.toFixed(2)} × | | |`,
    `| an update after 10 changed files | ${incrementalS.toFixed(2)} s | ${CEILING.incrementalS} s | ${verdict(incrementalS <= CEILING.incrementalS)}${incrementalS <= TYPICAL_S ? `, and under ${TYPICAL_S} s` : ""} |`,
    `| the same as a command, with all that it starts and exports | ${commandS.toFixed(2)} s | ${CEILING.incrementalS} s | ${verdict(commandS <= CEILING.incrementalS)} |`,
    `| memory at ${memory.files} files, at most | ${memory.peakMb.toFixed(0)} MB | ${CEILING.memoryMb} MB | ${verdict(memory.peakMb <= CEILING.memoryMb)} |`,
    `| the whole index of those | ${(memory.wallMs / 1000).toFixed(1)} s | | |`,
    "",
  ].join("\n");
  console.log(page);
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`bench/results/${day}-indexing.md`, page);
}

function median(all: readonly Measured[], of: "wallMs" | "cpuMs"): number {
  return all.map((each) => each[of]).toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
}
