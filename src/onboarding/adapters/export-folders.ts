import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { toFileFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { ExportFolders } from "../operations/ports/external-files.ts";

/** Folders relative to the working directory. The new folder appears complete or not at all. */
export const openExportFolders = (cwd: string): ExportFolders => ({
  async write(said, name, files, fix) {
    const target = join(resolve(cwd, said), name);
    if (!isVacant(target)) {
      throw new Fault("export.folder-exists", {
        what: "Nothing was exported.",
        why: `${sanitizeText(target, 200)} exists and is not empty, and it is not written over.`,
        fix,
      });
    }
    let draft: string | undefined;
    try {
      fs.mkdirSync(dirname(target), { recursive: true });
      draft = fs.mkdtempSync(join(dirname(target), `.${name}-`));
      for (const { path, text } of files) {
        const file = join(draft, name, path);
        fs.mkdirSync(dirname(file), { recursive: true });
        fs.writeFileSync(file, text, { flag: "wx" });
      }
      if (fs.existsSync(target)) fs.rmdirSync(target);
      fs.renameSync(join(draft, name), target);
      return target;
    } catch (error) {
      throw toFileFault(error, target, "write");
    } finally {
      if (draft !== undefined) fs.rmSync(draft, { recursive: true, force: true });
    }
  },
});

function isVacant(folder: string): boolean {
  try {
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    return stat === undefined || (stat.isDirectory() && fs.readdirSync(folder).length === 0);
  } catch (error) {
    throw toFileFault(error, folder, "write");
  }
}
