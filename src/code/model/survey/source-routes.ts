import patterns from "./survey-patterns.json" with { type: "json" };
import { isTestPath } from "../scan/test-files.ts";
import {
  type CodeFinding,
  ScannedFile,
  blankComments,
  findBlockEnd,
  findImportedFramework,
  joinRoutePaths,
  compilePattern,
  listFindingLinks,
  type PatternHit,
} from "./code-finding.ts";
import { findRailsRoutes } from "./rails-routes.ts";

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
  [/(?:^|\/)(?:routes\.rb|config\/routes\/[^/]+\.rb)$/, ANY_TEXT, findRailsRoutes],
  [/(?:^|\/)routes\/[^/]+\.php$|router\.exs?$/, ANY_TEXT, findPatternRoutes],
  [/\.cs$/, /\bMap(?:Get|Post|Put|Patch|Delete)\(|\[Http(?:Get|Post|Put|Patch|Delete)\(/, findPatternRoutes],
];

const findRouteRecognizer = (path: string): RouteRecognizer | undefined =>
  ROUTE_RECOGNIZERS.find(([name]) => name.test(path));

export const findScannedRoutes = (sheet: ScannedFile): CodeFinding[] =>
  findRouteRecognizer(sheet.path)?.[2](sheet) ?? [];

export function findFileRoutes(path: string, text: string): CodeFinding[] {
  const row = findRouteRecognizer(path);
  if (row === undefined || isTestPath(path) || !row[1].test(text)) return [];
  return row[2](new ScannedFile(path, blankComments(path, text.replaceAll("\r\n", "\n"))));
}

const GO_ROUTE_GROUP = /\b(\w+)\s*:?=\s*(\w+)\.Group\("(\/[^"]*)"/;
const GO_ROUTE_CALL =
  /\b(\w+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(\s*"(\/[^"]*)"\s*,\s*(?:[\w.()]+\s*,\s*)*([\w.]+)?/;
const GO_HANDLE_CALL =
  /\bHandle(?:Func)?\(\s*"(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?(\/[^"]*)"\s*,\s*([\w.]+)?/;
const CHI_ROUTE_SCOPE = /\.Route\(\s*"(\/[^"]*)"\s*,\s*func\b/;

/** Line by line, because a group or scope above changes the paths below it. */
function findGoRoutes(sheet: ScannedFile): CodeFinding[] {
  const by = findImportedFramework(sheet.text, patterns.goRouters) ?? "net/http";
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
const ROUTE_PATTERNS = patterns.routes.map(compilePattern);

function findPatternRoutes(sheet: ScannedFile): CodeFinding[] {
  return ROUTE_PATTERNS.filter(({ files }) => files.test(sheet.path)).flatMap(({ pattern, by }) =>
    sheet.hits(pattern).map((hit) => {
      const method = /^resources?$/.test(hit.group(1)) ? "ANY" : hit.group(1);
      return sheet.by(by).route(method, joinRoutePaths("", hit.group(2)), hit.lineOf(2), hit.group(2), hit.group(3));
    }),
  );
}

export function mergeRouteFindings(routes: readonly CodeFinding[]): CodeFinding[] {
  const merged = new Map<string, CodeFinding>();
  for (const route of routes) {
    const key = route.name.replace(/:(\w+)|\{[^}]*\}|<[^>]*>|\[[^\]]*\]/g, "{}").replace(/(?<=[^ ])\/$/, "");
    const first = merged.get(key);
    const says = first?.says ?? route.says;
    const also = [...(first?.also ?? []), ...listFindingLinks(route)];
    if (!first) merged.set(key, route);
    else if (first.path !== route.path) merged.set(key, { ...first, also, ...(says === undefined ? {} : { says }) });
  }
  return [...merged.values()];
}

