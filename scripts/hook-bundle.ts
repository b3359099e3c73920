import type { BuildOptions, Plugin } from "esbuild";

/**
 * Loads Node's modules for a hook with `process.getBuiltinModule`. An ESM import of `node:fs` also loads its promises,
 * and esbuild's CommonJS wrapper copies every name once per importing file. Both cost a large part of a hook's time
 * budget.
 */
export const builtinsPlugin: Plugin = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin", sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const found = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path) ?? {});
      // A getter, such as `fs.promises`, would load its module.
      const names = Object.keys(found).filter((name) => "value" in (found[name] ?? {}) && /^[A-Za-z]\w*$/.test(name));
      if (LATE_BUILTINS.has(path)) return { contents: exportLateFunctions(path, found) };
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => it.${name})();`);
      return { contents: `const it = process.getBuiltinModule("${path}"); export default it; ${exports.join("\n")}` };
    });
  },
};

/** Modules that cost up to milliseconds to load and that most commands never call. */
const LATE_BUILTINS = new Set(["node:crypto", "node:os", "node:timers/promises"]);

/** The module's functions, each of which loads the module when it is called, and a default export that does so too. */
const exportLateFunctions = (path: string, found: Record<string, PropertyDescriptor>): string =>
  [
    `export default /* @__PURE__ */ new Proxy({}, { get: (_, name) => process.getBuiltinModule("${path}")[name] });`,
    ...Object.keys(found)
      .filter((name) => /^[a-z]\w*$/.test(name) && typeof found[name]?.value === "function")
      .map((name) => `export const ${name} = (...words) => process.getBuiltinModule("${path}").${name}(...words);`),
  ].join("\n");

/** The settings parser is as large as the rest of the hook and is rarely needed. */
const settingsPlugin: Plugin = {
  name: "settings apart",
  setup(build) {
    build.onResolve({ filter: /\/workspace-settings\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./hook-settings.cjs", external: true } : undefined,
    );
  },
};

/** The hook is one small file without a module loader; rarely used code is in a second one. */
export const HOOK_BUNDLES: readonly BuildOptions[] = [
  { entryPoints: { hook: "src/app/hook-entry.ts" }, plugins: [builtinsPlugin, settingsPlugin] },
  { entryPoints: { "hook-settings": "src/store/adapters/workspace-settings.ts" } },
];
