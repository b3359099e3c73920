import { isTestPath } from "../scan/test-path.ts";
import { findGoRoutes } from "./code/routes-go.ts";
import { findJsRoutes } from "./code/routes-js.ts";
import { findPatternRoutes, findSpringRoutes } from "./code/routes-other.ts";
import { findPythonRoutes } from "./code/routes-python.ts";
import { findRustRoutes } from "./code/routes-rust.ts";
import type { CodeFinding } from "./finding.ts";
import { ScannedFile, blankComments } from "./sheet.ts";

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
