import fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";

/** A copy of the built package with something missing, which no user could mend: what happens then is a defect. */
export function brokenPackage(...missing: readonly string[]): Disposable & { readonly path: string } {
  const folder = temporaryFolder();
  for (const name of ["bin", "dist", "assets", "package.json"]) {
    fs.cpSync(join(process.cwd(), name), join(folder.path, name), { recursive: true });
  }
  for (const name of missing) fs.rmSync(join(folder.path, name), { recursive: true });
  return folder;
}
