import type { CodeFinding } from "../finding.ts";
import { isTestPath } from "../../scan/test-path.ts";
import type { ScannedFile } from "../sheet.ts";

type PatternRow = readonly [path: RegExp, pattern: RegExp];

const JS_FILE = /\.[cm]?[jt]sx?$/;
const VARIABLE_PATTERNS: readonly PatternRow[] = [
  [JS_FILE, /\b(?:process\.env|import\.meta\.env|Bun\.env)(?:\.|\[["'])([A-Z][A-Z0-9_]+)/dg],
  [JS_FILE, /\bDeno\.env\.get\(["']([A-Z][A-Z0-9_]+)/dg],
  [/\.py$/, /\b(?:os\.)?(?:environ(?:\.get\(|\[)|getenv\()\s*["']([A-Z][A-Z0-9_]+)/dg],
  [/\.go$/, /\bos\.(?:Getenv|LookupEnv)\("([A-Z][A-Z0-9_]+)"/dg],
  [/\.rs$/, /\benv(?:::var(?:_os)?\(|!\()\s*"([A-Z][A-Z0-9_]+)"/dg],
  [/\.(?:java|kt)$/, /\bgetenv\("([A-Z][A-Z0-9_]+)"/dg],
  [/(?:^|\/)application[\w-]*\.(?:ya?ml|properties)$/, /\$\{([A-Z][A-Z0-9_]+)/dg],
  [/\.rb$/, /\bENV(?:\.fetch\(|\[)["']([A-Z][A-Z0-9_]+)/dg],
  [/\.php$/, /\b(?:getenv|env)\(["']([A-Z][A-Z0-9_]+)/dg],
  [/\.cs$/, /\bGetEnvironmentVariable\("([A-Z][A-Z0-9_]+)"/dg],
  [/(?:^|\/)\.env\.(?:example|sample|template)$/, /^(?:export\s+)?([A-Z][A-Z0-9_]+)=/dgm],
];

const SYMBOL_PATTERNS: readonly PatternRow[] = [
  [
    JS_FILE,
    /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+(\w+)/dgm,
  ],
  [/\.py$/, /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/dgm],
  [/\.go$/, /^(?:func|type)\s+(?:\([^)]*\)\s*)?([A-Z]\w*)/dgm],
  [/\.rs$/, /^pub\s+(?:async\s+)?(?:fn|struct|enum|trait|type|const)\s+(\w+)/dgm],
  [
    /\.(?:java|kt|cs)$/,
    /\bpublic\s+(?:(?:final|abstract|static|sealed|partial)\s+)*(?:class|interface|record|enum)\s+(\w+)/dg,
  ],
];

const COMMAND_PATTERNS: readonly (readonly [path: RegExp, pattern: RegExp, by: string, sign: RegExp])[] = [
  [JS_FILE, /\.command\(\s*["'`]([a-z][\w:-]*)/dg, "commander", /["'](?:commander|yargs|cac)["']/],
  [/\.py$/, /@\w+\.command\(\s*(?:name\s*=\s*)?["']([a-z][\w-]*)["']/dg, "click", /\b(?:click|typer)\b/],
  [/\.py$/, /@\w+\.command\(\s*\)\s*(?:@[^\n]*\n\s*){0,8}(?:async\s+)?def\s+(\w+)/dg, "click", /\b(?:click|typer)\b/],
  [/\.py$/, /\.add_parser\(\s*["']([a-z][\w-]*)["']/dg, "argparse", /\bargparse\b/],
  [/\.go$/, /\bUse:\s*"([a-z][\w-]*)/dg, "cobra", /spf13\/cobra/],
  [/\.rs$/, /\bCommand::new\("([a-z][\w-]*)"\)/dg, "clap", /\bclap\b/],
];

const ENTRY_PATTERNS: readonly (readonly [path: RegExp, pattern: RegExp, says: string])[] = [
  [/\.go$/, /^func\s+(main)\(\)/dgm, "main function"],
  [/(?:^|\/)(?:main|bin\/[^/]+)\.rs$/, /\bfn\s+(main)\(\)/dg, "main function"],
  [/\.(?:java|kt)$/, /\b(?:static\s+void|fun)\s+(main)\(/dg, "main function"],
  [/\.py$/, /^if\s+(__name__)\s*==\s*["']__main__["']/dgm, "script"],
  [/\.py$/, /^(\w+)\s*=\s*(?:FastAPI|Flask|Starlette)\(/dgm, "application"],
  [JS_FILE, /\b(\w+)\.listen\(/dg, "starts a server"],
  [JS_FILE, /^(#!.*\bnode\b.*)$/dgm, "script"],
];

/** Findings that need one pattern and no context: variables, exported names, commands, entry points. */
export function findPatternMatches(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  if (isTestPath(path)) return [];
  const rows = (table: readonly PatternRow[]): RegExp[] =>
    table.filter(([files]) => files.test(path)).map(([, pattern]) => pattern);
  return [
    ...rows(VARIABLE_PATTERNS).flatMap((pattern) =>
      sheet
        .hits(pattern)
        .map((hit) =>
          sheet.found("variable", hit.group(1), hit.lineOf(1), hit.group(1), { by: "environment", basis: "coded" }),
        ),
    ),
    ...rows(SYMBOL_PATTERNS).flatMap((pattern) =>
      sheet
        .hits(pattern)
        .map((hit) =>
          sheet.found("symbol", hit.group(1), hit.lineOf(1), hit.group(1), { by: "export", basis: "named" }),
        ),
    ),
    ...COMMAND_PATTERNS.filter(([files, , , sign]) => files.test(path) && sign.test(sheet.text)).flatMap(
      ([, pattern, by]) =>
        sheet.hits(pattern).map((hit) =>
          sheet.found("command", hit.group(1).replaceAll("_", "-"), hit.lineOf(1), hit.group(1), {
            by,
            basis: "coded",
          }),
        ),
    ),
    ...ENTRY_PATTERNS.filter(([files]) => files.test(path)).flatMap(([, pattern, says]) =>
      sheet
        .hits(pattern)
        .slice(0, 1)
        .map((hit) => sheet.found("entry", path, hit.lineOf(1), hit.group(1), { by: "code", basis: "coded", says })),
    ),
  ];
}
