/** Bundles everything into dist/: one small entry for commands and one for hooks, and a chunk for what each needs. */
import fs from "node:fs";
import { build, type BuildOptions } from "esbuild";
import { sdkSlim } from "./sdk-slim.ts";

fs.rmSync("dist", { recursive: true, force: true });
const options: BuildOptions = {
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node22.18",
  conditions: ["tenon-source"],
  legalComments: "none",
  chunkNames: "chunk-[hash]",
  alias: {
    "@modelcontextprotocol/server/_shims": "./src/adapters/mcp/sdk-shims.ts",
    debug: "./src/adapters/secrets/no-debug.ts",
    // Its build for Node asks for modules in a way that a bundle cannot answer.
    yaml: "./node_modules/yaml/browser/index.js",
  },
  plugins: [sdkSlim],
};
await build({ ...options, entryPoints: { main: "src/main.ts" } });
// By itself: what it shared with the other would be one more file to load, at every edit.
await build({ ...options, entryPoints: { hook: "src/hook.ts" } });
