/** Bundles the product into dist/: small entries for commands, hooks and threads, and shared chunks. */
import fs from "node:fs";
import { build, type BuildOptions } from "esbuild";
import { copyGrammars } from "./grammars.ts";
import { HOOK_BUNDLES } from "./hook-bundle.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { sdkSlimPlugin } from "./sdk-slim.ts";

fs.rmSync("dist", { recursive: true, force: true });
const buildOptions: BuildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node22.18",
  conditions: ["tenon-source"],
  legalComments: "none",
};
const chunkOptions: BuildOptions = { ...buildOptions, outdir: "dist", format: "esm" };
const firstBuild = await build({
  ...chunkOptions,
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
  plugins: [sdkSlimPlugin],
});
await mergeChunks(
  firstBuild,
  {
    core: ["src/app/main.ts"],
    everyday: [
      "src/app/open-workspace.ts",
      "src/app/open-databases.ts",
      "src/onboarding/operations/workspace/show-workspace-status.ts",
    ],
  },
  chunkOptions,
);
// Bundled separately: sharing code with commands would split both into more chunks.
await build({
  ...buildOptions,
  entryPoints: { "outline-worker": "src/code/adapters/outline/worker.ts" },
  outdir: "dist",
  format: "esm",
});
for (const bundle of HOOK_BUNDLES) await build({ ...buildOptions, ...bundle });
copyGrammars("dist/grammars");
