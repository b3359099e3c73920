import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";
import { joinRoutePaths } from "./mount.ts";

const SPRING_MAPPING =
  /@(Get|Post|Put|Patch|Delete|Request)Mapping\b(?:\(([^)]{0,300})\))?(?:\s*@[\w.]+(?:\([^)\n]*\))?){0,8}\s*(?:(?:public|protected|private|final|abstract|open|suspend|data)\s+){0,4}(class|interface|fun)?\s*([^;{(=]{0,200})/dg;

/** In Spring the mapping of a class prefixes those of its methods. */
export function findSpringRoutes(sheet: ScannedFile): CodeFinding[] {
  let prefix = "";
  return sheet.hits(SPRING_MAPPING).flatMap((hit) => {
    const said = hit.group(2);
    const path = /["']([^"']*)["']/.exec(said)?.[1] ?? "";
    if (/^(?:class|interface)$/.test(hit.group(3))) {
      prefix = path;
      return [];
    }
    const verb =
      hit.group(1) === "Request" ? (/RequestMethod\.(\w+)/.exec(said)?.[1] ?? "ANY") : hit.group(1).toUpperCase();
    const handler = /(\w+)\s*$/.exec(hit.group(4))?.[1];
    return [
      sheet.found("route", `${verb} ${joinRoutePaths(prefix, path)}`, hit.lineOf(1), hit.group(1), {
        by: "spring",
        basis: "coded",
        says: handler,
      }),
    ];
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

export function findPatternRoutes(sheet: ScannedFile): CodeFinding[] {
  return ROUTE_PATTERNS.filter(([path]) => path.test(sheet.path)).flatMap(([, pattern, by]) =>
    sheet.hits(pattern).map((hit) => {
      const method = /^resources?$/.test(hit.group(1)) ? "ANY" : hit.group(1).toUpperCase();
      return sheet.found("route", `${method} ${joinRoutePaths("", hit.group(2))}`, hit.lineOf(2), hit.group(2), {
        by,
        basis: "coded",
        says: hit.group(3),
      });
    }),
  );
}
