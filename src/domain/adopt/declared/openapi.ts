import type { CodeFinding } from "../finding.ts";
import type { ScannedFile } from "../sheet.ts";

export const isOpenApiPath = (path: string): boolean =>
  /(?:^|\/)(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$/i.test(path);

const OPENAPI_METHOD = /^(get|post|put|patch|delete|head|options)$/;

/** The operations of an API description: path keys and the methods one level below. */
export function findOpenApiRoutes(sheet: ScannedFile): CodeFinding[] {
  const found: CodeFinding[] = [];
  let isInside = false;
  let top = -1;
  let path: { name: string; indent: number; methods: number } | undefined;
  for (const [i, line] of sheet.lines.entries()) {
    const [, space = "", key] = /^([ \t]*)["']?([\w/{}.:~-]+)["']?\s*:/.exec(line) ?? [];
    if (key === undefined) continue;
    const indent = space.length;
    if (key === "paths" && !isInside) {
      isInside = true;
      top = indent;
    } else if (isInside && indent <= top) isInside = false;
    else if (isInside && key.startsWith("/")) path = { name: key, indent, methods: -1 };
    else if (isInside && path && indent > path.indent && OPENAPI_METHOD.test(key)) {
      if (path.methods < 0) path.methods = indent;
      if (indent !== path.methods) continue;
      const says = findOperationId(sheet.lines.slice(i + 1, i + 8));
      found.push(
        sheet.found("route", `${key.toUpperCase()} ${path.name}`, i + 1, key, {
          by: "openapi",
          basis: "declared",
          says,
        }),
      );
    }
  }
  return found;
}

const findOperationId = (below: readonly string[]): string | undefined =>
  below.map((line) => /^\s*["']?operationId["']?:\s*["']?([\w.-]+)/.exec(line)?.[1]).find((name) => name !== undefined);
