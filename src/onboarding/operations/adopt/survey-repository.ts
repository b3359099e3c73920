import { type CodeOutline, createComponentRefs } from "#code/model/index/code-outline.ts";
import type { CodeFinding } from "#code/model/survey/code-finding.ts";
import type { FileReading, RepositorySurvey } from "#code/model/survey/repository-survey.ts";
import { isManifestPath, recognizeFile, createRepositorySurvey } from "#code/model/survey/repository-survey.ts";
import {
  getParentFolder,
  isMinifiedText,
  detectFileLanguage,
  rankScanPath,
  type SkipReason,
  findSkipReason,
} from "#code/model/survey/file-selection.ts";
import { groupCapabilities } from "#code/model/survey/capabilities.ts";
import { classifyFileRole } from "#code/model/survey/file-roles.ts";
import { listPublicSymbols } from "#code/model/survey/public-surface.ts";
import { matchesPathGlob } from "#kernel/model/path-glob.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";

/** Bytes. A larger file was not written by hand. */
const MAX_SCAN_FILE_BYTES = 512 * 1024;
/** Limit for all files together, so that a huge repository still gets an answer. */
const MAX_SCAN_BYTES = 64 * 1024 * 1024;
const MAX_SCAN_FILES = 10_000;
const MAX_SCAN_FINDINGS = 20_000;

