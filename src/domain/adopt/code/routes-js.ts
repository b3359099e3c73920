import type { Finding } from "../finding.ts";
import { folderOf } from "../select.ts";
import type { Sheet } from "../sheet.ts";
import { joined, type Mount } from "./mount.ts";

const IMPORTS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/["']express["']/, "express"],
  [/["']fastify["']/, "fastify"],
  [/["'](?:@koa\/router|koa-router|koa)["']/, "koa"],
  [/["']hono["']/, "hono"],
  [/["']@nestjs\/common["']/, "nestjs"],
];

const CALL =
  /\b(\w+)\s*\.\s*(get|post|put|patch|delete|head|options|all)\s*(?:<[^>(]*>)?\(\s*(["'`])(\/[^"'`\n]*)\3\s*,([^\n]*)/dg;
const FASTIFY = /\.route\(\s*\{\s*method:\s*["'](\w+)["']\s*,\s*(?:url|path):\s*["'](\/[^"']*)["']/dg;
const DECLARED =
  /\b(\w+)\s*(?::[^=\n]+)?=\s*(?:await\s+)?(?:express\s*\(|express\.Router\s*\(|Router\s*\(|new\s+(?:Router|Hono|Koa|OpenAPIHono)\b|[fF]astify\s*\()/dg;
const CONTROLLER = /@Controller\(\s*(?:["'`]([^"'`\n]*)["'`])?[^)]{0,300}\)/dg;
const DECORATED =
  /@(Get|Post|Put|Patch|Delete|Head|Options|All)\(\s*(?:["'`]([^"'`]*)["'`])?\s*\)(?:\s*@[^\n]*){0,8}\s*(?:public\s+|async\s+){0,3}(\w+)/dg;
const USUAL = ["app", "router", "fastify", "server"];

export function routesJs(sheet: Sheet): Finding[] {
  const by = IMPORTS.find(([pattern]) => pattern.test(sheet.text))?.[1];
  return [...(by === "nestjs" ? decorated(sheet) : called(sheet, by ?? "express")), ...fileRoutes(sheet)];
}

function called(sheet: Sheet, by: string): Finding[] {
  const routers = new Set([...USUAL, ...sheet.hits(DECLARED).map((hit) => hit.group(1))]);
  return [
    ...sheet.hits(CALL).flatMap((hit) => {
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
    ...sheet.hits(FASTIFY).map((hit) =>
      sheet.found("route", `${hit.group(1).toUpperCase()} ${hit.group(2)}`, hit.lineOf(2), hit.group(2), {
        by: "fastify",
        basis: "coded",
      }),
    ),
  ];
}

function decorated(sheet: Sheet): Finding[] {
  const controllers = sheet.hits(CONTROLLER);
  return sheet.hits(DECORATED).map((hit) => {
    const prefix = controllers.findLast(({ from }) => from < hit.from)?.group(1) ?? "";
    const path = joined(`/${prefix}`, hit.group(2));
    return sheet.found("route", `${hit.group(1).toUpperCase()} ${path}`, hit.lineOf(1), hit.group(1), {
      by: "nestjs",
      basis: "coded",
      says: hit.group(3),
    });
  });
}

/** In Next.js the path of a file is its route. */
function fileRoutes(sheet: Sheet): Finding[] {
  const place = /(?:^|\/)app\/(.*\/)?route\.[cm]?[jt]s$/.exec(sheet.path);
  if (!place) return [];
  const path = `/${(place[1] ?? "").replace(/\([^)]*\)\//g, "").replace(/\/$/, "")}`;
  return sheet
    .hits(/^export\s+(?:async\s+)?(?:function|const)\s+(GET|POST|PUT|PATCH|DELETE)\b/dgm)
    .map((hit) =>
      sheet.found("route", `${hit.group(1)} ${path}`, hit.lineOf(1), hit.group(1), { by: "next.js", basis: "coded" }),
    );
}

const USE = /\.(?:use|route|register)\(\s*["'`](\/[^"'`\n]*)["'`]\s*,[^\n]*?\b(\w+)(?:\(\s*\))?\s*\)/dg;
const PREFIXED = /\.register\(\s*(\w+)\s*,\s*\{\s*prefix:\s*["'](\/[^"']*)["']/dg;

export function mountsJs(sheet: Sheet): Mount[] {
  const from = new Map(
    [
      ...sheet.hits(/\bimport\s+(?:\{\s*)?(?:\w+\s*,\s*\{\s*)?(\w+)[^"';]{0,300}from\s*["'](\.[^"']+)["']/dg),
      ...sheet.hits(/\b(?:const|let|var)\s+\{?\s*(\w+)[^=\n]*=\s*require\(\s*["'](\.[^"']+)["']/dg),
    ].map((hit) => [hit.group(1), hit.group(2)]),
  );
  const mount = (name: string, prefix: string, line: number): Mount[] => {
    const module = from.get(name);
    return module === undefined
      ? []
      : [{ prefix, line, path: sheet.path, target: resolved(folderOf(sheet.path), module) }];
  };
  return [
    ...sheet.hits(USE).flatMap((hit) => mount(hit.group(2), hit.group(1), hit.lineOf(1))),
    ...sheet.hits(PREFIXED).flatMap((hit) => mount(hit.group(1), hit.group(2), hit.lineOf(2))),
  ];
}

function resolved(folder: string, module: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of module.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/").replace(/\.[cm]?[jt]sx?$/, "");
}
