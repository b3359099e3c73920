import tables from "./survey-tables.json" with { type: "json" };
import patterns from "./survey-patterns.json" with { type: "json" };
import type { CodeOutline } from "../index/code-outline.ts";
import { type CodeFinding, type ScannedFile, compilePattern } from "./code-finding.ts";
import { isTestPath } from "../scan/test-files.ts";
import { getScannedFileName } from "./file-selection.ts";

const VARIABLE_PATTERNS = patterns.variables.map(compilePattern);
const COMMAND_PATTERNS = patterns.commands.map((row) => ({ ...compilePattern(row), sign: new RegExp(row.sign) }));
const ENTRY_PATTERNS = patterns.entries.map(compilePattern);

/** Findings that need one pattern and no context: variables, commands, entry points. */
export function findPatternMatches(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  if (isTestPath(path)) return [];
  return [
    ...VARIABLE_PATTERNS.filter(({ files }) => files.test(path)).flatMap(({ pattern }) =>
      sheet.hits(pattern).map((hit) => sheet.by("environment").hit("variable", hit)),
    ),
    ...COMMAND_PATTERNS.filter(({ files, sign }) => files.test(path) && sign.test(sheet.text)).flatMap(
      ({ pattern, by }) =>
        sheet.hits(pattern).map((hit) => {
          const words = hit.group(1);
          return sheet.by(by).find("command", words.replaceAll("_", "-"), hit.lineOf(1), { words });
        }),
    ),
    ...ENTRY_PATTERNS.filter(({ files }) => files.test(path)).flatMap(({ pattern, says }) => {
      const [hit] = sheet.hits(pattern);
      return hit ? [sheet.by("code").find("entry", path, hit.lineOf(1), { says, words: hit.group(1) })] : [];
    }),
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

/** Languages in which a string names a test. In the others it is the name of a function. */
const NAMED_BY_STRING = /^(?:javascript|typescript|tsx|ruby)$/;

export function findTestNames(sheet: ScannedFile, { language, tests }: CodeOutline): CodeFinding[] {
  if (!isTestPath(sheet.path) && language !== "rust") return [];
  const imported = /["'](vitest|jest|mocha|node:test|ava|@playwright\/test)["']/.exec(sheet.text)?.[1];
  const runners: Readonly<Record<string, string>> = patterns.testRunners;
  const source = sheet.by(runners[language] ?? imported ?? "tests", "tested");
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

const KOTLIN_TEST =
  /@Test\b(?:\([^)\n]*\))?(?:\s*@\w+(?:\([^)\n]*\))?){0,8}\s*(?:public\s+)?(?:void|fun)\s+`?([\w ]+?)`?\s*\(/dg;

/** Kotlin has no grammar here. */
export function findKotlinTests(sheet: ScannedFile): CodeFinding[] {
  const of = getTestSubject(sheet.path);
  return (isTestPath(sheet.path) ? sheet.hits(KOTLIN_TEST) : []).map((hit) => {
    const words = hit.group(1);
    return sheet.by("junit", "tested").find("test", splitTestName(words), hit.lineOf(1), { of, words });
  });
}

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

const TOOL_FILES = tables.tools.map(({ path, ...tool }) => ({ ...tool, pattern: new RegExp(path) }));

const CI_STEP =
  /^[ \t]*(?:- )?run:[ \t]*([^|>\s][^\n]*)$|^[ \t]*-[ \t]+((?:npm|npx|pnpm|yarn|pytest|python|go|cargo|mvn|\.\/gradlew|make|ruff|mypy|docker|bundle|mix)\b[^\n]*)$|\bsh\s+['"]([^'"\n]+)['"]/dgm;

export function findProjectTools(sheet: ScannedFile): CodeFinding[] {
  const { path } = sheet;
  const file = getScannedFileName(path);
  const tool = TOOL_FILES.find(({ pattern }) => pattern.test(path));
  const isContainer = /^(?:Dockerfile|Containerfile)/.test(file);
  const listTools = (by: string, pattern: RegExp): CodeFinding[] =>
    sheet.hits(pattern).map((hit) => sheet.by(by, "declared").hit("tool", hit));
  return [
    ...(tool ? [sheet.by(tool.role, "declared").whole("tool", tool.name)] : []),
    ...(tool?.role === "ci" ? sheet.hits(CI_STEP) : []).map((hit) => {
      const n = [1, 2, 3].find((group) => hit.group(group) !== "") ?? 1;
      const step = hit.group(n).trim();
      return sheet.by("ci step", "declared").find("tool", step, hit.lineOf(n), { of: tool?.name });
    }),
    ...(isContainer ? listTools("container image", /^FROM\s+(?:--\S+\s+)*(\S+)/dgim) : []),
    ...(isContainer ? listTools("port", /^EXPOSE\s+(\d+)/dgim) : []),
    ...(/^(?:docker-)?compose[\w.-]*\.ya?ml$/.test(file) ? findComposeServices(sheet) : []),
  ];
}

/** The keys one level below `services:`. */
function findComposeServices(sheet: ScannedFile): CodeFinding[] {
  const start = sheet.lines.findIndex((line) => /^services:\s*$/.test(line));
  if (start < 0) return [];
  const below = sheet.lines.slice(start + 1);
  const end = below.findIndex((line) => /^\S/.test(line));
  const own = end < 0 ? below : below.slice(0, end);
  const indent = /^ +/.exec(own.find((line) => /^ +\w/.test(line)) ?? "")?.[0] ?? "  ";
  const heads = own.flatMap((line, i) => {
    const name = line.startsWith(indent) ? /^([\w.-]+):\s*$/.exec(line.slice(indent.length))?.[1] : undefined;
    return name === undefined ? [] : [{ name, at: i }];
  });
  return heads.map(({ name, at }, i) => {
    const inside = own.slice(at, heads[i + 1]?.at ?? own.length);
    const says = /^\s*image:\s*["']?([^\s"']+)/.exec(inside.find((line) => /^\s*image:/.test(line)) ?? "")?.[1];
    return sheet.by("compose service", "declared").find("tool", name, start + at + 2, { says });
  });
}

const CONVENTION_FILE =
  /^(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|STYLEGUIDE|CONVENTIONS|ARCHITECTURE|SECURITY)\.md$|^\.(?:cursorrules|windsurfrules|editorconfig)$|^copilot-instructions\.md$|^CODEOWNERS$|\.mdc$/;
const DECISION_FILE = /(?:^|\/)(?:adrs?|decisions|architecture-decisions)\/[^/]+\.(?:md|adoc)$/i;

export function findProjectPapers(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by("file", "declared");
  const file = getScannedFileName(sheet.path);
  if (CONVENTION_FILE.test(file)) return [source.whole("convention", sheet.path)];
  if (!DECISION_FILE.test(sheet.path) || /readme|template/i.test(file)) return [];
  const at = sheet.lines.findIndex((line) => /^[#=]+\s+\S/.test(line));
  const title = (sheet.lines[at] ?? "").replace(/^[#=]+\s+/, "").trim();
  return title === "" ? [] : [source.find("decision", title, at + 1)];
}
