/**
 * Measures query answers: `npm run bench:query`. Copies public projects into repositories and indexes them. For each
 * question in bench/query/questions.jsonl: the tokens of the `sdd_query` answer, the tokens of the files a reader would
 * open instead, the facts that the answer contains, and whether its first location is right. `--show Q07` prints an
 * answer, `--dry` writes no report, `--projects <folder>` keeps the downloaded projects there.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { createBenchHouse } from "./house.ts";
import { commitAll, copyProject } from "./real/project-copy.ts";

interface QueryQuestion {
  readonly id: string;
  /** Misses of `open` and `blind` were read for tuning; `fresh` was written before and only measured at the end. */
  readonly half: "open" | "blind" | "fresh";
  /** A row of QUERY_PROJECTS, or `packages`: the packages that this repository has installed. */
  readonly project: string;
  readonly question: string;
  readonly names: readonly string[];
  /** Lines that the answer must point to, or to the comment directly above. The first hit must be one of them. */
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
  /** Undefined if the question has no place. */
  readonly isFirst: boolean | undefined;
}

const QUERY_PROJECTS: Readonly<Record<string, object>> = {
  click: { pypi: "click==8.1.8" },
  requests: { pypi: "requests==2.32.3" },
  cobra: { go: "github.com/spf13/cobra@v1.8.1" },
  mux: { go: "github.com/gorilla/mux@v1.8.1" },
  semver: { crate: "semver@1.0.26" },
  "commons-csv": { debian: "commons-csv=1.9.0-1" },
  clamp: { debian: "ruby-clamp" },
  monolog: { debian: "php-monolog" },
  chi: { go: "github.com/go-chi/chi/v5@v5.1.0" },
  walkdir: { crate: "walkdir@2.5.0" },
  jinja: { pypi: "jinja2==3.1.4" },
  koa: { npm: "koa@2.15.3" },
  psr7: { debian: "php-guzzlehttp-psr7" },
  newtonsoft: { debian: "newtonsoft-json" },
  rxjs: { npm: "rxjs@7.8.1" },
  jsoup: { debian: "jsoup" },
  "commons-io": { debian: "commons-io" },
  httpx: { pypi: "httpx==0.27.2" },
  viper: { go: "github.com/spf13/viper@v1.19.0" },
  ureq: { crate: "ureq@2.10.1" },
  fastify: { npm: "fastify@4.28.1" },
  twig: { debian: "php-twig" },
};

const QUERY_PACKAGES: Readonly<Record<string, RegExp>> = {
  "commander/lib": /\.js$/,
  "express/lib": /\.js$/,
  "undici/lib": /(?<!-wasm)\.js$/,
  "zod/src/v4/core": /\.ts$/,
  "zod/src/v4/classic": /\.ts$/,
};

