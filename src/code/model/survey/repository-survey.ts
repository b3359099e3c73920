import {
  type RouteMount,
  mergeRouteFindings,
  applyRouteMounts,
  findJsMounts,
  findPythonMounts,
} from "./script-language-routes.ts";
import { findKnownPackage } from "./known-packages.ts";
import {
  type FindingConfidence,
  rateFindingConfidence,
  type CodeFinding,
  type CodeFindingKind,
  listFindingLinks,
  ScannedFile,
  blankComments,
} from "./code-finding.ts";
import { detectFileLanguage, getScannedFileName } from "./file-selection.ts";
import { createEntityKey } from "./entity-names.ts";
import { isTestPath } from "../scan/test-files.ts";
import { findGoModels, findJavaModels, findRustModels } from "./compiled-language-models.ts";
import { findJsModels, findPythonModels } from "./script-language-models.ts";
import { findExportedNames, findKotlinTests, findPatternMatches, findTestNames } from "./code-patterns.ts";
import type { CodeOutline } from "../index/code-outline.ts";
import { readJsonManifest, readPatternManifest, readTomlManifest } from "./package-manifests.ts";
import {
  isOpenApiPath,
  findOpenApiRoutes,
  findPrismaModels,
  findDroppedTables,
  findSqlModels,
} from "./declared-schemas.ts";
import { findProjectPapers, findProjectTools } from "./project-tools.ts";
import { findScannedRoutes } from "./source-routes.ts";

export interface RatedFinding extends CodeFinding {
  readonly confidence: FindingConfidence;
}

interface SurveyFolder {
  readonly name: string;
  readonly files: number;
  readonly languages: readonly string[];
}

interface SkippedFiles {
  readonly why: string;
  readonly files: number;
  /** Path of the first one. */
  readonly path: string;
}

export interface RepositorySurvey {
  readonly paths: readonly string[];
  readonly read: number;
  readonly languages: readonly (readonly [language: string, files: number])[];
  readonly folders: readonly SurveyFolder[];
  readonly findings: readonly RatedFinding[];
  readonly skipped: readonly SkippedFiles[];
}

/** Part of a language or its standard library, so no manifest names it. */
const BUILT_IN_FRAMEWORKS = ["code", "environment", "net/http", "argparse"];

/** `around` holds manifests above the scanned folder. They only add dependencies. */
export function createRepositorySurvey(
  paths: readonly string[],
  readings: readonly FileReading[],
  skipped: readonly { readonly path: string; readonly why: string }[],
  around: readonly FileReading[] = [],
): RepositorySurvey {
  const found = readings.flatMap((reading) => reading.findings);
  const named = [...found, ...around.flatMap((reading) => reading.findings)];
  const frameworks = new Set([
    ...BUILT_IN_FRAMEWORKS,
    ...named.flatMap(({ kind, name }) =>
      kind === "dependency" ? (findKnownPackage(name)?.label.toLowerCase() ?? name.toLowerCase()) : [],
    ),
  ]);
  const routes = mergeRouteFindings(
    applyRouteMounts(
      found.filter(({ kind }) => kind === "route"),
      readings.flatMap((reading) => reading.mounts ?? []),
    ),
  );
  const gone = new Set(readings.flatMap((reading) => reading.dropped ?? []).map(createEntityKey));
  const rest = found.filter(({ kind }) => kind !== "route");
  const findings = [
    ...keepFirstFindings(mergeModelFindings(rest, gone), "variable", "dependency", "runtime", "symbol"),
    ...routes,
  ];
  return {
    paths,
    read: readings.length,
    languages: countNameFrequency(paths.flatMap((path) => detectFileLanguage(path) ?? [])),
    folders: summarizeFolders(paths),
    findings: findings.map((finding) => ({ ...finding, confidence: rateFindingConfidence(finding, frameworks) })),
    skipped: [...Map.groupBy(skipped, ({ why }) => why)].map(([why, all]) => ({
      why,
      files: all.length,
      path: all[0]?.path ?? "",
    })),
  };
}

export const selectFindings = (survey: RepositorySurvey, ...kinds: readonly CodeFindingKind[]): RatedFinding[] =>
  survey.findings.filter(({ kind }) => kinds.includes(kind));

/** Keeps each entity once. A migration outranks a class; among equals the first finding wins. */
function mergeModelFindings(found: readonly CodeFinding[], gone: ReadonlySet<string>): CodeFinding[] {
  const entities = found.filter(({ kind }) => kind === "entity");
  const first = new Map<string, CodeFinding>();
  for (const entity of [...entities.filter(({ basis }) => basis === "declared"), ...entities]) {
    const key = createEntityKey(entity.name);
    if (!first.has(key)) first.set(key, entity);
  }
  const isKept = ({ name, of = name, by, kind }: CodeFinding): boolean => {
    const key = createEntityKey(of);
    const own = first.get(key);
    if (kind === "rule" && !own) return true;
    return (
      !gone.has(key) &&
      (own === undefined || own.by === by || (kind === "rule" && !entities.some((entity) => entity.by === by)))
    );
  };
  const model = new Set<CodeFindingKind>(["field", "relation", "rule"]);
  return found.flatMap((finding): CodeFinding[] => {
    if (finding.kind === "entity") {
      const key = createEntityKey(finding.name);
      const others = entities.filter((other) => other !== finding && createEntityKey(other.name) === key);
      if (first.get(key) !== finding || gone.has(key)) return [];
      return [others.length > 0 ? { ...finding, also: others.flatMap(listFindingLinks) } : finding];
    }
    return model.has(finding.kind) && !isKept(finding) ? [] : [finding];
  });
}

