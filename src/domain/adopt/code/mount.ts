import type { CodeFinding } from "../finding.ts";

/** A path below which the routes of another file are served. */
export interface RouteMount {
  readonly prefix: string;
  readonly path: string;
  readonly line: number;
  /** The file's path without its ending, or only its last part for languages that import by name. */
  readonly target: string;
}

export function joinRoutePaths(prefix: string, path: string): string {
  const whole = `${prefix.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`.replace(/(?<=.)\/$/, "");
  return whole.startsWith("/") ? whole : `/${whole}`;
}

/** Adds the prefixes under which other files mount routes. A file mounted twice keeps its own paths. */
export function applyRouteMounts(routes: readonly CodeFinding[], mounts: readonly RouteMount[]): CodeFinding[] {
  return routes.map((route) => {
    const stem = route.path.replace(/\.\w+$/, "").replace(/\/(?:index|__init__|mod)$/, "");
    const own = mounts.filter(
      ({ target }) => stem === target || (!target.includes("/") && stem.endsWith(`/${target}`)),
    );
    const [mount] = own;
    if (!mount || own.length > 1 || route.basis !== "coded") return route;
    const [method = "", path = ""] = route.name.split(" ");
    return {
      ...route,
      name: `${method} ${joinRoutePaths(mount.prefix, path)}`,
      also: [...(route.also ?? []), { path: mount.path, line: mount.line }],
    };
  });
}

export function mergeRouteFindings(routes: readonly CodeFinding[]): CodeFinding[] {
  const merged = new Map<string, CodeFinding>();
  for (const route of routes) {
    const key = route.name.replace(/:(\w+)|\{[^}]*\}|<[^>]*>|\[[^\]]*\]/g, "{}").replace(/(?<=[^ ])\/$/, "");
    const first = merged.get(key);
    const links = [{ path: route.path, line: route.line }, ...(route.also ?? [])];
    if (!first) merged.set(key, route);
    else if (first.path !== route.path)
      merged.set(key, {
        ...first,
        also: [...(first.also ?? []), ...links],
        ...(first.says === undefined && route.says !== undefined ? { says: route.says } : {}),
      });
  }
  return [...merged.values()];
}
