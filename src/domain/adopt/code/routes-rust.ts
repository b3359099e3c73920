import type { CodeFinding } from "../finding.ts";
import { findBlockEnd, type ScannedFile } from "../sheet.ts";
import { joinRoutePaths } from "./mount.ts";

const AXUM_ROUTE = /\.route\(\s*"(\/[^"]*)"/dg;
const AXUM_NEST = /\.nest\(\s*"(\/[^"]*)"\s*,\s*(\w+)\(/dg;
const RUST_ROUTE_ATTRIBUTE =
  /#\[(get|post|put|patch|delete|head)\(\s*"(\/[^"\n]*)"[^\]\n]*\)\](?:\s*#\[[^\]\n]*\]){0,8}\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/dg;

export function findRustRoutes(sheet: ScannedFile): CodeFinding[] {
  const isRocket = /\brocket\b/.test(sheet.text);
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
          sheet.found(
            "route",
            `${method.toUpperCase()} ${joinRoutePaths(prefix, hit.group(1))}`,
            hit.lineOf(1),
            hit.group(1),
            {
              by: "axum",
              basis: "coded",
              says: handler,
            },
          ),
      );
    }),
    ...sheet.hits(RUST_ROUTE_ATTRIBUTE).map((hit) =>
      sheet.found("route", `${hit.group(1).toUpperCase()} ${hit.group(2)}`, hit.lineOf(2), hit.group(2), {
        by: isRocket ? "rocket" : "actix",
        basis: "coded",
        says: hit.group(3),
      }),
    ),
  ];
}
