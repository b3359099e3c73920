import { isTestPath } from "../../scan/test-path.ts";
import type { CodeFinding } from "../finding.ts";
import { getScannedFileName } from "../select.ts";
import type { ScannedFile } from "../sheet.ts";

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
