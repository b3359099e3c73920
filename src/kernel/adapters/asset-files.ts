import fs from "node:fs";
import type { AssetStore } from "../operations/engine.ts";

const ASSET_EXTENSIONS: readonly (readonly [name: RegExp, extension: string])[] = [
  [/^ci\/pre-receive$/, "sh"],
  [/^(?:ci\/|stacks\/|templates\/(?:config$|feature\/tasks$|spec\/))/, "yaml"],
  [/-plugin$/, "js"],
  [/^reporters\/(?:unittest|sitecustomize)$/, "py"],
  [/^reporters\/minitest$/, "rb"],
  [/^reporters\//, "cjs"],
  [/^stack-profiles$/, "json"],
];

export const createAssetFiles = (folder: URL): AssetStore => ({
  text: async (name) => {
    const [, extension = "md"] = ASSET_EXTENSIONS.find(([pattern]) => pattern.test(name)) ?? [];
    return fs.readFileSync(new URL(`${name}.${extension}`, folder), "utf8");
  },
});
