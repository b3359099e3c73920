import fs from "node:fs";
import type { Plugin } from "esbuild";

const OWN_REQUIRE =
  /const \{ createRequire \} = await import\("module"\);\s*var require = createRequire\(import\.meta\.url\);/;

/**
 * The parser declares a `require` of its own. In a script the import before it becomes a call of `require`, which
 * would then be the parser's, before it has a value.
 */
export const treeSitterPlugin: Plugin = {
  name: "tree-sitter",
  setup(build) {
    build.onLoad({ filter: /\/web-tree-sitter\.js$/ }, ({ path }) => {
      const code = fs.readFileSync(path, "utf8");
      if (!OWN_REQUIRE.test(code)) throw new Error("The parser loads differently: fix scripts/tree-sitter-plugin.ts.");
      const contents = code
        .replace(OWN_REQUIRE, "")
        .replaceAll(/\brequire\(("\w+")\)/g, (_, name: string) => `process.getBuiltinModule(${name})`);
      return { contents, loader: "js" };
    });
  },
};
