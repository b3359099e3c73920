/** Bundles the product into dist/: small entries for commands, hooks and threads, and shared chunks. */
import fs from "node:fs";
import { build, type Metafile } from "esbuild";
import { FINAL_BUNDLES, MAIN_BUNDLE, scriptOptions } from "./bundles.ts";
import { copyGrammars, GRAMMAR_PACKAGES } from "./grammars.ts";
import { packPage } from "./pack-page.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { stampScripts } from "./stamp-scripts.ts";
import { createNotices, listBundledFolders, NOTICES_FILE } from "./third-party-notices.ts";

fs.rmSync("dist", { recursive: true, force: true });
const firstBuild = await build(MAIN_BUNDLE);
await mergeChunks(
  firstBuild,
  {
    core: ["src/app/main.ts"],
    everyday: [
      "src/app/open-workspace.ts",
      "src/app/open-databases.ts",
      "src/onboarding/operations/workspace/show-workspace-status.ts",
    ],
    // The schema library, which `status` does without.
    records: ["src/planning/operations/change/change-records.ts"],
    validate: ["src/onboarding/operations/workspace/validate-workspace.ts"],
    mcp: ["src/doors/mcp/mcp-server.ts", "src/doors/mcp/tool-table.ts", "src/doors/cli/utility-commands.ts"],
  },
  scriptOptions,
);
const metafiles: Metafile[] = [firstBuild.metafile];
for (const bundle of FINAL_BUNDLES) metafiles.push((await build({ ...bundle, metafile: true })).metafile);
stampScripts("dist");
copyGrammars("dist/grammars");
packPage("src/doors/page/index.html", "dist/page");
const folders = [...listBundledFolders(metafiles), ...GRAMMAR_PACKAGES.map((name) => `node_modules/${name}`)];
fs.writeFileSync(NOTICES_FILE, createNotices(folders));
