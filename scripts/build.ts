/** Bundles everything into dist/: one small entry, and a chunk for what each command needs. */
import fs from "node:fs";
import { build } from "esbuild";
import { sdkSlim } from "./sdk-slim.ts";

fs.rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: { main: "src/main.ts" },
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
});
