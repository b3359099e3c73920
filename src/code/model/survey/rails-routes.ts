import { type CodeFinding, joinRoutePaths, type ScannedFile } from "./code-finding.ts";
import { toSingular } from "./entity-names.ts";

interface RailsScope {
  /** For routes directly inside, and for those of `member` and `collection`. */
  readonly inner: string;
  readonly member: string;
  readonly collection: string;
}

const VERB_LINE = /^\s*(get|post|put|patch|delete)\s*\(?\s*(?:["']([^"']*)["']|((?::\w+\s*,?\s*)+))(.*)$/;
const MATCH_LINE = /^\s*match\s*\(?\s*["']([^"']*)["'](.*)$/;
const RESOURCES_LINE = /^\s*(resources?)\s*\(?\s*((?::\w+\s*,\s*)*:\w+)(.*)$/;
const SCOPE_LINE =
  /^\s*(?:namespace\s*\(?\s*[:"'](\w+)|scope\b(?:\s*\(?\s*["']([^"']+)["'])?(?:.*?(?:path:|:path\s*=>)\s*["']([^"']+)["'])?)/;
const OPENS_BLOCK = /\bdo\b(?:\s*\|[^|]*\|)?\s*$|^\s*(?:if|unless|case|while|def|class|module|begin)\b/;
const PATH_OPTION = /(?:\bpath:|:path\s*=>)\s*["']([^"']+)["']/;
const TARGET_OPTION = /(?:\bto:|:to\s*=>|=>)\s*["']([\w/#]+)["']/;

/** Line by line, because every block of `config/routes.rb` changes the paths inside. */
export function findRailsRoutes(sheet: ScannedFile): CodeFinding[] {
  const source = sheet.by("rails");
  const scopes: RailsScope[] = [];
  const found: CodeFinding[] = [];
  for (const [i, line] of sheet.lines.entries()) {
    const here = scopes.at(-1) ?? { inner: "", member: "", collection: "" };
    if (/^\s*end\b/.test(line)) {
      scopes.pop();
      continue;
    }
    found.push(
      ...findRailsLine(line, here).map(([method, path, words, to]) => source.route(method, path, i + 1, words, to)),
    );
    if (OPENS_BLOCK.test(line)) scopes.push(openRailsScope(line, here));
  }
  return found;
}

type RailsRoute = readonly [method: string, path: string, words: string, handler: string | undefined];

function findRailsLine(line: string, here: RailsScope): RailsRoute[] {
  const [, verb, quoted, symbols = "", rest = ""] = VERB_LINE.exec(line) ?? [];
  const [, matched, options = ""] = MATCH_LINE.exec(line) ?? [];
  const [, kind, names = ""] = RESOURCES_LINE.exec(line) ?? [];
  const to = TARGET_OPTION.exec(rest || options)?.[1];
  if (verb !== undefined) {
    const paths = quoted === undefined ? (symbols.match(/\w+/g) ?? []) : [quoted];
    const base = chooseRailsBase(rest, here);
    return paths.map((path) => [verb, joinRoutePaths(base, path), path, to]);
  }
  if (matched !== undefined) {
    const methods = /\bvia(?::|\s*=>)\s*(.*)$/.exec(options)?.[1]?.match(/\b(?:get|post|put|patch|delete)\b/g) ?? [
      "ANY",
    ];
    return methods.map((method) => [method, joinRoutePaths(chooseRailsBase(options, here), matched), matched, to]);
  }
  const root = /^\s*root\b(.*)$/.exec(line)?.[1];
  if (root !== undefined) return [["get", joinRoutePaths(here.inner, ""), "root", /["']([\w/#]+)["']/.exec(root)?.[1]]];
  const path = PATH_OPTION.exec(line)?.[1];
  return (kind === undefined ? [] : (names.match(/\w+/g) ?? [])).map((name) => [
    "ANY",
    joinRoutePaths(here.inner, path ?? name),
    name,
    undefined,
  ]);
}

const chooseRailsBase = (options: string, here: RailsScope): string =>
  /\bon(?::|\s*=>)\s*:member\b/.test(options)
    ? here.member
    : /\bon(?::|\s*=>)\s*:collection\b/.test(options)
      ? here.collection
      : here.inner;

function openRailsScope(line: string, here: RailsScope): RailsScope {
  if (/^\s*member\b/.test(line)) return { ...here, inner: here.member };
  if (/^\s*collection\b/.test(line)) return { ...here, inner: here.collection };
  const [, kind, names = ""] = RESOURCES_LINE.exec(line) ?? [];
  const [name = ""] = names.match(/\w+/) ?? [];
  if (kind !== undefined) {
    const collection = joinRoutePaths(here.inner, PATH_OPTION.exec(line)?.[1] ?? name);
    const isOne = kind === "resource";
    const [inner, member] = isOne
      ? [collection, collection]
      : [`${collection}/:${toSingular(name)}_id`, `${collection}/:id`];
    return { inner, member, collection };
  }
  const [, namespace, scope, path] = SCOPE_LINE.exec(line) ?? [];
  const prefix = namespace ?? path ?? scope;
  if (prefix === undefined) return here;
  const inner = joinRoutePaths(here.inner, prefix);
  return { inner, member: inner, collection: inner };
}
