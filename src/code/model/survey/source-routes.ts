import { isTestPath } from "../scan/test-files.ts";
import { findJsRoutes, findPythonRoutes, joinRoutePaths } from "./script-language-routes.ts";
import { type CodeFinding, ScannedFile, blankComments, findBlockEnd } from "./code-finding.ts";

/** Files of a language, a quick test for route code, and the recognizer. */
type RouteRecognizer = readonly [path: RegExp, hint: RegExp, recogniser: (sheet: ScannedFile) => CodeFinding[]];

const ANY_TEXT = /(?:)/;
const ROUTE_RECOGNIZERS: readonly RouteRecognizer[] = [
  [/(?:^|\/)app\/(?:.*\/)?route\.[cm]?[jt]s$/, ANY_TEXT, findJsRoutes],
  [
    /\.[cm]?[jt]sx?$/,
    /["'](?:express|fastify|koa|koa-router|@koa\/router|hono|@nestjs\/common)["']|\b(?:app|router|fastify|server)\s*\.\s*(?:get|post|put|patch|delete|head|options|all)\b/,
    findJsRoutes,
  ],
  [/(?:^|\/)urls\.py$/, ANY_TEXT, findPythonRoutes],
  [/\.py$/, /^[ \t]*@\w+\.(?:get|post|put|patch|delete|head|options|websocket|route)\(/m, findPythonRoutes],
  [
    /\.go$/,
    /\bHandle(?:Func)?\(|\.(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(/,
    findGoRoutes,
  ],
  [/\.rs$/, /\.route\(|#\[(?:get|post|put|patch|delete|head)\(/, findRustRoutes],
  [/\.(?:java|kt)$/, /@(?:Get|Post|Put|Patch|Delete|Request)Mapping\b/, findSpringRoutes],
  [/(?:^|\/)routes\.rb$|(?:^|\/)routes\/[^/]+\.php$|router\.exs?$/, ANY_TEXT, findPatternRoutes],
  [/\.cs$/, /\bMap(?:Get|Post|Put|Patch|Delete)\(|\[Http(?:Get|Post|Put|Patch|Delete)\(/, findPatternRoutes],
];

const findRouteRecognizer = (path: string): RouteRecognizer | undefined =>
  ROUTE_RECOGNIZERS.find(([name]) => name.test(path));

export const findScannedRoutes = (sheet: ScannedFile): CodeFinding[] =>
  findRouteRecognizer(sheet.path)?.[2](sheet) ?? [];

/** The routes that a file serves; none for tests. The quick test rules out most files. */
export function findFileRoutes(path: string, text: string): CodeFinding[] {
  const row = findRouteRecognizer(path);
  if (row === undefined || isTestPath(path) || !row[1].test(text)) return [];
  return row[2](new ScannedFile(path, blankComments(path, text.replaceAll("\r\n", "\n"))));
}

const GO_FRAMEWORKS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/gin-gonic\/gin"/, "gin"],
  [/labstack\/echo(?:\/v\d+)?"/, "echo"],
  [/go-chi\/chi(?:\/v\d+)?"/, "chi"],
  [/gofiber\/fiber(?:\/v\d+)?"/, "fiber"],
  [/gorilla\/mux"/, "gorilla"],
];

const GO_ROUTE_GROUP = /\b(\w+)\s*:?=\s*(\w+)\.Group\("(\/[^"]*)"/;
const GO_ROUTE_CALL =
  /\b(\w+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(\s*"(\/[^"]*)"\s*,\s*(?:[\w.()]+\s*,\s*)*([\w.]+)?/;
const GO_HANDLE_CALL =
  /\bHandle(?:Func)?\(\s*"(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?(\/[^"]*)"\s*,\s*([\w.]+)?/;
const CHI_ROUTE_SCOPE = /\.Route\(\s*"(\/[^"]*)"\s*,\s*func\b/;

/** Line by line, because a group or scope above changes the paths below it. */
function findGoRoutes(sheet: ScannedFile): CodeFinding[] {
  const by = GO_FRAMEWORKS.find(([pattern]) => pattern.test(sheet.text))?.[1] ?? "net/http";
  const source = sheet.by(by);
  const groups = new Map<string, string>();
  const scopes: { prefix: string; depth: number }[] = [];
  const found: CodeFinding[] = [];
  let depth = 0;
  for (const [i, line] of sheet.lines.entries()) {
    const [, name, parent = "", path = ""] = GO_ROUTE_GROUP.exec(line) ?? [];
    if (name !== undefined) groups.set(name, joinRoutePaths(groups.get(parent) ?? "", path));
    const scope = scopes.map(({ prefix }) => prefix).join("");
    const [, router = "", verb, own = "", handler] = GO_ROUTE_CALL.exec(line) ?? [];
    const [, method, pattern, target] = GO_HANDLE_CALL.exec(line) ?? [];
    if (verb !== undefined && by !== "net/http") {
      const at = joinRoutePaths(groups.get(router) ?? scope, own);
      found.push(source.route(verb, at, i + 1, own, handler));
    } else if (pattern !== undefined) {
      const said = /\.Methods\("(\w+)"/.exec(line)?.[1];
      found.push(source.route(method ?? said ?? "ANY", joinRoutePaths(scope, pattern), i + 1, pattern, target));
    }
    const prefix = CHI_ROUTE_SCOPE.exec(line)?.[1];
    if (prefix !== undefined) scopes.push({ prefix, depth });
    depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
    while (scopes.length > 0 && depth <= (scopes.at(-1)?.depth ?? 0)) scopes.pop();
  }
  return found;
}

const AXUM_ROUTE = /\.route\(\s*"(\/[^"]*)"/dg;
const AXUM_NEST = /\.nest\(\s*"(\/[^"]*)"\s*,\s*(\w+)\(/dg;
const RUST_ROUTE_ATTRIBUTE =
  /#\[(get|post|put|patch|delete|head)\(\s*"(\/[^"\n]*)"[^\]\n]*\)\](?:\s*#\[[^\]\n]*\]){0,8}\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/dg;

function findRustRoutes(sheet: ScannedFile): CodeFinding[] {
  const attributes = sheet.by(/\brocket\b/.test(sheet.text) ? "rocket" : "actix");
  const nested = sheet
    .hits(AXUM_NEST)
    .slice(0, 100)
    .flatMap((hit) => {
      const start = sheet.text.search(new RegExp(String.raw`\bfn\s+${hit.group(2)}\s*[(<]`));
      const open = start < 0 ? -1 : sheet.text.indexOf("{", start);
      return open < 0 ? [] : [{ prefix: hit.group(1), from: open, to: findBlockEnd(sheet.text, open) }];
    });
  return [
    ...sheet.hits(AXUM_ROUTE).flatMap((hit) => {
      const open = hit.from + ".route".length;
      const rest = sheet.text.slice(hit.to, findBlockEnd(sheet.text, open));
      const prefix = nested.find(({ from, to }) => hit.from > from && hit.from < to)?.prefix ?? "";
      return [...rest.matchAll(/\b(get|post|put|patch|delete|head|any)\(\s*([\w:]+)?/g)].map(
        ([, method = "", handler]) =>
          sheet.by("axum").route(method, joinRoutePaths(prefix, hit.group(1)), hit.lineOf(1), hit.group(1), handler),
      );
    }),
    ...sheet
      .hits(RUST_ROUTE_ATTRIBUTE)
      .map((hit) => attributes.route(hit.group(1), hit.group(2), hit.lineOf(2), hit.group(2), hit.group(3))),
  ];
}

const SPRING_MAPPING =
  /@(Get|Post|Put|Patch|Delete|Request)Mapping\b(?:\(([^)]{0,300})\))?(?:\s*@[\w.]+(?:\([^)\n]*\))?){0,8}\s*(?:(?:public|protected|private|final|abstract|open|suspend|data)\s+){0,4}(class|interface|fun)?\s*([^;{(=]{0,200})/dg;

/** In Spring the mapping of a class prefixes those of its methods. */
function findSpringRoutes(sheet: ScannedFile): CodeFinding[] {
  let prefix = "";
  return sheet.hits(SPRING_MAPPING).flatMap((hit) => {
    const said = hit.group(2);
    const path = /["']([^"']*)["']/.exec(said)?.[1] ?? "";
    if (/^(?:class|interface)$/.test(hit.group(3))) {
      prefix = path;
      return [];
    }
    const verb = hit.group(1) === "Request" ? (/RequestMethod\.(\w+)/.exec(said)?.[1] ?? "ANY") : hit.group(1);
    const handler = /(\w+)\s*$/.exec(hit.group(4))?.[1];
    return [sheet.by("spring").route(verb, joinRoutePaths(prefix, path), hit.lineOf(1), hit.group(1), handler)];
  });
}

/** One pattern per framework: group 1 is the method, group 2 the path, group 3 the handler. */
const ROUTE_PATTERNS: readonly (readonly [path: RegExp, pattern: RegExp, by: string])[] = [
  [
    /(?:^|\/)routes\.rb$/,
    /^[ \t]*(get|post|put|patch|delete)\s+["']([^"']+)["'](?:.*?(?:to:|=>)\s*["']([\w/#]+)["'])?/dgm,
    "rails",
  ],
  [/(?:^|\/)routes\.rb$/, /^[ \t]*(resources?)\s+:(\w+)/dgm, "rails"],
  [/(?:^|\/)routes\/[^/]+\.php$/, /\bRoute::(get|post|put|patch|delete|any)\(\s*["']([^"']+)["']/dg, "laravel"],
  [/router\.ex$/, /^[ \t]*(get|post|put|patch|delete)\s+"([^"]+)",\s*([\w.]+)/dgm, "phoenix"],
  [/\.cs$/, /\bMap(Get|Post|Put|Patch|Delete)\(\s*"([^"]+)"/dg, "asp.net"],
  [/\.cs$/, /\[Http(Get|Post|Put|Patch|Delete)\("([^"]+)"\)\]/dg, "asp.net"],
];

function findPatternRoutes(sheet: ScannedFile): CodeFinding[] {
  return ROUTE_PATTERNS.filter(([path]) => path.test(sheet.path)).flatMap(([, pattern, by]) =>
    sheet.hits(pattern).map((hit) => {
      const method = /^resources?$/.test(hit.group(1)) ? "ANY" : hit.group(1);
      return sheet.by(by).route(method, joinRoutePaths("", hit.group(2)), hit.lineOf(2), hit.group(2), hit.group(3));
    }),
  );
}
