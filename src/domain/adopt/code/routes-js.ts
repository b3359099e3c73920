import type { CodeFinding } from "../finding.ts";
import { getParentFolder } from "../select.ts";
import type { ScannedFile } from "../sheet.ts";
import { joinRoutePaths, type RouteMount } from "./mount.ts";

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
      const method = hit.group(2) === "all" ? "ANY" : hit.group(2).toUpperCase();
      const handler = /([A-Za-z_$][\w$.]*)\s*\)\s*;?\s*$/.exec(hit.group(5).slice(-200))?.[1];
      return [
        sheet.found("route", `${method} ${hit.group(4)}`, hit.lineOf(4), hit.group(4), {
          by,
          basis: "coded",
          says: handler,
        }),
      ];
    }),
    ...sheet.hits(FASTIFY_ROUTE).map((hit) =>
      sheet.found("route", `${hit.group(1).toUpperCase()} ${hit.group(2)}`, hit.lineOf(2), hit.group(2), {
        by: "fastify",
        basis: "coded",
      }),
    ),
  ];
}

function findDecoratedRoutes(sheet: ScannedFile): CodeFinding[] {
  const controllers = sheet.hits(NEST_CONTROLLER);
  return sheet.hits(NEST_ROUTE).map((hit) => {
    const prefix = controllers.findLast(({ from }) => from < hit.from)?.group(1) ?? "";
    const path = joinRoutePaths(`/${prefix}`, hit.group(2));
    return sheet.found("route", `${hit.group(1).toUpperCase()} ${path}`, hit.lineOf(1), hit.group(1), {
      by: "nestjs",
      basis: "coded",
      says: hit.group(3),
    });
  });
}

/** In Next.js the path of a file is its route. */
function findNextJsRoutes(sheet: ScannedFile): CodeFinding[] {
  const place = /(?:^|\/)app\/(.*\/)?route\.[cm]?[jt]s$/.exec(sheet.path);
  if (!place) return [];
  const path = `/${(place[1] ?? "").replace(/\([^)]*\)\//g, "").replace(/\/$/, "")}`;
  return sheet
    .hits(/^export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE)\b/dgm)
    .map((hit) =>
      sheet.found("route", `${hit.group(1)} ${path}`, hit.lineOf(1), hit.group(1), { by: "next.js", basis: "coded" }),
    );
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
