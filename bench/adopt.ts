/**
 * Measures the drafts of `tenon adopt`: `npm run bench:adopt`. Downloads the projects of bench/adopt/projects.yaml, drafts
 * each, and compares the requirements with the hand-written capabilities. A draft is right if a symbol, route or command
 * that it names carries a capability; it counts for the three that it fits best. `--only <name>` measures one project,
 * `--half open` one half, `--show` prints the drafts with what they match, `--projects <folder>` keeps the downloads.
 */
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { createBenchHouse } from "./house.ts";
import { commitAll, copyProject } from "./real/project-copy.ts";
import type { RealProject } from "./real/project-list.ts";

interface AdoptProject {
  readonly name: string;
  readonly kind: string;
  /** No rule was tuned on the blind half. */
  readonly half: "open" | "blind";
  readonly source: RealProject["source"];
  /** Packages that it needs at run time. */
  readonly needs: readonly string[];
  /** Each capability with the names that carry it, separated by blanks. */
  readonly capabilities: Readonly<Record<string, string>>;
}

interface DraftMatch {
  readonly text: string;
  readonly evidence: readonly string[];
  readonly capabilities: readonly string[];
}

interface AdoptMeasurement {
  readonly project: AdoptProject;
  readonly drafts: readonly DraftMatch[];
  readonly missed: readonly string[];
  /** Drafts with no evidence but examples, tests or documentation. */
  readonly unproven: readonly string[];
  readonly falseStatements: readonly string[];
}

const MAX_CAPABILITIES_OF_A_DRAFT = 3;
/** Written for this measurement: it must not share the rules of the product. */
const NOT_PRODUCT =
  /(?:^|\/)_?(?:examples?|samples?|demos?|tests?|specs?|testdata|benches)\/|_test\.go$|(?:^|\/)(?:docs?|site)\/(?!.*\.go$)/i;
const adoptArguments = process.argv.slice(2);
const readOption = (name: string): string | undefined =>
  adoptArguments.includes(name) ? adoptArguments[adoptArguments.indexOf(name) + 1] : undefined;
const keptFolder = readOption("--projects");
const adoptFolder = keptFolder ?? fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
try {
  await measureAdoption();
} finally {
  if (keptFolder === undefined) fs.rmSync(adoptFolder, { recursive: true, force: true });
}

async function measureAdoption(): Promise<void> {
  const { projects } = parse(fs.readFileSync("bench/adopt/projects.yaml", "utf8")) as { projects: AdoptProject[] };
  const only = readOption("--only");
  const half = readOption("--half");
  const chosen = projects.filter(
    (each) => (only === undefined || each.name.startsWith(only)) && (half === undefined || each.half === half),
  );
  const rows: AdoptMeasurement[] = [];
  for (const project of chosen) {
    const row = measureDrafts(project, await draftProject(project));
    if (adoptArguments.includes("--show")) printDrafts(row);
    rows.push(row);
  }
  reportAdoption(rows, only === undefined && half === undefined && !adoptArguments.includes("--dry"));
}

/** Drafts in a fresh copy and returns the three documents as one text. */
async function draftProject({ name, source }: AdoptProject): Promise<string> {
  const folder = join(adoptFolder, name.replaceAll(/[^\w.-]+/g, "-"));
  if (!fs.existsSync(folder)) {
    copyProject({ source }, folder);
    commitAll(folder, "Import");
  }
  for (const own of ["sdd", ".sdd"]) fs.rmSync(join(folder, own), { recursive: true, force: true });
  const engine = await createBenchHouse(folder).open({});
  const bootstrap = await loadCatalogueOperation("adopt.bootstrap");
  await bootstrap.run(engine, { write: true });
  const drafts = join(folder, "sdd/drafts");
  return ["requirements.md", "design.md"].map((file) => fs.readFileSync(join(drafts, file), "utf8")).join("\n");
}

