import fs from "node:fs";
import type { Assets } from "#operations/engine.ts";

/** The texts in a folder, read when they are asked for. */
export function assetsIn(folder: URL): Assets {
  return {
    text: async (name) =>
      fs.readFileSync(new URL(`${name}.${name === "templates/config" ? "yaml" : "md"}`, folder), "utf8"),
  };
}
