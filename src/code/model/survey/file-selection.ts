import { isTestData, isTestPath } from "../scan/test-files.ts";
import tables from "./survey-tables.json" with { type: "json" };

export type SkipReason =
  | "vendored or built"
  | "test data"
  | "lock file"
  | "generated"
  | "not source"
  | "too large"
  | "too deep"
  | "over the cap";

const LANGUAGE_BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries(tables.languages).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, language] as const),
  ),
);

export const getScannedFileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const getParentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const detectFileLanguage = (path: string): string | undefined =>
  LANGUAGE_BY_ENDING.get(/\.([a-z]+)$/.exec(path.toLowerCase())?.[1] ?? "");

const VENDORED_PATH =
  /(?:^|\/)(?:node_modules|bower_components|vendor|third_party|dist|build|target|out|\.next|\.venv|venv|site-packages|__pycache__|coverage)\//;
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|mix\.lock|deno\.lock)$/;
const GENERATED_FILE = /\.min\.[a-z]+$|\.(?:pb\.go|pb\.cc|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.py$|\.snap$|\.map$/i;

const MEANINGFUL_FILE_NAME =
  /^(?:Dockerfile|Containerfile|Jenkinsfile|Makefile|Procfile|Gemfile|go\.mod|mix\.exs|requirements[\w.-]*\.txt|setup\.cfg|\.env\.(?:example|sample|template)|\.editorconfig|\.cursorrules|\.windsurfrules|CODEOWNERS)$/i;
const TEXT_FILE_ENDING =
  /\.(?:json|jsonc|ya?ml|toml|xml|gradle|csproj|fsproj|vbproj|props|gemspec|cfg|ini|md|mdc|adoc)$/i;

export function findSkipReason(path: string): SkipReason | undefined {
  if (VENDORED_PATH.test(path)) return "vendored or built";
  if (isTestData(path)) return "test data";
  if (LOCK_FILE.test(path)) return "lock file";
  if (GENERATED_FILE.test(path)) return "generated";
  return detectFileLanguage(path) !== undefined ||
    MEANINGFUL_FILE_NAME.test(getScannedFileName(path)) ||
    TEXT_FILE_ENDING.test(path) ||
    /^\.[a-z]+rc$/.test(getScannedFileName(path))
    ? undefined
    : "not source";
}

export const isMinifiedText = (text: string): boolean =>
  text.length > 4_000 && text.length / text.split("\n").length > 300;

/** Declarations are read first, tests and prose last, so that a cap loses the least. */
export function rankScanPath(path: string): number {
  if (isTestPath(path)) return 3;
  if (detectFileLanguage(path) === undefined) return /\.(?:md|adoc)$/i.test(path) ? 4 : 0;
  return /\.(?:sql|prisma)$/.test(path) ? 1 : 2;
}
