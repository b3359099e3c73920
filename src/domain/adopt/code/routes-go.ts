import type { Finding } from "../finding.ts";
import type { Sheet } from "../sheet.ts";
import { joined } from "./mount.ts";

const FRAMEWORKS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/gin-gonic\/gin"/, "gin"],
  [/labstack\/echo(?:\/v\d+)?"/, "echo"],
  [/go-chi\/chi(?:\/v\d+)?"/, "chi"],
  [/gofiber\/fiber(?:\/v\d+)?"/, "fiber"],
  [/gorilla\/mux"/, "gorilla"],
];

const GROUP = /\b(\w+)\s*:?=\s*(\w+)\.Group\("(\/[^"]*)"/;
const CALL =
  /\b(\w+)\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete)\(\s*"(\/[^"]*)"\s*,\s*(?:[\w.()]+\s*,\s*)*([\w.]+)?/;
const HANDLE = /\bHandle(?:Func)?\(\s*"(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?(\/[^"]*)"\s*,\s*([\w.]+)?/;
const SCOPE = /\.Route\(\s*"(\/[^"]*)"\s*,\s*func\b/;

/** Line by line, because a group or scope above changes the paths below it. */
export function routesGo(sheet: Sheet): Finding[] {
  const by = FRAMEWORKS.find(([pattern]) => pattern.test(sheet.text))?.[1] ?? "net/http";
  const groups = new Map<string, string>();
  const scopes: { prefix: string; depth: number }[] = [];
  const found: Finding[] = [];
  let depth = 0;
  for (const [i, line] of sheet.lines.entries()) {
    const [, name, parent = "", path = ""] = GROUP.exec(line) ?? [];
    if (name !== undefined) groups.set(name, joined(groups.get(parent) ?? "", path));
    const scope = scopes.map(({ prefix }) => prefix).join("");
    const [, router = "", verb, own = "", handler] = CALL.exec(line) ?? [];
    const [, method, pattern, target] = HANDLE.exec(line) ?? [];
    if (verb !== undefined && by !== "net/http") {
      const at = joined(groups.get(router) ?? scope, own);
      found.push(
        sheet.found("route", `${verb.toUpperCase()} ${at}`, i + 1, own, { by, basis: "coded", says: handler }),
      );
    } else if (pattern !== undefined) {
      const said = /\.Methods\("(\w+)"/.exec(line)?.[1];
      found.push(
        sheet.found("route", `${method ?? said ?? "ANY"} ${joined(scope, pattern)}`, i + 1, pattern, {
          by,
          basis: "coded",
          says: target,
        }),
      );
    }
    const prefix = SCOPE.exec(line)?.[1];
    if (prefix !== undefined) scopes.push({ prefix, depth });
    depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
    while (scopes.length > 0 && depth <= (scopes.at(-1)?.depth ?? 0)) scopes.pop();
  }
  return found;
}
