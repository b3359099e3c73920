import { isTestPath } from "../scan/test-path.ts";
import { routesGo } from "./code/routes-go.ts";
import { routesJs } from "./code/routes-js.ts";
import { routesOther, routesSpring } from "./code/routes-other.ts";
import { routesPython } from "./code/routes-python.ts";
import { routesRust } from "./code/routes-rust.ts";
import type { Finding } from "./finding.ts";
import { Sheet, withoutComments } from "./sheet.ts";

/** Files of a language, a quick test for route code, and the recognizer. */
type Row = readonly [path: RegExp, hint: RegExp, recogniser: (sheet: Sheet) => Finding[]];

const ANY = /(?:)/;
const ROWS: readonly Row[] = [
  [/(?:^|\/)app\/(?:.*\/)?route\.[cm]?[jt]s$/, ANY, routesJs],
  [
    /\.[cm]?[jt]sx?$/,
    /["'](?:express|fastify|koa|koa-router|@koa\/router|hono|@nestjs\/common)["']|\b(?:app|router|fastify|server)\s*\.\s*(?:get|post|put|patch|delete|head|options|all)\b/,
    routesJs,
  ],
  [/(?:^|\/)urls\.py$/, ANY, routesPython],
  [/\.py$/, /^[ \t]*@\w+\.(?:get|post|put|patch|delete|head|options|websocket|route)\(/m, routesPython],
  [
    /\.go$/,
    /\bHandle(?:Func)?\(|\.(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(/,
    routesGo,
  ],
  [/\.rs$/, /\.route\(|#\[(?:get|post|put|patch|delete|head)\(/, routesRust],
  [/\.(?:java|kt)$/, /@(?:Get|Post|Put|Patch|Delete|Request)Mapping\b/, routesSpring],
  [/(?:^|\/)routes\.rb$|(?:^|\/)routes\/[^/]+\.php$|router\.exs?$/, ANY, routesOther],
  [/\.cs$/, /\bMap(?:Get|Post|Put|Patch|Delete)\(|\[Http(?:Get|Post|Put|Patch|Delete)\(/, routesOther],
];

const rowOf = (path: string): Row | undefined => ROWS.find(([name]) => name.test(path));

export const routesOn = (sheet: Sheet): Finding[] => rowOf(sheet.path)?.[2](sheet) ?? [];

/** The routes that a file serves; none for tests. The quick test rules out most files. */
export function routesIn(path: string, text: string): Finding[] {
  const row = rowOf(path);
  if (row === undefined || isTestPath(path) || !row[1].test(text)) return [];
  return row[2](new Sheet(path, withoutComments(path, text.replaceAll("\r\n", "\n"))));
}