export interface SurveyRange {
  readonly scan_path?: string | undefined;
  readonly max_depth?: number | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

const trimFolder = (path: string): string =>
  path
    .replace(/^(?:\.\/)+/, "")
    .replace(/\/+$/, "")
    .replace(/^\.$/, "");

const isPathWithin = (path: string, folder: string): boolean =>
  folder === "" || path === folder || path.startsWith(`${folder}/`);

/** Reads the user's files, each at most once, and masks secrets in all quotations. */
export async function surveyRepository(
  engine: Pick<OnboardingEngine, "source" | "secrets" | "syntax">,
  where: SurveyRange,
): Promise<RepositorySurvey> {
  const folder = trimFolder(where.scan_path ?? "");
  const folders = where.paths?.map(trimFolder) ?? [folder];
  const exclude = where.exclude ?? [];
  const all = await engine.source.files();
  const isExcluded = (path: string): boolean =>
    exclude.some((glob) => matchesPathGlob(glob, path) || isPathWithin(path, trimFolder(glob)));
  const files = all.filter(
    ({ path }) => folders.some((each) => isPathWithin(path, each)) && !isExcluded(path) && !path.startsWith("sdd/"),
  );
  if (files.length === 0) throw createNothingToScanFault(where.paths?.join(", ") ?? folder);
  const skipped: { path: string; why: string }[] = [];
  const texts = new Map<string, string>();
  const paths: string[] = [];
  let bytes = 0;
  const top = folder === "" ? 0 : countPathParts(folder);
  for (const file of files.toSorted(compareScanFiles)) {
    const isDeep = where.max_depth !== undefined && countPathParts(file.path) - top > where.max_depth;
    const isOver = bytes + file.bytes > MAX_SCAN_BYTES || texts.size >= MAX_SCAN_FILES;
    const why: SkipReason | "" = isDeep
      ? "too deep"
      : (findSkipReason(file.path) ?? (file.bytes > MAX_SCAN_FILE_BYTES ? "too large" : isOver ? "over the cap" : ""));
    if (!/^(?:vendored|test data|lock|generated|too deep)/.test(why)) paths.push(file.path);
    const text = why === "" ? await engine.source.text(file.path, MAX_SCAN_FILE_BYTES) : undefined;
    if (text === undefined || (detectFileLanguage(file.path) !== undefined && isMinifiedText(text))) {
      skipped.push({ path: file.path, why: why || (text === undefined ? "not text" : "generated") });
      continue;
    }
    bytes += file.bytes;
    texts.set(file.path, text);
  }
  const outlines = new Map<string, CodeOutline>();
  for await (const { path, outline } of engine.syntax.outlines(listCodeTexts(texts)))
    if (outline) outlines.set(path, outline);
  const readings: FileReading[] = [];
  const unread: typeof skipped = [];
  let found = 0;
  for (const [path, text] of texts) {
    const { problem, ...reading } = recognizeFile(path, text, outlines.get(path));
    const why = found >= MAX_SCAN_FINDINGS ? "over the cap" : problem;
    if (why !== undefined) unread.push({ path, why });
    if (found < MAX_SCAN_FINDINGS) readings.push(reading);
    found += reading.findings.length;
  }
  const above = all.filter(({ path }) => isManifestPath(path) && isFolderAbove(getParentFolder(path), folder));
  const around = await Promise.all(
    above.map(async ({ path }) => recognizeFile(path, (await engine.source.text(path, MAX_SCAN_FILE_BYTES)) ?? "")),
  );
  const symbols = listPublicSymbols({ outlines, texts });
  const tests = new Map([...texts].filter(([path]) => classifyFileRole(path) === "test"));
  const capabilities = groupCapabilities(symbols, tests);
  const docs = capabilities
    .flatMap((each) => each.symbols.map(({ doc }) => doc))
    .filter((doc) => doc.length >= MIN_SECRET_LENGTH);
  const safe = await maskFindingTexts(engine, [...new Set(docs)]);
  return createRepositorySurvey(
    paths.toSorted(),
    await maskReadings(engine, readings),
    [...unread, ...skipped],
    around,
    {
      tests,
      texts,
      refs: new Set(
        [...outlines].flatMap(([path, { components }]) =>
          createComponentRefs(components).map((ref) => `${path}#${ref}`),
        ),
      ),
      capabilities: capabilities.map((each) => ({
        ...each,
        symbols: each.symbols.map((symbol) => ({ ...symbol, doc: safe.get(symbol.doc) ?? symbol.doc })),
      })),
    },
  );
}

async function* listCodeTexts(texts: ReadonlyMap<string, string>): AsyncGenerator<{ path: string; text: string }> {
  for (const [path, text] of texts) if (detectFileLanguage(path) !== undefined) yield { path, text };
}

const countPathParts = (path: string): number => path.split("/").length;

const compareScanFiles = ({ path: a }: SourceFile, { path: b }: SourceFile): number =>
  rankScanPath(a) - rankScanPath(b) || countPathParts(a) - countPathParts(b) || (a < b ? -1 : 1);

const isFolderAbove = (place: string, folder: string): boolean =>
  place === "" ? folder !== "" : folder.startsWith(`${place}/`);

const createNothingToScanFault = (folder: string): Fault =>
  new Fault("adopt.nothing-there", {
    what: "Nothing was scanned.",
    why:
      folder === ""
        ? "The repository has no files yet, except ignored ones."
        : `${quote(folder)} has no file that git sees.`,
    fix: folder === "" ? { operation: "workspace.init" } : { operation: "adopt.scan" },
  });

/** Shorter texts cannot be secrets. */
const MIN_SECRET_LENGTH = 8;
const QUOTED_FINDING_FIELDS = ["name", "of", "says", "words"] as const;

async function maskReadings(engine: Pick<OnboardingEngine, "secrets">, readings: readonly FileReading[]) {
  const texts = new Set(
    readings
      .flatMap(({ findings }) =>
        findings.flatMap((finding) => QUOTED_FINDING_FIELDS.flatMap((field) => finding[field] ?? [])),
      )
      .filter((text) => text.length >= MIN_SECRET_LENGTH),
  );
  const safe = await maskFindingTexts(engine, [...texts]);
  const open = (text: string): string => safe.get(text) ?? text;
  const clean = (finding: CodeFinding): CodeFinding => ({
    ...finding,
    ...Object.fromEntries(
      QUOTED_FINDING_FIELDS.flatMap((field) => (finding[field] === undefined ? [] : [[field, open(finding[field])]])),
    ),
  });
  return readings.map((reading) => ({ ...reading, findings: reading.findings.map(clean) }));
}

/** Masks all texts in one call, which is much faster; one by one where a secret spans lines. */
async function maskFindingTexts({ secrets }: Pick<OnboardingEngine, "secrets">, texts: readonly string[]) {
  const lines = texts.map((text) => text.replace(/\s+/g, " "));
  const all = (await secrets.mask(lines.join("\n"))).text.split("\n");
  if (all.length !== lines.length && lines.length > 0) {
    const each = await Promise.all(lines.map(async (line) => (await secrets.mask(line)).text));
    return new Map(texts.map((text, i) => [text, each[i] ?? ""]));
  }
  return new Map(texts.flatMap((text, i) => (all[i] === lines[i] ? [] : [[text, all[i] ?? ""]])));
}
