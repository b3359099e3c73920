/**
 * Measures the size of query answers: `npm run bench:query`. Copies real packages into a repository and indexes them.
 * For each question in bench/query/questions.jsonl: the tokens of the `sdd_query` answer, the tokens of the files a
 * reader would open instead, and the facts that the answer contains. `--show Q07` prints an answer.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { createBenchHouse } from "./house.ts";

interface QueryQuestion {
  readonly id: string;
  /** The blind half was not used for tuning. */
  readonly half: "open" | "blind";
  readonly question: string;
  readonly names: readonly string[];
  /** Lines that the answer must point to, or to the comment directly above. */
  readonly places: readonly { readonly file: string; readonly line: string }[];
  readonly files: readonly string[];
}

interface QueryMeasurement {
  readonly id: string;
  readonly half: string;
  readonly question: string;
  readonly tokens: number;
  readonly bytes: number;
  readonly against: number;
  readonly facts: number;
  readonly missing: readonly string[];
}

const QUERY_PACKAGES: Readonly<Record<string, RegExp>> = {
  "commander/lib": /\.js$/,
  "express/lib": /\.js$/,
  "undici/lib": /(?<!-wasm)\.js$/,
  "zod/src/v4/core": /\.ts$/,
  "zod/src/v4/classic": /\.ts$/,
};

const questionLines = fs.readFileSync("bench/query/questions.jsonl", "utf8").trim().split("\n");
const queryQuestions = questionLines.map((line) => JSON.parse(line) as QueryQuestion);
const queryFolder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
try {
  await measureQueries();
} finally {
  fs.rmSync(queryFolder, { recursive: true, force: true });
}

async function measureQueries(): Promise<void> {
  const copied = copyQueryPackages();
  assertAnswerableQuestions();
  const engine = await createBenchHouse(queryFolder).open({});
  const query = await loadCatalogueOperation("indexing.query");
  const shown = process.argv.includes("--show") ? process.argv.at(-1) : undefined;
  const rows: QueryMeasurement[] = [];
  for (const asked of queryQuestions) {
    const output = await query.run(engine, { question: asked.question });
    const text = renderMcpPage(query.page(output));
    if (shown === asked.id || shown === asked.half) console.log(`${asked.id} ${asked.question}\n${text}\n`);
    const facts = [
      ...asked.names.map((name): [string, boolean] => [name, hasAnswerWord(text, name)]),
      ...asked.places.map((place): [string, boolean] => [place.file, hasAnswerLine(text, place)]),
    ];
    rows.push({
      id: asked.id,
      half: asked.half,
      question: asked.question,
      tokens: countTokens(text),
      bytes: Math.max(Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(output))),
      against: asked.files.reduce(
        (sum, file) => sum + countTokens(fs.readFileSync(join(queryFolder, file), "utf8")),
        0,
      ),
      facts: facts.length,
      missing: facts.filter(([, isThere]) => !isThere).map(([fact]) => fact),
    });
  }
  writeQueryReport(rows, copied);
}

function copyQueryPackages(): number {
  let copied = 0;
  for (const [place, wanted] of Object.entries(QUERY_PACKAGES)) {
    for (const entry of fs.readdirSync(join("node_modules", place), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !wanted.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name).slice("node_modules/".length);
      fs.mkdirSync(dirname(join(queryFolder, path)), { recursive: true });
      fs.copyFileSync(join("node_modules", path), join(queryFolder, path));
      copied += 1;
    }
  }
  const git = (...words: string[]): void => void execFileSync("git", words, { cwd: queryFolder });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", "Copy packages");
  return copied;
}

/** A name that none of the files contains is a mistake in the question. */
function assertAnswerableQuestions(): void {
  for (const { id, names, files } of queryQuestions) {
    const text = files.map((file) => `${file}\n${fs.readFileSync(join(queryFolder, file), "utf8")}`).join("\n");
    const lost = names.filter((name) => !hasAnswerWord(text, name));
    if (lost.length > 0) throw new Error(`${id} asks for ${lost.join(", ")}, which no reader would find.`);
  }
}

function hasAnswerWord(text: string, word: string): boolean {
  const parts = text.split(/[^\w$./-]+/);
  return parts.some((each) => each === word || each.split(/[./]/).includes(word) || each.endsWith(`/${word}`));
}

function hasAnswerLine(text: string, { file, line }: QueryQuestion["places"][number]): boolean {
  const source = fs.readFileSync(join(queryFolder, file), "utf8").split("\n");
  const declared = source.indexOf(line);
  let first = declared;
  while (first > 0 && /^\s*(?:\/?\*|\/\/|$)/.test(source[first - 1] ?? "")) first -= 1;
  const escaped = file.replaceAll(/[^\w/]/g, "\\$&");
  const named = [...text.matchAll(new RegExp(`${escaped}:(\\d+)`, "g"))].map((match) => Number(match[1]));
  return named.some((number) => number > first && number <= declared + 1);
}

function writeQueryReport(rows: readonly QueryMeasurement[], copied: number): void {
  const day = new Date().toISOString().slice(0, 10);
  const page = [
    `# Cost of an answer, measured on ${day}`,
    "",
    `${queryQuestions.length} questions about ${copied} files of commander, express, undici and zod. Compares`,
    "the tokens of the answer from `sdd_query` with the tokens of the files that contain the same facts.",
    "",
    "| half | questions | saved, median | saved, worst | facts | largest answer |",
    "|---|---|---|---|---|---|",
    ...["open", "blind", "both"].map((half) =>
      formatQuerySummary(
        half,
        rows.filter((row) => half === "both" || row.half === half),
      ),
    ),
    "",
    "The ranking was tuned on misses of the open half. Of the blind half, only the total was visible meanwhile.",
    "",
    "| | question | tokens | tokens of files | saved | facts | missing |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(({ id, half, question, tokens, against, facts, missing }) => {
      const met = `${facts - missing.length}/${facts}`;
      return `| ${id}${half === "blind" ? " blind" : ""} | ${question} | ${tokens} | ${against} | ${formatPercent(1 - tokens / against)} | ${met} | ${missing.join(", ")} |`;
    }),
    "",
  ].join("\n");
  console.log(page);
  if (process.argv.includes("--show") || process.argv.includes("--dry")) return;
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`bench/results/${day}-query.md`, page);
}

function formatQuerySummary(half: string, rows: readonly QueryMeasurement[]): string {
  const less = rows.map(({ tokens, against }) => 1 - tokens / against).toSorted((a, b) => a - b);
  const facts = rows.reduce((sum, row) => sum + row.facts, 0);
  const met = facts - rows.reduce((sum, row) => sum + row.missing.length, 0);
  const median = less[Math.floor(less.length / 2)] ?? 0;
  const largest = Math.max(...rows.map(({ bytes }) => bytes));
  if (half === "both" && (median < 0.9 || met / facts < 0.9 || largest > 1024)) process.exitCode = 1;
  return `| ${half} | ${rows.length} | ${formatPercent(median)} | ${formatPercent(less[0] ?? 0)} | ${formatPercent(met / facts)} (${met}/${facts}) | ${largest} bytes |`;
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
