import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";
import { joinRoutePaths, type RouteMount } from "./mount.ts";

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
  const isFlask = /\b(?:from|import)\s+flask\b/.test(sheet.text);
  const by = isFlask ? "flask" : "fastapi";
  const found = (
    method: string,
    router: string,
    path: string,
    line: number,
    words: string,
    from: number,
  ): CodeFinding =>
    sheet.found("route", `${method.toUpperCase()} ${joinRoutePaths(prefixes.get(router) ?? "", path)}`, line, words, {
      by,
      basis: "coded",
      says: findNextFunction(sheet.text, from),
    });
  return [
    ...sheet
      .hits(PYTHON_ROUTE_DECORATOR)
      .map((hit) => found(hit.group(2), hit.group(1), hit.group(3), hit.lineOf(2), hit.group(2), hit.to)),
    ...sheet.hits(FLASK_ROUTE).flatMap((hit) => {
      const methods = [...hit.group(3).matchAll(/\w+/g)].map(([method]) => method);
      return (methods.length > 0 ? methods : ["GET"]).map((method) =>
        found(method, hit.group(1), hit.group(2), hit.lineOf(2), hit.group(2), hit.to),
      );
    }),
    ...(/(?:^|\/)urls\.py$/.test(sheet.path) ? findDjangoRoutes(sheet) : []),
  ];
}

function findDjangoRoutes(sheet: ScannedFile): CodeFinding[] {
  return sheet
    .hits(DJANGO_PATH)
    .filter((hit) => hit.group(2) !== "include" && !hit.group(2).startsWith("admin."))
    .map((hit) =>
      sheet.found("route", `ANY ${joinRoutePaths("", hit.group(1))}`, hit.lineOf(1), hit.group(1) || hit.group(2), {
        by: "django",
        basis: "coded",
        says: hit.group(2),
      }),
    );
}

const findNextFunction = (text: string, from: number): string | undefined =>
  /^[\s\S]{0,600}?\bdef\s+(\w+)/.exec(text.slice(from, from + 800))?.[1];

/** `app.include_router(orders.router, prefix="/api")`. */
export function findPythonMounts(sheet: ScannedFile): RouteMount[] {
  return sheet
    .hits(/\.(?:include_router|register_blueprint)\(\s*(\w+)(?:\.\w+)?\s*,[^)]{0,300}prefix\s*=\s*["']([^"']+)["']/dg)
    .map((hit) => ({ prefix: hit.group(2), path: sheet.path, line: hit.lineOf(2), target: hit.group(1) }));
}
