import { findPythonModels } from "./python-models.ts";
import * as routeMounts from "./route-mounts.ts";
import * as sourceRoutes from "./source-routes.ts";
import { findKnownPackage } from "./known-packages.ts";
import type { FindingConfidence, CodeFinding, CodeFindingKind } from "./code-finding.ts";
import { rateFindingConfidence, listFindingLinks, ScannedFile, blankComments } from "./code-finding.ts";
import { detectFileLanguage, getParentFolder, getScannedFileName } from "./file-selection.ts";
import { createEntityKey } from "./entity-names.ts";
import { isTestPath } from "../scan/test-files.ts";
import { findGoModels, findJavaModels, findRustModels, findJsModels } from "./source-models.ts";
import * as codePatterns from "./code-patterns.ts";
import type { CodeOutline } from "../index/code-outline.ts";
import type { Capability } from "./capabilities.ts";
import { classifyFileRole } from "./file-roles.ts";
import * as languageManifests from "./language-manifests.ts";
import {
  hasDynamicDependencies,
  readJsonManifest,
  readPatternManifest,
  readTomlManifest,
} from "./package-manifests.ts";
import {
  isOpenApiPath,
  findOpenApiRoutes,
  findPrismaModels,
  findDroppedTables,
  findSqlModels,
} from "./declared-schemas.ts";

export type RatedFinding = CodeFinding & Readonly<{ confidence: FindingConfidence }>;

type SurveyFolder = Readonly<{ name: string; files: number; languages: readonly string[] }>;

/** The path is that of the first one. */
type SkippedFiles = Readonly<{ why: string; files: number; path: string }>;

