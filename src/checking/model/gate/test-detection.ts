import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findTestSections, isTestLine } from "#code/model/scan/test-files.ts";

const RUNNERS =
  "vitest|jest|mocha|jasmine|karma|playwright|cypress|ava|tap|pytest|unittest|nose2?|tox|rspec|minitest|phpunit|pest|codecept\\w*|junit|surefire|testng|xunit|nunit|mstest|gotest|node:test|bun:test|--test|test[ _-]?runner";
/** Variables that test runners and gates set. */
const VARIABLES =
  "(?:VITEST|JEST|MOCHA|JASMINE|KARMA|PLAYWRIGHT|CYPRESS|AVA|TAP|PYTEST|TOX|UNITTEST|RSPEC|PHPUNIT|BUN_TEST|TENON)(?:_\\w*)?|NODE_TEST_CONTEXT|TESTING";
const ENVIRONMENT = "(?:env|environ|getenv|GetEnvironmentVariable|LookupEnv|Getenv|var|var_os|ENV|ENVIRONMENT)";
/** Through these a program can see who runs it. */
const SIGHT = [
  "argv|execArgv|args|Args|ARGV|env|environ|getenv|Getenv|LookupEnv|modules",
  "require\\.(?:cache|main)|module\\.(?:parent|children)|mainModule|stack|getframe|extract_stack",
  "StackTrace\\w*|GetAssemblies|forName|getProperty|class_exists|defined|find_spec",
  "PROGRAM_NAME|\\$0|caller|hostname|cwd|title",
].join("|");
const MODE = "(?:NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|DJANGO_ENV|FLASK_ENV|MIX_ENV|ENV|ENVIRONMENT|MODE)";

