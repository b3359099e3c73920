import type { ScratchFolder } from "#kernel/operations/ports/runner.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import type { FolderStack } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";

const MAX_IMPORT_LIST_BYTES = 4 * 1024 * 1024;
const MAX_LISTED_MODULES = 3;

/** Also past an editable install, which names the working files. Every process lists modules taken from there. */
export async function isolatePythonImports(
  { assets, root: working }: Pick<CheckingEngine, "assets" | "root">,
  scratch: ScratchFolder,
  root: string,
  { directory, source_files }: FolderStack,
) {
  if (!source_files.some((glob) => glob.endsWith(".py"))) return undefined;
  await scratch.put("python/sitecustomize.py", await assets.text("reporters/sitecustomize"));
  return {
    variables: {
      PYTHONPATH: `${scratch.folder}/python`,
      TENON_WORKING_FILES: working,
      TENON_CHECKOUT: root,
      TENON_FOLDER: directory === "." ? root : `${root}/${directory}`,
      TENON_IMPORTS: `${scratch.folder}/imports`,
    },
    /** Why the run proves nothing about the checkout, with the remedy. */
    async findLeak(): Promise<string | undefined> {
      const lines = (await scratch.text(["imports"], MAX_IMPORT_LIST_BYTES))?.split("\n") ?? [];
      const leaked = [...new Set(lines.flatMap((line) => /^working (.+)$/.exec(line)?.[1] ?? []))];
      if (leaked.length > 0)
        return `Python imported ${formatShortList(leaked, MAX_LISTED_MODULES)} from the working files instead of the files without the work, so the tests prove nothing. ${REMEDY}`;
      return lines.includes("started")
        ? undefined
        : `Python ignores PYTHONPATH here (-I or -E), so it may import the working files instead of the files without the work. ${REMEDY}`;
    },
  };
}

const REMEDY = "Move the new code aside, run `tenon evidence`, and put it back.";