export interface RepositorySurvey {
  readonly paths: readonly string[];
  readonly read: number;
  readonly languages: readonly (readonly [language: string, files: number])[];
  readonly folders: readonly SurveyFolder[];
  readonly findings: readonly RatedFinding[];
  readonly skipped: readonly SkippedFiles[];
  readonly capabilities: readonly Capability[];
  /** `src/auth.ts#Session.login` for every component. */
  readonly refs: ReadonlySet<string>;
  /** All texts that were read, and those of tests, by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, string>;
}

/** Part of a language or its standard library, so no manifest names it. */
const BUILT_IN_FRAMEWORKS = ["code", "environment", "net/http", "asp.net", "argparse"];

/** `around` holds manifests above the scanned folder. They only add dependencies. */
export function createRepositorySurvey(
  paths: readonly string[],
  readings: readonly FileReading[],
  skipped: readonly { readonly path: string; readonly why: string }[],
  around: readonly FileReading[] = [],
  offer: Partial<Pick<RepositorySurvey, "capabilities" | "tests" | "texts" | "refs">> = {},
): RepositorySurvey {
  const found = resolveDependencies(readings.flatMap((reading) => reading.findings));
  const named = [...found, ...around.flatMap((reading) => reading.findings)];
  const dependencies = named.filter(({ kind, of }) => kind === "dependency" && of === undefined);
  const labels = dependencies.map(({ name }) => (findKnownPackage(name)?.label ?? name).toLowerCase());
  const frameworks = new Set([...BUILT_IN_FRAMEWORKS, ...labels]);
  const routes = found.filter((finding) => finding.kind === "route" && isServedRoute(finding, named));
  const mounts = readings.flatMap((reading) => reading.mounts ?? []);
  const constants = new Map(readings.flatMap((reading) => reading.constants ?? []));
  const gone = new Set(readings.flatMap((reading) => reading.dropped ?? []).map(createEntityKey));
  const rest = found.filter(({ kind }) => kind !== "route");
  const findings = [
    ...keepFirstFindings(mergeModelFindings(rest, gone), "variable", "dependency", "runtime", "symbol"),
    ...sourceRoutes.mergeRouteFindings(routeMounts.applyRouteMounts(routes, mounts, constants)),
  ];
  const countLanguages = (own: readonly string[]) =>
    countNameFrequency(own.flatMap((path) => detectFileLanguage(path) ?? []));
  const inFolders = paths.filter((path) => path.includes("/"));
  return {
    capabilities: [],
    tests: new Map(),
    texts: new Map(),
    refs: new Set(),
    ...offer,
    paths,
    read: readings.length,
    languages: countLanguages(paths),
    folders: [...Map.groupBy(inFolders, (path) => path.slice(0, path.indexOf("/")))].map(([name, own]) => {
      return { name, files: own.length, languages: countLanguages(own).map(([language]) => language) };
    }),
    findings: findings.map((finding) => ({ ...finding, confidence: rateFindingConfidence(finding, frameworks) })),
    skipped: [...Map.groupBy(skipped, ({ why }) => why)].map(([why, all]) => {
      return { why, files: all.length, path: all[0]?.path ?? "" };
    }),
  };
}

/** Leaves out members of the repository itself, and adds versions that another manifest keeps. */
function resolveDependencies(found: readonly CodeFinding[]): CodeFinding[] {
  const own = new Set(found.flatMap(({ kind, name }) => (kind === "project" ? [name.toLowerCase()] : [])));
  const { SHARED_VERSIONS } = languageManifests;
  const shared = new Map(
    found.flatMap(({ kind, of, name, says }) =>
      kind === "dependency" && of === SHARED_VERSIONS ? [[name, says]] : [],
    ),
  );
  const declaring = new Set(
    found.flatMap(({ kind, of, path }) =>
      kind === "dependency" && of === undefined && !isRequirementsFile(path) ? [getParentFolder(path)] : [],
    ),
  );
  return found.flatMap((finding): CodeFinding[] => {
    const { kind, name, of, says, path } = finding;
    if (kind !== "dependency") return [finding];
    if (of === SHARED_VERSIONS || own.has(name.toLowerCase())) return [];
    // A package lists its dependencies; its requirements files pin the tools of its developers.
    const isPinned = isRequirementsFile(path) && declaring.has(getParentFolder(path));
    const isForTests = of === undefined && findKnownPackage(name)?.role === "testing" && path.endsWith("go.mod");
    const version = says ?? shared.get(name);
    return [
      {
        ...finding,
        ...(version === undefined ? {} : { says: version }),
        ...(isPinned || isForTests ? { of: "development" } : {}),
      },
    ];
  });
}

const isRequirementsFile = (path: string): boolean => path.endsWith(".txt");

/** Frameworks that no manifest has to name, with the entry point that makes a program of them. */
const BUILT_IN_SERVERS: Readonly<Record<string, RegExp | undefined>> = {
  "net/http": /\.go$/,
  "asp.net": undefined,
  openapi: undefined,
};

/** A library for routes has routes in its own code. Only a program that depends on such a library serves some. */
function isServedRoute({ by }: CodeFinding, found: readonly CodeFinding[]): boolean {
  if (by in BUILT_IN_SERVERS) {
    const entry = BUILT_IN_SERVERS[by];
    const hasManifest = found.some(({ kind }) => kind === "project");
    return entry === undefined || !hasManifest || found.some(({ kind, path }) => kind === "entry" && entry.test(path));
  }
  const packages = found.filter(({ kind }) => kind === "dependency" || kind === "project");
  return (
    packages.length === 0 ||
    packages.some(({ kind, of, name }) => kind === "dependency" && of === undefined && isWebFramework(name, by))
  );
}

const isWebFramework = (name: string, by: string): boolean =>
  name.toLowerCase() === by || findKnownPackage(name)?.role === "web framework";

export const selectFindings = (survey: RepositorySurvey, ...kinds: readonly CodeFindingKind[]): RatedFinding[] =>
  survey.findings.filter(({ kind }) => kinds.includes(kind));

/** Keeps each entity once. A migration outranks a class; among equals the first finding wins. */
function mergeModelFindings(found: readonly CodeFinding[], gone: ReadonlySet<string>): CodeFinding[] {
  const entities = found.filter(({ kind }) => kind === "entity");
  const declaredFirst = [...entities.filter(({ basis }) => basis === "declared"), ...entities];
  const byKey = Map.groupBy(declaredFirst, ({ name }) => createEntityKey(name));
  return found.flatMap((finding): CodeFinding[] => {
    const { kind, name, of = name, by } = finding;
    const isEntity = kind === "entity";
    if (!isEntity && kind !== "field" && kind !== "relation" && kind !== "rule") return [finding];
    const key = createEntityKey(isEntity ? name : of);
    const first = byKey.get(key)?.[0];
    if (kind === "rule" && !first) return [finding];
    if (gone.has(key)) return [];
    if (isEntity) {
      const others = entities.filter((other) => other !== finding && createEntityKey(other.name) === key);
      const also = others.flatMap(listFindingLinks);
      return first === finding ? [also.length > 0 ? { ...finding, also } : finding] : [];
    }
    const isOwn = first === undefined || first.by === by;
    return isOwn || (kind === "rule" && !entities.some((entity) => entity.by === by)) ? [finding] : [];
  });
}

function keepFirstFindings(found: readonly CodeFinding[], ...kinds: readonly CodeFindingKind[]): CodeFinding[] {
  const seen = new Set<string>();
  return found.filter(({ kind, name, says, path }) => {
    const key = kind === "symbol" ? `${kind} ${path} ${name}` : `${kind} ${name} ${kind === "runtime" ? says : ""}`;
    const isKept = !kinds.includes(kind) || !seen.has(key);
    seen.add(key);
    return isKept;
  });
}

/** Counts each name, the most frequent first. */
function countNameFrequency(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

export interface FileReading {
  readonly findings: readonly CodeFinding[];
  readonly mounts?: readonly routeMounts.RouteMount[];
  readonly dropped?: readonly string[];
  /** Paths that routes may be mounted below. */
  readonly constants?: readonly (readonly [name: string, path: string])[];
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
  [
    /^(?:pyproject|Cargo)\.toml$/,
    (sheet) => ({
      findings: readTomlManifest(sheet),
      ...(hasDynamicDependencies(sheet.text) ? { problem: languageManifests.COMPUTED_DEPENDENCIES } : {}),
    }),
  ],
  [/^requirements[\w.-]*\.txt$/, combineRecognizers(languageManifests.readRequirementsFile)],
  [/^setup\.cfg$/, combineRecognizers(languageManifests.readSetupConfig)],
  [/^setup\.py$/, languageManifests.readSetupScript],
  [/\.gemspec$/, combineRecognizers(languageManifests.readGemspec)],
  [/^Gemfile$/, combineRecognizers(languageManifests.readGemfile)],
  [/^pom\.xml$/, combineRecognizers(languageManifests.readMavenManifest)],
  [/\.(?:cs|fs|vb)proj$|^Directory\.Packages\.props$/, combineRecognizers(languageManifests.readNugetManifest)],
  [/^(?:go\.mod|mix\.exs)$|\.gradle(?:\.kts)?$/, combineRecognizers(readPatternManifest)],
];

const RECOGNIZERS_BY_NAME: readonly RecognizerRow[] = [
  ...MANIFEST_RECOGNIZERS,
  [/\.sql$/, (sheet) => ({ findings: findSqlModels(sheet), dropped: findDroppedTables(sheet) })],
  [/\.prisma$/, combineRecognizers(findPrismaModels)],
];

const MODEL_RECOGNIZERS: readonly RecognizerRow[] = [
  [/\.[cm]?[jt]sx?$/, (sheet) => ({ findings: findJsModels(sheet), mounts: routeMounts.findJsMounts(sheet) })],
  [
    /\.py$/,
    (sheet) => ({
      findings: findPythonModels(sheet),
      mounts: routeMounts.findPythonMounts(sheet),
      constants: routeMounts.findRoutePrefixConstants(sheet),
    }),
  ],
  [/\.go$/, combineRecognizers(findGoModels)],
  [/\.rs$/, combineRecognizers(findRustModels)],
  [/\.(?:java|kt)$/, combineRecognizers(findJavaModels)],
];

export const isManifestPath = (path: string): boolean =>
  MANIFEST_RECOGNIZERS.some(([name]) => name.test(getScannedFileName(path)));

const EVIDENCE_KINDS: ReadonlySet<string> = new Set(["tool", "test", "decision", "convention"]);

/** Of files that are not the product, only evidence counts: an example's routes are not the product's. */
export function recognizeFile(path: string, text: string, outline?: CodeOutline): FileReading {
  const reading = recognizeFileContent(path, text, outline);
  const isPackage =
    getScannedFileName(path) === "setup.py" && classifyFileRole(`${getParentFolder(path)}/x.py`) === "product";
  if (classifyFileRole(path) === "product" || isPackage) return reading;
  return { ...reading, mounts: [], findings: reading.findings.filter(({ kind }) => EVIDENCE_KINDS.has(kind)) };
}

/** `outline` is its outline in the index; it knows the tests and the exported names. */
function recognizeFileContent(path: string, text: string, outline?: CodeOutline): FileReading {
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
      ...(isTestPath(path) ? [] : sourceRoutes.findScannedRoutes(sheet)),
      ...(models?.findings ?? []),
      ...codePatterns.findProjectTools(sheet),
      ...codePatterns.findProjectPapers(sheet),
      ...(outline ? codePatterns.findTestNames(sheet, outline) : []),
      ...(path.endsWith(".kt") ? codePatterns.findKotlinTests(sheet) : []),
      ...codePatterns.findPatternMatches(sheet),
      ...(outline ? codePatterns.findExportedNames(sheet, outline) : []),
    ],
  };
}
