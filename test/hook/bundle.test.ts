import { build } from "esbuild";
import { expect, test } from "vitest";
import { HOOK_BUNDLES } from "../../scripts/hook-bundle.ts";

test("bundles no schema library, which would double the start-up time", async () => {
  const [hook] = HOOK_BUNDLES;
  const conditions = ["tenon-source"];
  const { metafile } = await build({
    ...hook,
    bundle: true,
    platform: "node",
    conditions,
    metafile: true,
    write: false,
  });
  const packages = Object.keys(metafile.inputs).filter((path) => path.includes("node_modules/"));
  expect(packages).toEqual([]);
});
