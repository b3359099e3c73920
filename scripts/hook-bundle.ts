import type { BuildOptions, Plugin } from "esbuild";

/**
 * Node's own modules as a hook takes them. An ESM import of `node:fs` loads its promises too, and what esbuild makes of a
 * CommonJS one copies every name for each file that asks: each costs a hook a good part of its budget.
 */
export const builtins: Plugin = {
  name: "builtins",
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin", sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const found = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path) ?? {});
      // A getter, as that of the promises, loads what it gives.
      const names = Object.keys(found).filter((name) => "value" in (found[name] ?? {}) && /^[A-Za-z]\w*$/.test(name));
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => it.${name})();`);
      return { contents: `const it = process.getBuiltinModule("${path}"); export default it; ${exports.join("\n")}` };
    });
  },
};

/** The parser of settings is as large as all the rest, and is asked for once in a long conversation. */
const settingsApart: Plugin = {
  name: "settings apart",
  setup(build) {
    build.onResolve({ filter: /\/settings\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./hook-settings.cjs", external: true } : undefined,
    );
  },
};

const common: BuildOptions = { outdir: "dist", outExtension: { ".js": ".cjs" }, format: "cjs" };

/** One small file that needs no loader of modules, and one for what it hardly ever needs. */
export const HOOK_BUNDLES: readonly BuildOptions[] = [
  {
    ...common,
    entryPoints: { hook: "src/hook.ts" },
    plugins: [builtins, settingsApart],
    define: { "import.meta.dirname": "__dirname" },
  },
  { ...common, entryPoints: { "hook-settings": "src/adapters/workspace/settings.ts" } },
];
