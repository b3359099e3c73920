/** Bundles everything into dist/: one small entry for commands, one for hooks and one for threads, and a chunk for what each needs. */
import fs from "node:fs";
import { build, type BuildOptions } from "esbuild";
import { copyGrammars } from "./grammars.ts";
import { HOOK_BUNDLES } from "./hook-bundle.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { sdkSlim } from "./sdk-slim.ts";

fs.rmSync("dist", { recursive: true, force: true });
const options: BuildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node22.18",
  conditions: ["tenon-source"],
  legalComments: "none",
};
const chunks: BuildOptions = { ...options, outdir: "dist", format: "esm" };
const first = await build({
  ...chunks,
  minify: false,
  metafile: true,
  write: false,
  entryPoints: { main: "src/main.ts" },
  splitting: true,
  chunkNames: "chunk-[hash]",
  alias: {
    "@modelcontextprotocol/server/_shims": "./src/adapters/mcp/sdk-shims.ts",
    debug: "./src/adapters/secrets/no-debug.ts",
    // Its build for Node asks for modules in a way that a bundle cannot answer.
    yaml: "./node_modules/yaml/browser/index.js",
  },
  plugins: [sdkSlim],
});
await mergeChunks(
  first,
  {
    core: ["src/main.ts"],
    everyday: ["src/workspace.ts", "src/databases.ts", "src/operations/workspace/status.ts"],
  },
  chunks,
);
// On its own: what a thread shares with commands would be cut into more pieces for both.
await build({
  ...options,
  entryPoints: { "outline-worker": "src/adapters/syntax/outline/worker.ts" },
  outdir: "dist",
  format: "esm",
});
for (const bundle of HOOK_BUNDLES) await build({ ...options, ...bundle });
copyGrammars("dist/grammars");
