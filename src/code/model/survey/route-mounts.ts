import { type CodeFinding, joinRoutePaths, type ScannedFile } from "./code-finding.ts";
import { getParentFolder } from "./file-selection.ts";

/** A path below which another file, the target without its ending, serves routes. Python imports by name only. */
export type RouteMount = Readonly<{ prefix: string; path: string; line: number; target: string; constant?: string }>;

const MAX_MOUNT_DEPTH = 8;

/** Adds the prefixes under which other files mount routes. A file mounted twice keeps its own paths. */
export function applyRouteMounts(
  routes: readonly CodeFinding[],
  mounts: readonly RouteMount[],
  constants: ReadonlyMap<string, string> = new Map(),
): CodeFinding[] {
  const findMount = (file: string): RouteMount | undefined => {
    const stem = file.replace(/\.\w+$/, "").replace(/\/(?:index|__init__|mod)$/, "");
    const [mount, second] = mounts.filter(
      ({ target, path }) =>
        path !== file && (stem === target || (!target.includes("/") && stem.endsWith(`/${target}`))),
    );
    return second === undefined ? mount : undefined;
  };
  return routes.map((route) => {
    let file = route.path;
    const [method = "", own = ""] = route.name.split(" ");
    let path = own;
    const links: { path: string; line: number }[] = [];
    for (let depth = 0; depth < MAX_MOUNT_DEPTH && route.basis === "coded"; depth++) {
      const mount = findMount(file);
      const prefix = mount?.constant === undefined ? mount?.prefix : constants.get(mount.constant);
      if (mount === undefined || prefix === undefined) break;
      if (prefix !== "") links.push({ path: mount.path, line: mount.line });
      path = joinRoutePaths(prefix, path);
      file = mount.path;
    }
    if (links.length === 0) return route;
    return { ...route, name: `${method} ${path}`, also: [...(route.also ?? []), ...links] };
  });
}

const JS_MOUNT_CALL =
  /(?:\b(\w+)\s*)?\.(?:use|route|register)\(\s*(?:["'`](\/[^"'`\n]*)["'`]\s*,[^\n]*?)?\b(\w+)(?:\(\s*\))?\s*\)/dg;
const FASTIFY_PREFIX = /\.register\(\s*(\w+)\s*,\s*\{\s*prefix:\s*["'](\/[^"']*)["']/dg;
const JS_ROUTER_CHAIN = /\b(?:const|let|var)\s+(\w+)[^=\n]{0,80}=[^;]{0,2000}$/;

export function findJsMounts(sheet: ScannedFile): RouteMount[] {
  const from = new Map(
    [
      ...sheet.hits(/\bimport\s+(?:\{\s*)?(?:\w+\s*,\s*\{\s*)?(\w+)[^"';]{0,300}from\s*["'](\.[^"']+)["']/dg),
      ...sheet.hits(/\b(?:const|let|var)\s+\{?\s*(\w+)[^=\n]*=\s*require\(\s*["'](\.[^"']+)["']/dg),
    ].map((hit) => [hit.group(1), hit.group(2)]),
  );
  const mount = (name: string, prefix: string, line: number): RouteMount[] => {
    const parts = getParentFolder(sheet.path).split("/").filter(Boolean);
    for (const part of from.get(name)?.split("/") ?? []) {
      if (part === "..") parts.pop();
      else if (part !== ".") parts.push(part);
    }
    const target = parts.join("/").replace(/\.[cm]?[jt]sx?$/, "");
    return from.has(name) ? [{ prefix, line, path: sheet.path, target }] : [];
  };
  const calls = sheet.hits(JS_MOUNT_CALL);
  // Routers of this file that another one here is mounted below: `app.use("/api", api)`.
  const local = new Map(
    calls.flatMap((hit) => (from.has(hit.group(3)) ? [] : [[hit.group(3), hit.group(2)] as const])),
  );
  return [
    ...calls.flatMap((hit) => {
      const chain = JS_ROUTER_CHAIN.exec(sheet.text.slice(Math.max(0, hit.from - 2_000), hit.from))?.[1];
      const around = local.get(hit.group(1)) ?? local.get(chain ?? "") ?? "";
      const prefix = around === "" ? hit.group(2) : joinRoutePaths(around, hit.group(2));
      return mount(hit.group(3), prefix, hit.lineOf(3));
    }),
    ...sheet.hits(FASTIFY_PREFIX).flatMap((hit) => mount(hit.group(1), hit.group(2), hit.lineOf(2))),
  ];
}

/** `app.include_router(orders.router, prefix="/api")`. A prefix may be a constant; without one, the file's own applies. */
export function findPythonMounts(sheet: ScannedFile): RouteMount[] {
  const from = new Map(
    sheet
      .hits(/^from[ \t]+(\S+)[ \t]+import[ \t]+(\([^)]{0,2000}\)|[^\n#]+)/dgm)
      .flatMap((hit) =>
        [...hit.group(2).matchAll(/(\w+)(?:\s+as\s+(\w+))?/g)].map(([, name = "", alias]): [string, string[]] => [
          alias ?? name,
          [hit.group(1).replace(/^\.+/, ""), name],
        ]),
      ),
  );
  return sheet
    .hits(/\.(?:include_router|register_blueprint)\(\s*(\w+)(\.\w+)?\s*(?:,([^()]{0,300}))?\)/dg)
    .flatMap((hit) => {
      const [name, rest] = [hit.group(1), hit.group(3)];
      const [module = "", imported = name] = from.get(name) ?? [];
      // `items.router` is of the module `items`; a bare `router` of the module that it comes from.
      const target = hit.group(2) === "" && module !== "" ? module.split(".").at(-1) : imported;
      const [, quoted, constant] = /\bprefix\s*=\s*(?:f?["']([^"']*)["']|([\w.]+))/.exec(rest) ?? [];
      return [
        {
          prefix: quoted ?? "",
          path: sheet.path,
          line: hit.lineOf(1),
          target: target ?? name,
          ...(constant === undefined ? {} : { constant: constant.split(".").at(-1) ?? constant }),
        },
      ];
    });
}

/** `API_V1_STR: str = "/api/v1"`. */
export const findRoutePrefixConstants = (sheet: ScannedFile): [string, string][] =>
  sheet
    .hits(/^[ \t]*(?:(?:export[ \t]+)?const[ \t]+)?([A-Z][A-Z0-9_]+)\s*(?::[^=\n]+)?=\s*["'](\/[^"'\n]*)["']/dgm)
    .map((hit) => [hit.group(1), hit.group(2)]);
