import fs from "node:fs";
import type { Assets } from "#operations/engine.ts";

/** What is not Markdown. */
const YAML = /^(?:ci\/|stacks\/|templates\/(?:config$|feature\/tasks$|spec\/))/;

/** The texts in a folder, read when they are asked for. */
export function assetsIn(folder: URL): Assets {
  return {
    text: async (name) => fs.readFileSync(new URL(`${name}.${YAML.test(name) ? "yaml" : "md"}`, folder), "utf8"),
  };
}
