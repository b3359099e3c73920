import type { CodeFinding, ScannedFile } from "./code-finding.ts";
import { isTestPath } from "../scan/test-files.ts";
import { getScannedFileName } from "./file-selection.ts";

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

export function findTestNames(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  if (/\.[cm]?[jt]sx?$/.test(path)) return isTestPath(path) ? findGroupedTests(sheet) : [];
  if (path.endsWith(".py")) return isTestPath(path) ? findPythonTests(sheet) : [];
  if (path.endsWith("_test.go"))
    return findNamedTests(sheet, /^func\s+(Test\w+)\(/dgm, "go test", (name) =>
      splitTestName(name.replace(/^Test_?/, "")),
    );
  if (path.endsWith(".rs"))
    return findNamedTests(
      sheet,
      /#\[(?:tokio::|actix_web::|async_std::|sqlx::)?test[^\]\n]*\]\s*(?:#\[[^\]\n]*\]\s*){0,8}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/dg,
      "cargo test",
      splitTestName,
    );
  if (/\.(?:java|kt)$/.test(path))
    return isTestPath(path)
      ? findNamedTests(
          sheet,
          /@Test\b(?:\([^)\n]*\))?(?:\s*@\w+(?:\([^)\n]*\))?){0,8}\s*(?:public\s+)?(?:void|fun)\s+`?([\w ]+?)`?\s*\(/dg,
          "junit",
          splitTestName,
        )
      : [];
  if (path.endsWith("_spec.rb")) return findGroupedTests(sheet, "rspec");
  return [];
}

function findNamedTests(
  sheet: ScannedFile,
  pattern: RegExp,
  by: string,
  shown: (name: string) => string,
): CodeFinding[] {
  return sheet.hits(pattern).map((hit) =>
    sheet.found("test", shown(hit.group(1)), hit.lineOf(1), hit.group(1), {
      by,
      basis: "tested",
      of: getTestSubject(sheet.path),
    }),
  );
}

const TEST_CASE =
  /^([ \t]*)(?:(describe|context|suite)|(?:it|test|specify))(?:\.(?:only|concurrent|each\([^\n]*?\))){0,2}\s*\(?\s*(["'`])((?:(?!\3)[^\\\n]|\\.)+)\3/dgm;

/** A case belongs to the groups above it that are indented less. */
function findGroupedTests(sheet: ScannedFile, runner?: string): CodeFinding[] {
  const by = runner ?? /["'](vitest|jest|mocha|node:test|ava|@playwright\/test)["']/.exec(sheet.text)?.[1] ?? "tests";
  const groups: { name: string; indent: number }[] = [];
  return sheet.hits(TEST_CASE).flatMap((hit) => {
    const indent = hit.group(1).length;
    while (groups.length > 0 && (groups.at(-1)?.indent ?? 0) >= indent) groups.pop();
    const name = hit.group(4).replace(/\\(.)/g, "$1");
    if (hit.group(2) !== "") {
      groups.push({ name, indent });
      return [];
    }
    const of = groups.map((group) => group.name).join(" ") || getTestSubject(sheet.path);
    return [sheet.found("test", name, hit.lineOf(4), hit.group(4), { by, basis: "tested", of })];
  });
}

function findPythonTests(sheet: ScannedFile): CodeFinding[] {
  let group: string | undefined;
  return sheet.hits(/^(?:class\s+(Test\w*)|([ \t]*)(?:async\s+)?def\s+(test_\w+))/dgm).flatMap((hit) => {
    if (hit.group(1) !== "") {
      group = splitTestName(hit.group(1).replace(/^Test/, ""));
      return [];
    }
    const of = hit.group(2) === "" || group === undefined ? getTestSubject(sheet.path) : group;
    const name = hit.group(3);
    return [
      sheet.found("test", splitTestName(name.replace(/^test_/, "")), hit.lineOf(3), name, {
        by: "pytest",
        basis: "tested",
        of,
      }),
    ];
  });
}

function splitTestName(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .replace(/\b([A-Z])(?=[a-z])/g, (letter) => letter.toLowerCase())
    .trim();
}

/** The subject of a test file: `orders` for `orders.test.ts`, `test_orders.py` and `orders_test.go`. */
export const getTestSubject = (path: string): string =>
  getScannedFileName(path)
    .replace(/\.\w+$/, "")
    .replace(/\.(?:test|spec|e2e-spec)$|_test$|_spec$|^test_|(?:Tests?|IT)$/, "");
