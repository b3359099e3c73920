import { parseJsonc } from "../manifest/jsonc.ts";
import { readTreeSection, listStringItems } from "../manifest/manifest.ts";
import { resolveWorkspacePath } from "../script/files-run.ts";
import { getPathFolder } from "../folder.ts";
import type { ProjectFiles } from "./site.ts";

const RUNNER_FILE_OPTION =
  /["']?\b(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown|testEnvironment|testRunner|runner|reporters)["']?\s{0,20}:\s{0,20}(\[[^\]]{0,4000}|["'`][^"'`\n]{0,400}["'`])/g;
const QUOTED_OPTION_TEXT = /["'`]([^"'`\n]{1,400})["'`]/g;
const RUNNER_CONFIG_NAME = /^(?:(?:vite|vitest|jest)\.config\.\w+|vitest\.workspace\.\w+|package\.json)$/;
const REFERENCE_EXTENSIONS = ["", ".json", ".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx"];

/** Workspace files that a settings file refers to. They decide as much as the settings. */
export function findReferencedFiles(site: ProjectFiles, path: string, text: string): string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return listReferencedNames(name, text).flatMap((word) => {
    const place = word.includes("*")
      ? undefined
      : resolveWorkspacePath(getPathFolder(path), word.replace(/^<rootDir>\//, ""));
    return place === undefined
      ? []
      : REFERENCE_EXTENSIONS.flatMap((ending) => site.matching(".", place + ending)).slice(0, 1);
  });
}

function listReferencedNames(name: string, text: string): string[] {
  if (RUNNER_CONFIG_NAME.test(name))
    return [...text.matchAll(RUNNER_FILE_OPTION)].flatMap(([, said = ""]) =>
      [...said.matchAll(QUOTED_OPTION_TEXT)].map(([, word = ""]) => word),
    );
  // An extended config can have any name and extend others.
  if (!name.endsWith(".json")) return [];
  const said = readTreeSection(parseJsonc(text), "extends");
  return (typeof said === "string" ? [said] : listStringItems(said)).filter((word) => /^\.{1,2}\//.test(word));
}
