import type { Finding } from "../finding.ts";
import type { Sheet } from "../sheet.ts";
import { joined, type Mount } from "./mount.ts";

const DECORATOR = /^[ \t]*@(\w+)\.(get|post|put|patch|delete|head|options|websocket)\(\s*["']([^"'\n]*)["']/dgm;
const ROUTE = /^[ \t]*@(\w+)\.route\(\s*["']([^"'\n]*)["'](?:[^)\n]*methods\s*=\s*[[(]([^\])]*)[\])])?/dgm;
const ROUTER = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:APIRouter|Blueprint)\(([^)]{0,500})\)/dgm;
const DJANGO = /\b(?:re_)?path\(\s*r?["']([^"'\n]*)["']\s*,\s*([\w.]+)/dg;

export function routesPython(sheet: Sheet): Finding[] {
  const prefixes = new Map(
    sheet
      .hits(ROUTER)
      .map((hit) => [hit.group(1), /(?:url_)?prefix\s*=\s*["']([^"']*)["']/.exec(hit.group(2))?.[1] ?? ""]),
  );
  const isFlask = /\b(?:from|import)\s+flask\b/.test(sheet.text);
  const by = isFlask ? "flask" : "fastapi";
  const found = (method: string, router: string, path: string, line: number, words: string, from: number): Finding =>
    sheet.found("route", `${method.toUpperCase()} ${joined(prefixes.get(router) ?? "", path)}`, line, words, {
      by,
      basis: "coded",
      says: nextFunction(sheet.text, from),
    });
  return [
    ...sheet
      .hits(DECORATOR)
      .map((hit) => found(hit.group(2), hit.group(1), hit.group(3), hit.lineOf(2), hit.group(2), hit.to)),
    ...sheet.hits(ROUTE).flatMap((hit) => {
      const methods = [...hit.group(3).matchAll(/\w+/g)].map(([method]) => method);
      return (methods.length > 0 ? methods : ["GET"]).map((method) =>
        found(method, hit.group(1), hit.group(2), hit.lineOf(2), hit.group(2), hit.to),
      );
    }),
    ...(/(?:^|\/)urls\.py$/.test(sheet.path) ? django(sheet) : []),
  ];
}

function django(sheet: Sheet): Finding[] {
  return sheet
    .hits(DJANGO)
    .filter((hit) => hit.group(2) !== "include" && !hit.group(2).startsWith("admin."))
    .map((hit) =>
      sheet.found("route", `ANY ${joined("", hit.group(1))}`, hit.lineOf(1), hit.group(1) || hit.group(2), {
        by: "django",
        basis: "coded",
        says: hit.group(2),
      }),
    );
}

const nextFunction = (text: string, from: number): string | undefined =>
  /^[\s\S]{0,600}?\bdef\s+(\w+)/.exec(text.slice(from, from + 800))?.[1];

/** `app.include_router(orders.router, prefix="/api")`. */
export function mountsPython(sheet: Sheet): Mount[] {
  return sheet
    .hits(/\.(?:include_router|register_blueprint)\(\s*(\w+)(?:\.\w+)?\s*,[^)]{0,300}prefix\s*=\s*["']([^"']+)["']/dg)
    .map((hit) => ({ prefix: hit.group(2), path: sheet.path, line: hit.lineOf(2), target: hit.group(1) }));
}