const JS_ROUTE_CALL =
  /\b(\w+)\s*\.\s*(get|post|put|patch|delete|head|options|all)\s*(?:<[^>(]*>)?\(\s*(["'`])(\/[^"'`\n]*)\3\s*,([^\n]*)/dg;
const FASTIFY_ROUTE = /\.route\(\s*\{\s*method:\s*["'](\w+)["']\s*,\s*(?:url|path):\s*["'](\/[^"']*)["']/dg;
const JS_ROUTER_DECLARATION =
  /\b(\w+)\s*(?::[^=\n]+)?=\s*(?:await\s+)?(?:express\s*\(|express\.Router\s*\(|Router\s*\(|new\s+(?:Router|Hono|Koa|OpenAPIHono)\b|[fF]astify\s*\()/dg;
const NEST_CONTROLLER = /@Controller\(\s*(?:["'`]([^"'`\n]*)["'`])?[^)]{0,300}\)/dg;
const NEST_ROUTE =
  /@(Get|Post|Put|Patch|Delete|Head|Options|All)\(\s*(?:["'`]([^"'`]*)["'`])?\s*\)(?:\s*@[^\n]*){0,8}\s*(?:public\s+|async\s+){0,3}(\w+)/dg;

function findJsRoutes(sheet: ScannedFile): CodeFinding[] {
  const by = findImportedFramework(sheet.text, patterns.scriptRouters) ?? "express";
  const controllers = sheet.hits(NEST_CONTROLLER);
  const decorated = (by === "nestjs" ? sheet.hits(NEST_ROUTE) : []).map((hit) => {
    const prefix = controllers.findLast(({ from }) => from < hit.from)?.group(1) ?? "";
    const path = joinRoutePaths(`/${prefix}`, hit.group(2));
    return sheet.by("nestjs").route(hit.group(1), path, hit.lineOf(1), hit.group(1), hit.group(3));
  });
  // In Next.js the path of a file is its route.
  const [, below = "", isNext] = /(?:^|\/)app\/(.*\/)?(route)\.[cm]?[jt]s$/.exec(sheet.path) ?? [];
  const nextPath = `/${below.replace(/\([^)]*\)\//g, "").replace(/\/$/, "")}`;
  const exported = /^export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE)\b/dgm;
  return [
    ...decorated,
    ...(by === "nestjs" ? [] : findCalledRoutes(sheet, by)),
    ...(isNext === undefined ? [] : sheet.hits(exported)).map((hit) =>
      sheet.by("next.js").route(hit.group(1), nextPath, hit.lineOf(1), hit.group(1)),
    ),
  ];
}

function findCalledRoutes(sheet: ScannedFile, by: string): CodeFinding[] {
  const declared = sheet.hits(JS_ROUTER_DECLARATION).map((hit) => hit.group(1));
  const routers = new Set(["app", "router", "fastify", "server", ...declared]);
  return [
    ...sheet.hits(JS_ROUTE_CALL).flatMap((hit) => {
      if (!routers.has(hit.group(1))) return [];
      const method = hit.group(2) === "all" ? "ANY" : hit.group(2);
      const handler = /([A-Za-z_$][\w$.]*)\s*\)\s*;?\s*$/.exec(hit.group(5).slice(-200))?.[1];
      return [sheet.by(by).route(method, hit.group(4), hit.lineOf(4), hit.group(4), handler)];
    }),
    ...sheet
      .hits(FASTIFY_ROUTE)
      .map((hit) => sheet.by("fastify").route(hit.group(1), hit.group(2), hit.lineOf(2), hit.group(2))),
  ];
}

const PYTHON_ROUTE_DECORATOR =
  /^[ \t]*@(\w+)\.(get|post|put|patch|delete|head|options|websocket)\(\s*["']([^"'\n]*)["']/dgm;
const FLASK_ROUTE = /^[ \t]*@(\w+)\.route\(\s*["']([^"'\n]*)["'](?:[^)\n]*methods\s*=\s*[[(]([^\])]*)[\])])?/dgm;
const PYTHON_ROUTER = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:APIRouter|Blueprint)\(([^)]{0,500})\)/dgm;
const DJANGO_PATH = /\b(?:re_)?path\(\s*r?["']([^"'\n]*)["']\s*,\s*([\w.]+)/dg;

function findPythonRoutes(sheet: ScannedFile): CodeFinding[] {
  const prefixes = new Map(
    sheet
      .hits(PYTHON_ROUTER)
      .map((hit) => [hit.group(1), /(?:url_)?prefix\s*=\s*["']([^"']*)["']/.exec(hit.group(2))?.[1] ?? ""]),
  );
  const source = sheet.by(findImportedFramework(sheet.text, patterns.pythonRouters) ?? "fastapi");
  const readRoute = (hit: PatternHit, method: string, path: string): CodeFinding => {
    const whole = joinRoutePaths(prefixes.get(hit.group(1)) ?? "", path);
    const handler = /^[\s\S]{0,600}?\bdef\s+(\w+)/.exec(sheet.text.slice(hit.to, hit.to + 800))?.[1];
    return source.route(method, whole, hit.lineOf(2), hit.group(2), handler);
  };
  const isDjango = /(?:^|\/)urls\.py$/.test(sheet.path);
  return [
    ...sheet.hits(PYTHON_ROUTE_DECORATOR).map((hit) => readRoute(hit, hit.group(2), hit.group(3))),
    ...sheet.hits(FLASK_ROUTE).flatMap((hit) => {
      const methods = hit.group(3).match(/\w+/g) ?? ["GET"];
      return methods.map((method) => readRoute(hit, method, hit.group(2)));
    }),
    ...(isDjango ? sheet.hits(DJANGO_PATH) : []).flatMap((hit) => {
      const [path, view] = [hit.group(1), hit.group(2)];
      if (view === "include" || view.startsWith("admin.")) return [];
      return [sheet.by("django").route("ANY", joinRoutePaths("", path), hit.lineOf(1), path || view, view)];
    }),
  ];
}