/** Comments, decorators, annotations, and a signature that began above. */
const LEADING_LINE = /^\s*(?:\/?\*|\/\/|#|@|\[|$)|^\s*def \w+\($/;

/** Languages with overloads: each declaration of the name in the file is right, whatever its parameters. */
const OVERLOADED_FILE = /\.(?:ts|java|cs)$/;

const questionLines = fs.readFileSync("bench/query/questions.jsonl", "utf8").trim().split("\n");
const queryQuestions = questionLines.map((line) => JSON.parse(line) as QueryQuestion);
const queryArguments = process.argv.slice(2);
const readOption = (name: string): string | undefined => queryArguments[queryArguments.indexOf(name) + 1];
const keptFolder = queryArguments.includes("--projects") ? readOption("--projects") : undefined;
const queryFolder = keptFolder ?? fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
try {
  await measureQueries();
} finally {
  if (keptFolder === undefined) fs.rmSync(queryFolder, { recursive: true, force: true });
}

async function measureQueries(): Promise<void> {
  const shown = queryArguments.includes("--show") ? readOption("--show") : undefined;
  const rows: QueryMeasurement[] = [];
  for (const [project, asked] of Map.groupBy(queryQuestions, (each) => each.project)) {
    const folder = prepareQueryProject(project);
    assertAnswerableQuestions(folder, asked);
    const engine = await createBenchHouse(folder).open({});
    const query = await loadCatalogueOperation("indexing.query");
    for (const each of asked) {
      const output = await query.run(engine, { question: each.question });
      const text = renderMcpPage(query.page(output), MCP_TOOLS);
      if ([each.id, each.half, project].includes(shown ?? "")) console.log(`${each.id} ${each.question}\n${text}\n`);
      rows.push(measureAnswer(folder, each, text, JSON.stringify(output)));
    }
  }
  writeQueryReport(rows);
}

function measureAnswer(folder: string, asked: QueryQuestion, text: string, json: string): QueryMeasurement {
  const facts = [
    ...asked.names.map((name): [string, boolean] => [name, hasAnswerWord(text, name)]),
    ...asked.places.map((place): [string, boolean] => [place.file, hasAnswerLine(folder, text, place)]),
  ];
  const first = /\S+:\d+(?:-\d+)? .*/.exec(text)?.[0] ?? "";
  return {
    id: asked.id,
    half: asked.half,
    question: asked.question,
    tokens: countTokens(text),
    bytes: Math.max(Buffer.byteLength(text), Buffer.byteLength(json)),
    against: asked.files.reduce((sum, file) => sum + countTokens(fs.readFileSync(join(folder, file), "utf8")), 0),
    facts: facts.length,
    missing: facts.filter(([, isThere]) => !isThere).map(([fact]) => fact),
    isFirst: asked.places.length === 0 ? undefined : asked.places.some((place) => hasAnswerLine(folder, first, place)),
  };
}

function prepareQueryProject(project: string): string {
  const folder = join(queryFolder, project);
  if (fs.existsSync(folder)) return folder;
  const source = QUERY_PROJECTS[project];
  if (source) copyProject({ source }, folder);
  else copyQueryPackages(folder);
  commitAll(folder, "Import");
  return folder;
}

function copyQueryPackages(folder: string): void {
  for (const [place, wanted] of Object.entries(QUERY_PACKAGES)) {
    for (const entry of fs.readdirSync(join("node_modules", place), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !wanted.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name).slice("node_modules/".length);
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
      fs.copyFileSync(join("node_modules", path), join(folder, path));
    }
  }
  const git = (...words: string[]): void => void execFileSync("git", words, { cwd: folder });
  git("init", "--quiet");
  git("config", "user.name", "bench");
  git("config", "user.email", "bench@localhost");
}

/** A name that none of the files contains is a mistake in the question. */
function assertAnswerableQuestions(folder: string, asked: readonly QueryQuestion[]): void {
  for (const { id, names, files } of asked) {
    const text = files.map((file) => `${file}\n${fs.readFileSync(join(folder, file), "utf8")}`).join("\n");
    const lost = names.filter((name) => !hasAnswerWord(text, name));
    if (lost.length > 0) throw new Error(`${id} asks for ${lost.join(", ")}, which no reader would find.`);
  }
}

function hasAnswerWord(text: string, word: string): boolean {
  const parts = text.split(/[^\w$./-]+/);
  return parts.some((each) => each === word || each.split(/[./]/).includes(word) || each.endsWith(`/${word}`));
}

function hasAnswerLine(folder: string, text: string, { file, line }: QueryQuestion["places"][number]): boolean {
  const source = fs.readFileSync(join(folder, file), "utf8").split(/\r?\n/);
  const escaped = file.replaceAll(/[^\w/]/g, "\\$&");
  const named = [...text.matchAll(new RegExp(`${escaped}:(\\d+)`, "g"))].map((match) => Number(match[1]));
  const head = OVERLOADED_FILE.test(file) ? /^[^<(]+(?=[<(])/.exec(line)?.[0] : undefined;
  return source.some((each, declared) => {
    if (each !== line && (head === undefined || !each.startsWith(head) || !/[<(]/.test(each[head.length] ?? "")))
      return false;
    const first = findDeclarationStart(source, declared);
    return named.some((number) => number > first && number <= declared + 1);
  });
}

/** The line of the comment, decorators or annotations above a declaration. */
function findDeclarationStart(source: readonly string[], declared: number): number {
  let first = declared;
  while (first > 0) {
    const above = source[first - 1] ?? "";
    if (/\*\/\s*$/.test(above) && !above.includes("/*"))
      first = source.findLastIndex((each, at) => at < first && each.includes("/*"));
    else if (LEADING_LINE.test(above)) first -= 1;
    else break;
  }
  return first;
}

function writeQueryReport(rows: readonly QueryMeasurement[]): void {
  const day = new Date().toISOString().slice(0, 10);
  const page = [
    `# Cost of an answer, measured on ${day}`,
    "",
    `${queryQuestions.length} questions about commander, express, undici, zod, ${Object.keys(QUERY_PROJECTS).join(", ")}.`,
    "Compares the tokens of the answer from `sdd_query` with the tokens of the files that contain the same facts.",
    "The first hit counts for questions that ask for one place.",
    "",
    "| half | questions | saved, median | saved, worst | facts | first hit right | largest answer |",
    "|---|---|---|---|---|---|---|",
    ...["open", "blind", "fresh", "all"].map((half) =>
      formatQuerySummary(
        half,
        rows.filter((row) => half === "all" || row.half === half),
      ),
    ),
    "",
    "The ranking was tuned on misses of the open and blind questions. The fresh questions were written before that, their",
    "answers were checked in the sources, and their results were first read at the end. They avoid the words of the code,",
    "and where several places are right, each counts as a fact.",
    "",
    "| | question | tokens | tokens of files | saved | facts | first hit | missing |",
    "|---|---|---|---|---|---|---|---|",
    ...rows.map(({ id, half, question, tokens, against, facts, missing, isFirst }) => {
      const first = isFirst === undefined ? "" : isFirst ? "right" : "wrong";
      const met = `${facts - missing.length}/${facts}`;
      return `| ${id}${half === "open" ? "" : ` ${half}`} | ${question} | ${tokens} | ${against} | ${formatPercent(1 - tokens / against)} | ${met} | ${first} | ${missing.join(", ")} |`;
    }),
    "",
  ].join("\n");
  console.log(page);
  if (queryArguments.includes("--show") || queryArguments.includes("--dry")) return;
  fs.mkdirSync("bench/results", { recursive: true });
  fs.writeFileSync(`bench/results/${day}-query.md`, page);
}

function formatQuerySummary(half: string, rows: readonly QueryMeasurement[]): string {
  const less = rows.map(({ tokens, against }) => 1 - tokens / against).toSorted((a, b) => a - b);
  const facts = rows.reduce((sum, row) => sum + row.facts, 0);
  const met = facts - rows.reduce((sum, row) => sum + row.missing.length, 0);
  const median = less[Math.floor(less.length / 2)] ?? 0;
  const placed = rows.filter(({ isFirst }) => isFirst !== undefined);
  const first = placed.filter(({ isFirst }) => isFirst).length;
  const largest = Math.max(...rows.map(({ bytes }) => bytes));
  if (half === "all" && (median < 0.9 || met / facts < 0.9 || largest > 1024)) process.exitCode = 1;
  return `| ${half} | ${rows.length} | ${formatPercent(median)} | ${formatPercent(less[0] ?? 0)} | ${formatPercent(met / facts)} (${met}/${facts}) | ${formatPercent(first / placed.length)} (${first}/${placed.length}) | ${largest} bytes |`;
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
