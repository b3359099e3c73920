import type { CodeOutline } from "../index/code-outline.ts";
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

/** Findings that need one pattern and no context: variables, commands, entry points. */
export function findPatternMatches(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  if (isTestPath(path)) return [];
  return [
    ...VARIABLE_PATTERNS.filter(([files]) => files.test(path)).flatMap(([, pattern]) =>
      sheet.hits(pattern).map((hit) => sheet.by("environment").hit("variable", hit)),
    ),
    ...COMMAND_PATTERNS.filter(([files, , , sign]) => files.test(path) && sign.test(sheet.text)).flatMap(
      ([, pattern, by]) =>
        sheet.hits(pattern).map((hit) => {
          const words = hit.group(1);
          return sheet.by(by).find("command", words.replaceAll("_", "-"), hit.lineOf(1), { words });
        }),
    ),
    ...ENTRY_PATTERNS.filter(([files]) => files.test(path)).flatMap(([, pattern, says]) =>
      sheet
        .hits(pattern)
        .slice(0, 1)
        .map((hit) => sheet.by("code").find("entry", path, hit.lineOf(1), { says, words: hit.group(1) })),
    ),
  ];
}

/** Languages whose modules export constants as part of what they offer. */
const EXPORTS_CONSTANTS = /^(?:javascript|typescript|tsx|rust)$/;

/** The names that other files can use. A Go method is declared at the top, so it counts as one. */
export function findExportedNames(sheet: ScannedFile, { components, language }: CodeOutline): CodeFinding[] {
  if (isTestPath(sheet.path)) return [];
  return components
    .filter(({ within, isExported }) => isExported && (within === "" || language === "go"))
    .filter(({ kind }) => kind !== "route" && (kind !== "constant" || EXPORTS_CONSTANTS.test(language)))
    .flatMap(({ name, signature, line }) => {
      const [head = ""] = signature.split(name, 1);
      const at = findLineBelow(sheet, `${head}${name}`, line) ?? findLineBelow(sheet, name, line);
      return at === undefined ? [] : [sheet.by("export", "named").find("symbol", name, at)];
    });
}

const findLineBelow = (sheet: ScannedFile, words: string, from: number): number | undefined => {
  const at = sheet.lineWith(words, from);
  return sheet.lines[at - 1]?.includes(words) ? at : undefined;
};

/** Test runners by language. Elsewhere an import names the runner. */
const TEST_RUNNERS: Readonly<Partial<Record<string, string>>> = {
  python: "pytest",
  go: "go test",
  rust: "cargo test",
  java: "junit",
  ruby: "rspec",
  php: "phpunit",
};
const IMPORTED_RUNNER = /["'](vitest|jest|mocha|node:test|ava|@playwright\/test)["']/;
/** Languages in which a string names a test. In the others it is the name of a function. */
const NAMED_BY_STRING = /^(?:javascript|typescript|tsx|ruby)$/;

export function findTestNames(sheet: ScannedFile, { language, tests }: CodeOutline): CodeFinding[] {
  if (!isTestPath(sheet.path) && language !== "rust") return [];
  const source = sheet.by(TEST_RUNNERS[language] ?? IMPORTED_RUNNER.exec(sheet.text)?.[1] ?? "tests", "tested");
  const isByString = NAMED_BY_STRING.test(language);
  return tests.map(({ name: full, line }) => {
    const suites = full.split(" > ");
    const own = suites.pop() ?? "";
    const groups = isByString ? suites : suites.filter((suite) => suite.startsWith("Test")).map(splitTestName);
    const at = findLineBelow(sheet, own, line);
    return source.find("test", isByString ? own : splitTestName(own), at ?? line, {
      of: groups.join(" ") || getTestSubject(sheet.path),
      words: at === undefined ? (sheet.lines[line - 1] ?? "").trim().slice(0, 60) : own,
    });
  });
}

/** Kotlin has no grammar here. */
export const findKotlinTests = (sheet: ScannedFile): CodeFinding[] =>
  isTestPath(sheet.path)
    ? sheet
        .hits(
          /@Test\b(?:\([^)\n]*\))?(?:\s*@\w+(?:\([^)\n]*\))?){0,8}\s*(?:public\s+)?(?:void|fun)\s+`?([\w ]+?)`?\s*\(/dg,
        )
        .map((hit) =>
          sheet.by("junit", "tested").find("test", splitTestName(hit.group(1)), hit.lineOf(1), {
            of: getTestSubject(sheet.path),
            words: hit.group(1),
          }),
        )
    : [];

function splitTestName(name: string): string {
  return name
    .replace(/^(?:Test|Fuzz|Example)_?(?=[A-Z])|^test_/, "")
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
