import { isTestPath } from "../scan/test-path.ts";
import { findGoModels, findJavaModels, findRustModels } from "./code/models-other.ts";
import { findJsModels } from "./code/models-js.ts";
import { findPythonModels } from "./code/models-python.ts";
import type { RouteMount } from "./code/mount.ts";
import { findPatternMatches } from "./code/plain.ts";
import { findJsMounts } from "./code/routes-js.ts";
import { findPythonMounts } from "./code/routes-python.ts";
import { findTestNames } from "./code/tests.ts";
import { readJsonManifest } from "./declared/json-manifest.ts";
import { isOpenApiPath, findOpenApiRoutes } from "./declared/openapi.ts";
import { readPatternManifest } from "./declared/other-manifests.ts";
import { findPrismaModels } from "./declared/prisma.ts";
import { findDroppedTables, findSqlModels } from "./declared/sql.ts";
import { readTomlManifest } from "./declared/toml-manifest.ts";
import { findProjectPapers, findProjectTools } from "./declared/tools.ts";
import type { CodeFinding } from "./finding.ts";
import { findScannedRoutes } from "./routes.ts";
import { getScannedFileName } from "./select.ts";
import { ScannedFile, blankComments } from "./sheet.ts";

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

const RECOGNIZERS_BY_LANGUAGE: readonly (readonly [ending: RegExp, recogniser: FileRecognizer])[] = [
  [
    /\.[cm]?[jt]sx?$/,
    (sheet) => ({ ...combineRecognizers(findScannedRoutes, findJsModels)(sheet), mounts: findJsMounts(sheet) }),
  ],
  [
    /\.py$/,
    (sheet) => ({ ...combineRecognizers(findScannedRoutes, findPythonModels)(sheet), mounts: findPythonMounts(sheet) }),
  ],
  [/\.go$/, combineRecognizers(findScannedRoutes, findGoModels)],
  [/\.rs$/, combineRecognizers(findScannedRoutes, findRustModels)],
  [/\.(?:java|kt)$/, combineRecognizers(findScannedRoutes, findJavaModels)],
  [/\.(?:rb|php|exs?|cs)$/, combineRecognizers(findScannedRoutes)],
];

export const isManifestPath = (path: string): boolean =>
  MANIFEST_RECOGNIZERS.some(([name]) => name.test(getScannedFileName(path)));

/** Finds everything in a file by patterns alone: it runs no code and parses no full grammar. */
export function recognizeFile(path: string, text: string): FileReading {
  const lines = text.replaceAll("\r\n", "\n");
  // A manifest may be one long line, but a parser reads it, not a pattern.
  const sheet = new ScannedFile(path, path.endsWith(".json") ? lines : blankComments(path, lines));
  const named = RECOGNIZERS_BY_NAME.find(([name]) => name.test(getScannedFileName(path)))?.[1];
  if (named) return named(sheet);
  const spoken = isTestPath(path)
    ? undefined
    : RECOGNIZERS_BY_LANGUAGE.find(([ending]) => ending.test(path))?.[1](sheet);
  const others = combineRecognizers(
    findProjectTools,
    findProjectPapers,
    findTestNames,
    findPatternMatches,
  )(sheet).findings;
  const described = isOpenApiPath(path) ? findOpenApiRoutes(sheet) : [];
  return { ...spoken, findings: [...described, ...(spoken?.findings ?? []), ...others] };
}
