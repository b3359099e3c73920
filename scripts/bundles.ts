import type { BuildOptions } from "esbuild";
import { HOOK_BUNDLES } from "./hook-bundle.ts";
import { sdkSlimPlugin, zodMiniPlugin } from "./sdk-slim.ts";
import { treeSitterPlugin } from "./tree-sitter-plugin.ts";

const commonOptions: BuildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node22.18",
  // Node has them. Without this, esbuild writes `new RegExp(…)`, which parses the pattern at every use.
  supported: { "regexp-unicode-property-escapes": true },
  conditions: ["tenon-source"],
  legalComments: "none",
};

const moduleOptions: BuildOptions = { ...commonOptions, outdir: "dist", format: "esm" };

/** `bin/tenon.js` loads these files. It compiles scripts, so each import is a call of its `require`. */
export const scriptOptions: BuildOptions = {
  ...commonOptions,
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  supported: { ...commonOptions.supported, "dynamic-import": false },
  define: { "import.meta.url": "module.url", "import.meta.dirname": "__dirname" },
};

/** The commands and the MCP server. Its chunks are merged and minified in a second step. */
export const MAIN_BUNDLE = {
  ...moduleOptions,
  minify: false,
  metafile: true,
  write: false,
  entryPoints: { main: "src/app/main.ts" },
  splitting: true,
  chunkNames: "chunk-[hash]",
  alias: {
    "@modelcontextprotocol/server/_shims": "./src/doors/mcp/sdk-shims.ts",
    debug: "./src/kernel/adapters/no-debug.ts",
    // Their Node builds load modules in a way that a bundle cannot resolve.
    yaml: "./node_modules/yaml/browser/index.js",
    "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js",
  },
  plugins: [zodMiniPlugin, sdkSlimPlugin, treeSitterPlugin],
} satisfies BuildOptions;

/** Bundled separately: sharing code with commands would split both into more chunks. */
const workerBundle: BuildOptions = {
  ...moduleOptions,
  entryPoints: { "outline-worker": "src/code/adapters/outline/worker.ts" },
  plugins: [treeSitterPlugin],
};

/** A process of its own, because an agent outlives Tenon. */
const acpBundle: BuildOptions = { ...moduleOptions, entryPoints: { "acp-agent": "src/app/acp-entry.ts" } };

/** The page of `tenon ui`, which runs in a browser. */
const pageBundle: BuildOptions = {
  bundle: true,
  minify: true,
  entryPoints: { page: "src/doors/page/main.tsx" },
  outdir: "dist/page",
  // A module does not load from a file, as in a snapshot.
  format: "iife",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
};

/** The bundles that one build writes to `dist`. */
export const FINAL_BUNDLES: readonly BuildOptions[] = [
  workerBundle,
  acpBundle,
  pageBundle,
  ...HOOK_BUNDLES.map((bundle) => ({ ...scriptOptions, ...bundle })),
];
