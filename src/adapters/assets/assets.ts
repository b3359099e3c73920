import fs from "node:fs";
import type { AssetStore } from "#operations/engine.ts";

const YAML = /^(?:ci\/|stacks\/|templates\/(?:config$|feature\/tasks$|spec\/))/;
const SCRIPT = /-plugin$/;

export function assetsIn(folder: URL): AssetStore {
  return {
    text: async (name) => fs.readFileSync(new URL(`${name}.${endingOf(name)}`, folder), "utf8"),
  };
}

const endingOf = (name: string): string => (YAML.test(name) ? "yaml" : SCRIPT.test(name) ? "js" : "md");