function measureDrafts(project: AdoptProject, text: string): AdoptMeasurement {
  const carriers = Object.entries(project.capabilities).map(([name, list]): [string, string[]] => [
    name,
    String(list).split(/\s+/).filter(Boolean),
  ]);
  const drafts = [...text.matchAll(/^- \*\*FR-\d+\*\*: (.*)$/gm)].map(([, line = ""]) => matchDraft(line, carriers));
  const found = new Set(drafts.flatMap(({ capabilities }) => capabilities));
  return {
    project,
    drafts,
    missed: carriers.map(([name]) => name).filter((name) => !found.has(name)),
    unproven: drafts
      .filter(({ evidence }) => evidence.every((link) => NOT_PRODUCT.test(link.replace(/[#:].*$/, ""))))
      .map((draft) => draft.text),
    falseStatements: listFalseStatements(project, text),
  };
}

function matchDraft(line: string, carriers: readonly (readonly [string, readonly string[]])[]): DraftMatch {
  const [sentence = "", rest = ""] = line.split(" (evidence: ");
  const evidence = (rest.split(/; (?:tests|confidence): /)[0] ?? "").split(", ").filter(Boolean);
  const quoted = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const names = [...new Set([...evidence.flatMap((link) => link.split("#")[1] ?? []), ...quoted])];
  const scored = carriers
    .map(([capability, wanted]) => ({
      capability,
      hits: names.filter((name) => wanted.some((each) => isCarriedBy(name, each))).length,
    }))
    .filter(({ hits }) => hits > 0)
    .toSorted((one, other) => other.hits - one.hits);
  const capabilities = scored.slice(0, MAX_CAPABILITIES_OF_A_DRAFT).map(({ capability }) => capability);
  return { text: sentence, evidence, capabilities };
}

/** `Command.Find` is carried by itself, its owner `Command`, and `Find`; `GET /image/png` by `/image*`. */
function isCarriedBy(name: string, carrier: string): boolean {
  const escaped = carrier.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  if (carrier.startsWith("/")) return new RegExp(`^(?:\\w+ )?${escaped}$`).test(name);
  return new RegExp(`^(?:.*[.:])?${escaped}(?:[.:].*)?$`).test(name);
}

/** Statements that something is missing, and dependencies that differ from the hand-written ones. */
function listFalseStatements({ needs }: AdoptProject, text: string): string[] {
  const section = /^## Dependencies\n\n([\s\S]*?)(?=\n#|(?![\s\S]))/m.exec(text)?.[1] ?? "";
  const has = (name: string): boolean =>
    new RegExp(`(?<![\\w-])${name.replaceAll(/[/.]/g, "\\$&")}(?![\\w-])`, "i").test(section);
  const entries = section.split("\n").filter((line) => line.startsWith("- "));
  return [
    ...needs.filter((name) => !has(name)).map((name) => `does not name the dependency ${name}`),
    ...(entries.length > needs.length ? [`names ${entries.length} dependencies, not ${needs.length}`] : []),
    ...(section.startsWith("None") && needs.length > 0 ? ["states that there is no dependency"] : []),
    ...(text.match(/No test was recognized[^\n]*/g) ?? []),
  ];
}

function printDrafts({ project, drafts, missed, unproven, falseStatements }: AdoptMeasurement): void {
  console.log(`\n## ${project.name}`);
  for (const { text, evidence, capabilities } of drafts)
    console.log(`[${capabilities.join(" | ") || "---"}] ${text} (${evidence.join(", ")})`);
  console.log(`missed: ${missed.join(", ")}\nunproven: ${unproven.join("; ")}\nfalse: ${falseStatements.join("; ")}`);
}

function countRight({ drafts }: AdoptMeasurement): number {
  return drafts.filter(({ capabilities }) => capabilities.length > 0).length;
}

function countCapabilities({ project }: AdoptMeasurement): number {
  return Object.keys(project.capabilities).length;
}

function sumOver(rows: readonly AdoptMeasurement[], count: (row: AdoptMeasurement) => number): number {
  return rows.reduce((sum, row) => sum + count(row), 0);
}

function formatShare(part: number, whole: number): string {
  return `${whole === 0 ? "0" : ((100 * part) / whole).toFixed(0)} % (${part}/${whole})`;
}

function formatAdoptRow(name: string, rows: readonly AdoptMeasurement[], kind = ""): string {
  const all = sumOver(rows, countCapabilities);
  const missed = sumOver(rows, (row) => row.missed.length);
  const drafts = sumOver(rows, (row) => row.drafts.length);
  const unproven = sumOver(rows, (row) => row.unproven.length);
  const wrong = sumOver(rows, (row) => row.falseStatements.length);
  return `| ${name} | ${kind} | ${drafts} | ${formatShare(all - missed, all)} | ${formatShare(sumOver(rows, countRight), drafts)} | ${unproven} | ${wrong} |`;
}

function reportAdoption(rows: readonly AdoptMeasurement[], isWhole: boolean): void {
  const day = new Date().toISOString().slice(0, 10);
  const halves = ["open", "blind"].map((half) => [half, rows.filter(({ project }) => project.half === half)] as const);
  const page = [
    `# Drafts of adopt, measured on ${day}`,
    "",
    `${rows.length} public projects. Their capabilities are in bench/adopt/projects.yaml, written from their documentation.`,
    "Recall: capabilities that a draft names. Precision: drafts that name a capability. Unproven: drafts whose only evidence is",
    "an example, a test or documentation. False: wrong dependencies, or statements that something is missing.",
    "",
    "| project | kind | drafts | recall | precision | unproven | false |",
    "|---|---|---|---|---|---|---|",
    ...rows.map((row) => formatAdoptRow(`${row.project.name} (${row.project.half})`, [row], row.project.kind)),
    ...halves.map(([half, own]) => formatAdoptRow(`**${half} half**`, own)),
    "",
    "The rules were tuned on the open half and on projects outside this list.",
    "",
    ...rows
      .filter(({ missed }) => missed.length > 0)
      .map((row) => `- ${row.project.name} misses: ${row.missed.join(", ")}.`),
    "",
  ].join("\n");
  console.log(page);
  const isBelow = (own: readonly AdoptMeasurement[]): boolean =>
    sumOver(own, (row) => row.missed.length) > 0.2 * sumOver(own, countCapabilities) ||
    sumOver(own, countRight) < 0.8 * sumOver(own, (row) => row.drafts.length) ||
    sumOver(own, (row) => row.unproven.length + row.falseStatements.length) > 0;
  if (halves.some(([, own]) => own.length > 0 && isBelow(own))) process.exitCode = 1;
  if (isWhole) fs.writeFileSync(`bench/results/${day}-adopt.md`, page);
}