/** Code that behaves differently under tests, line by line. */
const DETECTIONS: readonly RegExp[] = [
  new RegExp(`\\b${ENVIRONMENT}\\b\\W{1,8}(?:${VARIABLES})\\b`),
  new RegExp(`["'\`](?:${VARIABLES})["'\`]\\s*(?:\\bin\\b|not in\\b)`),
  new RegExp(`\\{[^}]*\\b(?:${VARIABLES})\\b[^}]*\\}\\s*=\\s*(?:process|import\\.meta|globalThis\\.process)\\b`),
  new RegExp(
    `\\b${MODE}\\b.{0,24}?(?:==|!=|\\bis\\b|\\bin\\b|includes|startsWith|equals|case).{0,12}?["'\`]tests?(?:ing)?["'\`]`,
    "i",
  ),
  new RegExp(`["'\`]tests?(?:ing)?["'\`]\\s*[!=]=+\\s*.{0,40}\\b${MODE}\\b`, "i"),
  new RegExp(`\\b(?:${SIGHT})(?!\\w)[^\\n]*?["'\`/\\w.-]*(?<![a-z])(?:${RUNNERS})(?![a-z])`, "i"),
  new RegExp(`["'\`](?:${RUNNERS})\\w*["'\`]\\s*(?:not\\s+)?in\\s[^\\n]*\\b(?:modules|argv|environ|stack)\\b`, "i"),
  /\bimport\.meta\.vitest\b|\bprocess\.env\.NODE_V8_COVERAGE\b/,
  /\btypeof\s+(?:globalThis\.|window\.|global\.)?(?:describe|it|test|expect|suite|vi|jest|beforeEach|afterEach|mocha|jasmine|cy|__coverage__|__karma__|__vitest_worker__)\b/,
  /\b(?:globalThis|global|window|self)(?:\.|\?\.|\[["'`])(?:describe|it|test|expect|vi|jest|beforeEach|afterEach|mocha|jasmine|cy|__coverage__|__karma__|__vitest_\w+|__playwright\w*)\b/,
  /["'`](?:describe|it|test|expect|vi|jest|beforeEach|mocha|jasmine|__coverage__|__vitest_worker__)["'`]\s+in\s+(?:globalThis|global|window|self)\b/,
  /\btesting\.Testing\(\)|\bflag\.Lookup\("test\.|\bos\.Args\[0\][^\n]*\.test\b/,
  /\bcfg!\(test\)|#!?\[cfg\(not\(test\)\)\]/,
  /\bRails\.env\.test\?|\bdefined\?\(?\s*(?:RSpec|Minitest|Test::Unit)\b/,
  new RegExp(`["'\`](?:VITEST|NODE_TEST|JEST_WORKER|MOCHA_|PYTEST_|TENON_)\\w*["'\`]`),
  // Work is open while its gate runs, and archived later.
  /\b(?:exists|stat|access|read|open|is_?file|is_?dir|glob|Path)\w*\([^\n]*["'`][^"'`\n]*\bsdd\/(?:changes|specs|history)\b/i,
  /\brunningUnitTests\(\)|\benvironment\(["']testing["']\)/,
];

/** Code that replaces what tests check with, so that every test of it passes. */
const ASSERTION_PATCHES: readonly RegExp[] = [
  /\b(?:assert|expect|chai|should|sinon|vi|jest|unittest|pytest|TestCase|Assertion|Assert)(?:\.\w+){1,3}\s*=(?![=>])/,
  /\b(?:defineProperty|assign|setattr|spyOn|patch)\w*\(\s*["']?(?:assert|expect|chai|unittest|pytest)\s*[.,]/,
  /\b(?:globalThis|global|window)(?:\.|\[["'`])(?:describe|it|test|expect|assert|should|vi|jest)\b["'`\]]*\s*=(?![=>])/,
  /\b(?:Object|Number|String|Boolean|Array|Date|JSON|Reflect|Error|Promise)(?:\.prototype)?\.(?:is|valueOf|toString|toJSON|stringify|parse|keys|entries|constructor)\s*=(?![=>])/,
];

export interface TestDetection {
  readonly line: number;
  readonly text: string;
  /** The reason in a comment on the line or above it. */
  readonly allowed: string | undefined;
}

/** Changed lines of product code that ask whether tests run it. Comments and tests inside the file do not count. */
export function findTestDetections(text: string, look: CodeScan, changed: ReadonlySet<number>): TestDetection[] {
  const tests = findTestSections(look);
  return selectChangedLines(text, look, changed).filter(({ line, text: code }) => {
    const joined = code.replaceAll(/["'`]\s*\+\s*["'`]/g, "");
    return !isTestLine(tests, line) && DETECTIONS.some((pattern) => pattern.test(joined));
  });
}

const REPLACED_GLOBAL = /\b(?:globalThis|global|builtins|__builtins__)(?:\.|\[["'`])(\w+)["'`\]]*\s*=(?![=>])/g;

/** Changed lines of product code that replace assertions, values that these compare, or a global function of the tests. */
export function findAssertionPatches(
  text: string,
  look: CodeScan,
  changed: ReadonlySet<number>,
  testText: string,
): TestDetection[] {
  const tests = findTestSections(look);
  const isCalled = (name: string): boolean => new RegExp(`(?<![\\w.])${name}\\(`).test(testText);
  return selectChangedLines(text, look, changed).filter(
    ({ line, text: code }) =>
      !isTestLine(tests, line) &&
      (ASSERTION_PATCHES.some((pattern) => pattern.test(code)) ||
        [...code.matchAll(REPLACED_GLOBAL)].some(([, name = ""]) => isCalled(name))),
  );
}

const FILE_READ =
  /\b(?:readFile\w*|read_text|read_bytes|read_to_string|file_get_contents|ReadFile|ReadAllText|readAllBytes|readString|getsource\w*|open|File\.read|IO\.read)\b/;

export interface TestedCode {
  /** Each with its folder: a fixture may have the same name. */
  readonly files: readonly string[];
  readonly functions: readonly string[];
}

/** Changed lines of a test that read the text of the changed code. A text passes without right behaviour. */
export function findCodeTextTests(
  text: string,
  look: CodeScan,
  changed: ReadonlySet<number>,
  { files, functions }: TestedCode,
): TestDetection[] {
  const isPrinted = (code: string): boolean =>
    [...code.matchAll(/\b(?:String|getsource)\(\s*([\w$.]+)\s*\)|\b([\w$]+)\.toString\(\)/g)].some(
      ([, first, second]) => functions.includes((first ?? second ?? "").replace(/^.*\./, "")),
    );
  return selectChangedLines(text, look, changed).filter(
    ({ text: code }) => isPrinted(code) || (FILE_READ.test(code) && files.some((name) => code.includes(name))),
  );
}

function selectChangedLines(text: string, look: CodeScan, changed: ReadonlySet<number>): TestDetection[] {
  const reasons = new Map(
    look.comments.flatMap(({ line, text: comment }) =>
      comment.split("\n").map((each, at) => [line + at, readAllowanceReason(each)] as const),
    ),
  );
  const bare = look.comments.reduce(
    (rest, { start, end }) => rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, " ") + rest.slice(end),
    text,
  );
  return bare.split("\n").flatMap((code, i) => {
    const line = i + 1;
    return changed.has(line) ? [{ line, text: code.trim(), allowed: reasons.get(line) ?? reasons.get(line - 1) }] : [];
  });
}
