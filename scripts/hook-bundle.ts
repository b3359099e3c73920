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
      const exports = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => it.${name})();`);
      return { contents: `const it = process.getBuiltinModule("${path}"); export default it; ${exports.join("\n")}` };
    });
  },
};

/** The settings parser is as large as the rest of the hook and is rarely needed. */
const settingsPlugin: Plugin = {
  name: "settings apart",
  setup(build) {
    build.onResolve({ filter: /\/workspace-settings\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./hook-settings.cjs", external: true } : undefined,
    );
  },
};

const hookOptions: BuildOptions = { outdir: "dist", outExtension: { ".js": ".cjs" }, format: "cjs" };

/** The hook is one small file without a module loader; rarely used code is in a second one. */
export const HOOK_BUNDLES: readonly BuildOptions[] = [
  {
    ...hookOptions,
    entryPoints: { hook: "src/app/hook-entry.ts" },
    plugins: [builtinsPlugin, settingsPlugin],
    define: { "import.meta.dirname": "__dirname" },
  },
  { ...hookOptions, entryPoints: { "hook-settings": "src/store/adapters/workspace-settings.ts" } },
];
