import type { CodeFinding, PatternHit, ScannedFile } from "./code-finding.ts";
import { getParentFolder } from "./file-selection.ts";

/** A path below which the routes of another file are served. */
export interface RouteMount {
  readonly prefix: string;
  readonly path: string;
  readonly line: number;
  /** The file's path without its ending, or only its last part for languages that import by name. */
  readonly target: string;
}

export function joinRoutePaths(prefix: string, path: string): string {
  const whole = `${prefix.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`.replace(/(?<=.)\/$/, "");
  return whole.startsWith("/") ? whole : `/${whole}`;
}

/** Adds the prefixes under which other files mount routes. A file mounted twice keeps its own paths. */
export function applyRouteMounts(routes: readonly CodeFinding[], mounts: readonly RouteMount[]): CodeFinding[] {
  return routes.map((route) => {
    const stem = route.path.replace(/\.\w+$/, "").replace(/\/(?:index|__init__|mod)$/, "");
    const own = mounts.filter(
      ({ target }) => stem === target || (!target.includes("/") && stem.endsWith(`/${target}`)),
    );
    const [mount] = own;
    if (!mount || own.length > 1 || route.basis !== "coded") return route;
    const [method = "", path = ""] = route.name.split(" ");
    return {
      ...route,
      name: `${method} ${joinRoutePaths(mount.prefix, path)}`,
      also: [...(route.also ?? []), { path: mount.path, line: mount.line }],
    };
  });
}

export function mergeRouteFindings(routes: readonly CodeFinding[]): CodeFinding[] {
  const merged = new Map<string, CodeFinding>();
  for (const route of routes) {
    const key = route.name.replace(/:(\w+)|\{[^}]*\}|<[^>]*>|\[[^\]]*\]/g, "{}").replace(/(?<=[^ ])\/$/, "");
    const first = merged.get(key);
    const links = [{ path: route.path, line: route.line }, ...(route.also ?? [])];
    if (!first) merged.set(key, route);
    else if (first.path !== route.path)
      merged.set(key, {
        ...first,
        also: [...(first.also ?? []), ...links],
        ...(first.says === undefined && route.says !== undefined ? { says: route.says } : {}),
      });
  }
  return [...merged.values()];
}

