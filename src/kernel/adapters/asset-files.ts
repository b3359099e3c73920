import fs from "node:fs";
import type { AssetStore } from "../operations/engine.ts";

const YAML_ASSET = /^(?:ci\/|stacks\/|templates\/(?:config$|feature\/tasks$|spec\/))/;
const SCRIPT_ASSET = /-plugin$/;
const JSON_ASSET = /^stack-profiles$/;

export function createAssetFiles(folder: URL): AssetStore {
  return {
    text: async (name) => fs.readFileSync(new URL(`${name}.${chooseAssetExtension(name)}`, folder), "utf8"),
  };
}

const chooseAssetExtension = (name: string): string =>
  YAML_ASSET.test(name) ? "yaml" : SCRIPT_ASSET.test(name) ? "js" : JSON_ASSET.test(name) ? "json" : "md";
