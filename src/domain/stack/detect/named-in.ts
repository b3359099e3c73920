import { parseJsonc } from "../manifest/jsonc.ts";
import { section, textsOf } from "../manifest/manifest.ts";
import { resolved } from "../script/files-run.ts";
import { folderOf } from "../folder.ts";
import type { Site } from "./site.ts";

const LOADS =
  /["']?\b(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown|testEnvironment|testRunner|runner|reporters)["']?\s{0,20}:\s{0,20}(\[[^\]]{0,4000}|["'`][^"'`\n]{0,400}["'`])/g;
const TEXT = /["'`]([^"'`\n]{1,400})["'`]/g;
const RUNNERS = /^(?:(?:vite|vitest|jest)\.config\.\w+|vitest\.workspace\.\w+|package\.json)$/;
const ENDINGS = ["", ".json", ".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx"];

/** Workspace files that a settings file refers to. They decide as much as the settings. */
export function namedIn(site: Site, path: string, text: string): string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return wordsIn(name, text).flatMap((word) => {
    const place = word.includes("*") ? undefined : resolved(folderOf(path), word.replace(/^<rootDir>\//, ""));
    return place === undefined ? [] : ENDINGS.flatMap((ending) => site.matching(".", place + ending)).slice(0, 1);
  });
}

function wordsIn(name: string, text: string): string[] {
  if (RUNNERS.test(name))
    return [...text.matchAll(LOADS)].flatMap(([, said = ""]) => [...said.matchAll(TEXT)].map(([, word = ""]) => word));
  // An extended config can have any name and extend others.
  if (!name.endsWith(".json")) return [];
  const said = section(parseJsonc(text), "extends");
  return (typeof said === "string" ? [said] : textsOf(said)).filter((word) => /^\.{1,2}\//.test(word));
}
