import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";
import { joinRoutePaths } from "./mount.ts";

const GO_FRAMEWORKS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/gin-gonic\/gin"/, "gin"],
  [/labstack\/echo(?:\/v\d+)?"/, "echo"],
  [/go-chi\/chi(?:\/v\d+)?"/, "chi"],
  [/gofiber\/fiber(?:\/v\d+)?"/, "fiber"],
  [/gorilla\/mux"/, "gorilla"],
];

const GO_ROUTE_GROUP = /\b(\w+)\s*:?=\s*(\w+)\.Group\("(\/[^"]*)"/;
const GO_ROUTE_CALL =
  /\b(\w+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(\s*"(\/[^"]*)"\s*,\s*(?:[\w.()]+\s*,\s*)*([\w.]+)?/;
const GO_HANDLE_CALL =
  /\bHandle(?:Func)?\(\s*"(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?(\/[^"]*)"\s*,\s*([\w.]+)?/;
const CHI_ROUTE_SCOPE = /\.Route\(\s*"(\/[^"]*)"\s*,\s*func\b/;

/** Line by line, because a group or scope above changes the paths below it. */
export function findGoRoutes(sheet: ScannedFile): CodeFinding[] {
  const by = GO_FRAMEWORKS.find(([pattern]) => pattern.test(sheet.text))?.[1] ?? "net/http";
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
      found.push(
        sheet.found("route", `${verb.toUpperCase()} ${at}`, i + 1, own, { by, basis: "coded", says: handler }),
      );
    } else if (pattern !== undefined) {
      const said = /\.Methods\("(\w+)"/.exec(line)?.[1];
      found.push(
        sheet.found("route", `${method ?? said ?? "ANY"} ${joinRoutePaths(scope, pattern)}`, i + 1, pattern, {
          by,
          basis: "coded",
          says: target,
        }),
      );
    }
    const prefix = CHI_ROUTE_SCOPE.exec(line)?.[1];
    if (prefix !== undefined) scopes.push({ prefix, depth });
    depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
    while (scopes.length > 0 && depth <= (scopes.at(-1)?.depth ?? 0)) scopes.pop();
  }
  return found;
}