const JS_ROUTER_IMPORTS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/["']express["']/, "express"],
  [/["']fastify["']/, "fastify"],
  [/["'](?:@koa\/router|koa-router|koa)["']/, "koa"],
  [/["']hono["']/, "hono"],
  [/["']@nestjs\/common["']/, "nestjs"],
];

const JS_ROUTE_CALL =
  /\b(\w+)\s*\.\s*(get|post|put|patch|delete|head|options|all)\s*(?:<[^>(]*>)?\(\s*(["'`])(\/[^"'`\n]*)\3\s*,([^\n]*)/dg;
const FASTIFY_ROUTE = /\.route\(\s*\{\s*method:\s*["'](\w+)["']\s*,\s*(?:url|path):\s*["'](\/[^"']*)["']/dg;
const JS_ROUTER_DECLARATION =
  /\b(\w+)\s*(?::[^=\n]+)?=\s*(?:await\s+)?(?:express\s*\(|express\.Router\s*\(|Router\s*\(|new\s+(?:Router|Hono|Koa|OpenAPIHono)\b|[fF]astify\s*\()/dg;
const NEST_CONTROLLER = /@Controller\(\s*(?:["'`]([^"'`\n]*)["'`])?[^)]{0,300}\)/dg;
const NEST_ROUTE =
  /@(Get|Post|Put|Patch|Delete|Head|Options|All)\(\s*(?:["'`]([^"'`]*)["'`])?\s*\)(?:\s*@[^\n]*){0,8}\s*(?:public\s+|async\s+){0,3}(\w+)/dg;
const USUAL_ROUTER_NAMES = ["app", "router", "fastify", "server"];

export function findJsRoutes(sheet: ScannedFile): CodeFinding[] {
  const by = JS_ROUTER_IMPORTS.find(([pattern]) => pattern.test(sheet.text))?.[1];
  return [
    ...(by === "nestjs" ? findDecoratedRoutes(sheet) : findCalledRoutes(sheet, by ?? "express")),
    ...findNextJsRoutes(sheet),
  ];
}

function findCalledRoutes(sheet: ScannedFile, by: string): CodeFinding[] {
  const routers = new Set([...USUAL_ROUTER_NAMES, ...sheet.hits(JS_ROUTER_DECLARATION).map((hit) => hit.group(1))]);
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

function findDecoratedRoutes(sheet: ScannedFile): CodeFinding[] {
  const controllers = sheet.hits(NEST_CONTROLLER);
  return sheet.hits(NEST_ROUTE).map((hit) => {
    const prefix = controllers.findLast(({ from }) => from < hit.from)?.group(1) ?? "";
    const path = joinRoutePaths(`/${prefix}`, hit.group(2));
    return sheet.by("nestjs").route(hit.group(1), path, hit.lineOf(1), hit.group(1), hit.group(3));
  });
}

/** In Next.js the path of a file is its route. */
function findNextJsRoutes(sheet: ScannedFile): CodeFinding[] {
  const place = /(?:^|\/)app\/(.*\/)?route\.[cm]?[jt]s$/.exec(sheet.path);
  if (!place) return [];
  const path = `/${(place[1] ?? "").replace(/\([^)]*\)\//g, "").replace(/\/$/, "")}`;
  return sheet
    .hits(/^export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE)\b/dgm)
    .map((hit) => sheet.by("next.js").route(hit.group(1), path, hit.lineOf(1), hit.group(1)));
}

const JS_MOUNT_CALL = /\.(?:use|route|register)\(\s*["'`](\/[^"'`\n]*)["'`]\s*,[^\n]*?\b(\w+)(?:\(\s*\))?\s*\)/dg;
const FASTIFY_PREFIX = /\.register\(\s*(\w+)\s*,\s*\{\s*prefix:\s*["'](\/[^"']*)["']/dg;

export function findJsMounts(sheet: ScannedFile): RouteMount[] {
  const from = new Map(
    [
      ...sheet.hits(/\bimport\s+(?:\{\s*)?(?:\w+\s*,\s*\{\s*)?(\w+)[^"';]{0,300}from\s*["'](\.[^"']+)["']/dg),
      ...sheet.hits(/\b(?:const|let|var)\s+\{?\s*(\w+)[^=\n]*=\s*require\(\s*["'](\.[^"']+)["']/dg),
    ].map((hit) => [hit.group(1), hit.group(2)]),
  );
  const mount = (name: string, prefix: string, line: number): RouteMount[] => {
    const module = from.get(name);
    return module === undefined
      ? []
      : [{ prefix, line, path: sheet.path, target: resolveMountedModule(getParentFolder(sheet.path), module) }];
  };
  return [
    ...sheet.hits(JS_MOUNT_CALL).flatMap((hit) => mount(hit.group(2), hit.group(1), hit.lineOf(1))),
    ...sheet.hits(FASTIFY_PREFIX).flatMap((hit) => mount(hit.group(1), hit.group(2), hit.lineOf(2))),
  ];
}

function resolveMountedModule(folder: string, module: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of module.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/").replace(/\.[cm]?[jt]sx?$/, "");
}

const PYTHON_ROUTE_DECORATOR =
  /^[ \t]*@(\w+)\.(get|post|put|patch|delete|head|options|websocket)\(\s*["']([^"'\n]*)["']/dgm;
const FLASK_ROUTE = /^[ \t]*@(\w+)\.route\(\s*["']([^"'\n]*)["'](?:[^)\n]*methods\s*=\s*[[(]([^\])]*)[\])])?/dgm;
const PYTHON_ROUTER = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:APIRouter|Blueprint)\(([^)]{0,500})\)/dgm;
const DJANGO_PATH = /\b(?:re_)?path\(\s*r?["']([^"'\n]*)["']\s*,\s*([\w.]+)/dg;

export function findPythonRoutes(sheet: ScannedFile): CodeFinding[] {
  const prefixes = new Map(
    sheet
      .hits(PYTHON_ROUTER)
      .map((hit) => [hit.group(1), /(?:url_)?prefix\s*=\s*["']([^"']*)["']/.exec(hit.group(2))?.[1] ?? ""]),
  );
  const source = sheet.by(/\b(?:from|import)\s+flask\b/.test(sheet.text) ? "flask" : "fastapi");
  const readRoute = (hit: PatternHit, method: string, path: string): CodeFinding => {
    const whole = joinRoutePaths(prefixes.get(hit.group(1)) ?? "", path);
    return source.route(method, whole, hit.lineOf(2), hit.group(2), findNextFunction(sheet.text, hit.to));
  };
  return [
    ...sheet.hits(PYTHON_ROUTE_DECORATOR).map((hit) => readRoute(hit, hit.group(2), hit.group(3))),
    ...sheet.hits(FLASK_ROUTE).flatMap((hit) => {
      const methods = hit.group(3).match(/\w+/g) ?? ["GET"];
      return methods.map((method) => readRoute(hit, method, hit.group(2)));
    }),
    ...(/(?:^|\/)urls\.py$/.test(sheet.path) ? findDjangoRoutes(sheet) : []),
  ];
}

function findDjangoRoutes(sheet: ScannedFile): CodeFinding[] {
  return sheet
    .hits(DJANGO_PATH)
    .filter((hit) => hit.group(2) !== "include" && !hit.group(2).startsWith("admin."))
    .map((hit) => {
      const path = joinRoutePaths("", hit.group(1));
      return sheet.by("django").route("ANY", path, hit.lineOf(1), hit.group(1) || hit.group(2), hit.group(2));
    });
}

const findNextFunction = (text: string, from: number): string | undefined =>
  /^[\s\S]{0,600}?\bdef\s+(\w+)/.exec(text.slice(from, from + 800))?.[1];

/** `app.include_router(orders.router, prefix="/api")`. */
export function findPythonMounts(sheet: ScannedFile): RouteMount[] {
  return sheet
    .hits(/\.(?:include_router|register_blueprint)\(\s*(\w+)(?:\.\w+)?\s*,[^)]{0,300}prefix\s*=\s*["']([^"']+)["']/dg)
    .map((hit) => ({ prefix: hit.group(2), path: sheet.path, line: hit.lineOf(2), target: hit.group(1) }));
}
