import fs from "node:fs";
import { join } from "node:path";
import type { ScratchFolder } from "#operations/ports/runner.ts";
import { createRunFolder } from "./leftovers.ts";

/** Only the user can read this folder: test reports may contain secrets. */
export async function createScratchFolder(): Promise<ScratchFolder> {
  const folder = await createRunFolder();
  return {
    folder,
    async text(names, most) {
      for (const name of names) {
        const stat = fs.lstatSync(join(folder, name), { throwIfNoEntry: false });
        if (stat?.isFile() && stat.size <= most) return fs.readFileSync(join(folder, name), "utf8");
      }
      return undefined;
    },
    [Symbol.asyncDispose]: async () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