function keepFirstFindings(found: readonly CodeFinding[], ...kinds: readonly CodeFindingKind[]): CodeFinding[] {
  const seen = new Set<string>();
  return found.filter(({ kind, name, says, path }) => {
    if (!kinds.includes(kind)) return true;
    const key = kind === "symbol" ? `${kind} ${path} ${name}` : `${kind} ${name} ${kind === "runtime" ? says : ""}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function summarizeFolders(paths: readonly string[]): SurveyFolder[] {
  const folders = Map.groupBy(
    paths.filter((path) => path.includes("/")),
    (path) => path.slice(0, path.indexOf("/")),
  );
  return [...folders].map(([name, own]) => ({
    name,
    files: own.length,
    languages: countNameFrequency(own.flatMap((path) => detectFileLanguage(path) ?? [])).map(([language]) => language),
  }));
}

/** Counts each name, the most frequent first. */
function countNameFrequency(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

export interface FileReading {
  readonly findings: readonly CodeFinding[];
  readonly mounts?: readonly RouteMount[];
  readonly dropped?: readonly string[];
  readonly problem?: string;
}

type FileRecognizer = (sheet: ScannedFile) => FileReading;
const combineRecognizers =
  (...recognisers: readonly ((sheet: ScannedFile) => CodeFinding[])[]): FileRecognizer =>
  (sheet) => ({ findings: recognisers.flatMap((recogniser) => recogniser(sheet)) });

type RecognizerRow = readonly [name: RegExp, recogniser: FileRecognizer];

const MANIFEST_RECOGNIZERS: readonly RecognizerRow[] = [
  [
    /^(?:package|composer|deno)\.jsonc?$/,
    (sheet) => {
      const findings = readJsonManifest(sheet);
      return findings ? { findings } : { findings: [], problem: "not JSON" };
    },
  ],
  [/^(?:pyproject|Cargo)\.toml$/, combineRecognizers(readTomlManifest)],
  [
    /^(?:go\.mod|requirements[\w.-]*\.txt|setup\.cfg|Gemfile|pom\.xml|mix\.exs)$|\.gradle(?:\.kts)?$|\.csproj$/,
    combineRecognizers((sheet) => readPatternManifest(sheet) ?? []),
  ],
];

const RECOGNIZERS_BY_NAME: readonly RecognizerRow[] = [
  ...MANIFEST_RECOGNIZERS,
  [/\.sql$/, (sheet) => ({ findings: findSqlModels(sheet), dropped: findDroppedTables(sheet) })],
  [/\.prisma$/, combineRecognizers(findPrismaModels)],
];

const MODEL_RECOGNIZERS: readonly RecognizerRow[] = [
  [/\.[cm]?[jt]sx?$/, (sheet) => ({ findings: findJsModels(sheet), mounts: findJsMounts(sheet) })],
  [/\.py$/, (sheet) => ({ findings: findPythonModels(sheet), mounts: findPythonMounts(sheet) })],
  [/\.go$/, combineRecognizers(findGoModels)],
  [/\.rs$/, combineRecognizers(findRustModels)],
  [/\.(?:java|kt)$/, combineRecognizers(findJavaModels)],
];

export const isManifestPath = (path: string): boolean =>
  MANIFEST_RECOGNIZERS.some(([name]) => name.test(getScannedFileName(path)));

/** Finds everything in a file. `outline` is its outline in the index; it knows the tests and the exported names. */
export function recognizeFile(path: string, text: string, outline?: CodeOutline): FileReading {
  const lines = text.replaceAll("\r\n", "\n");
  // A manifest may be one long line, but a parser reads it, not a pattern.
  const sheet = new ScannedFile(path, path.endsWith(".json") ? lines : blankComments(path, lines));
  const named = RECOGNIZERS_BY_NAME.find(([name]) => name.test(getScannedFileName(path)))?.[1];
  if (named) return named(sheet);
  const models = isTestPath(path) ? undefined : MODEL_RECOGNIZERS.find(([ending]) => ending.test(path))?.[1](sheet);
  return {
    ...models,
    findings: [
      ...(isOpenApiPath(path) ? findOpenApiRoutes(sheet) : []),
      ...(isTestPath(path) ? [] : findScannedRoutes(sheet)),
      ...(models?.findings ?? []),
      ...findProjectTools(sheet),
      ...findProjectPapers(sheet),
      ...(outline ? findTestNames(sheet, outline) : []),
      ...(path.endsWith(".kt") ? findKotlinTests(sheet) : []),
      ...findPatternMatches(sheet),
      ...(outline ? findExportedNames(sheet, outline) : []),
    ],
  };
}
