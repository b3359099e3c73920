import {
  listAncestorFolders,
  getPathFolder,
  isFolderWithin,
  getPathName,
  resolveFolderPath,
} from "#kernel/model/folder-path.ts";
import { readTreePath, readTreeSection, listStringItems } from "#kernel/model/data-tree.ts";
import type { ControlPattern, StackProfile } from "./stack-profile.ts";
import { matchesNamePattern, type ProjectFiles } from "./project-files.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import type { StackCheck } from "./stack-check.ts";
import { splitShellCommands, listMakeRecipes, collectRunScripts, splitInvocationWords } from "./check-scripts.ts";

/** A file that decides how checks behave, with its relevant keys; without keys the whole file counts. */
export interface ControlReference {
  readonly path: string;
  readonly parts?: readonly string[];
}

const BELOW_PREFIX = "**/";
const INSTALLED_FOLDER = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|target)\//;

/** Control files of each stack: in its folder, above it, and below it if the pattern allows. */
export function findControlFiles(
  site: ProjectFiles,
  stacks: readonly { profile: StackProfile; directory: string }[],
): ControlReference[] {
  const found = new Map<string, ControlReference>();
  const below = new Map<StackProfile, readonly ControlMatch[]>();
  for (const { profile, directory } of stacks) {
    const deep = below.get(profile) ?? findControlBelow(site, profile);
    below.set(profile, deep);
    const own = deep.filter(({ path }) => isFolderWithin(getPathFolder(path), directory));
    // The first matching pattern decides which keys count.
    const byPath = new Map(
      [...findControlAbove(site, profile, directory), ...own].toReversed().map((file) => [file.path, file]),
    );
    for (const { path, parts } of byPath.values())
      found.set(`${path} ${parts?.join() ?? ""}`, { path, ...(parts ? { parts } : {}) });
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface ControlMatch {
  readonly path: string;
  readonly parts?: readonly string[] | undefined;
}

function findControlAbove(site: ProjectFiles, profile: StackProfile, directory: string): ControlMatch[] {
  return profile.control.flatMap(({ file, parts }) => {
    const name = file.startsWith(BELOW_PREFIX) ? file.slice(BELOW_PREFIX.length) : file;
    return [directory, ...listAncestorFolders(directory)].flatMap((folder) =>
      site.matching(folder, name).map((path) => ({ path, parts })),
    );
  });
}

/** In any folder. Compares each distinct file name once. */
function findControlBelow(site: ProjectFiles, profile: StackProfile): ControlMatch[] {
  const patterns = profile.control.filter(({ file }) => file.startsWith(BELOW_PREFIX));
  const known = new Map<string, ControlPattern | undefined>();
  const found: ControlMatch[] = [];
  for (const path of patterns.length > 0 ? site.paths : []) {
    const name = getPathName(path);
    if (!known.has(name))
      known.set(
        name,
        patterns.find(({ file }) => matchesNamePattern(file.slice(BELOW_PREFIX.length), name)),
      );
    const pattern = known.get(name);
    if (pattern && !INSTALLED_FOLDER.test(path)) found.push({ path, parts: pattern.parts });
  }
  return found;
}

/** A deeper tree counts as a whole file. */
const DEEPEST_CONTROL_TREE = 60;

/** The relevant keys in a form that ignores order and layout. */
export function formatControlParts(tree: unknown, parts: readonly string[]): string | undefined {
  try {
    return JSON.stringify(parts.map((part) => [part, sortControlValue(readTreeSection(tree, part), 0)]));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sortControlValue(value: unknown, depth: number): unknown {
  if (depth > DEEPEST_CONTROL_TREE) throw new RangeError("Too deep.");
  if (Array.isArray(value)) return value.map((item) => sortControlValue(item, depth + 1));
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : (value ?? null);
  const keys = Object.keys(value);
  if (keys.length === 0) return [String(JSON.stringify(value))];
  return keys.toSorted().map((key) => [key, sortControlValue(readTreePath(value, [key]), depth + 1)]);
}

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

const SCRIPT_RUNNERS = /^(?:node|tsx|ts-node|bun|deno|python3?|ruby|perl|sh|bash|dash|zsh|ksh)$/;
const PREFIX_WORDS = /^(?:\w+=.*|env|exec|command|time|npx|cross-env|run)$/;
const CONFIG_FILE_OPTIONS = /^(?:-c|-p|-r|--config|--config-file|--project|--rcfile|--require|--import|--loader)$/;

/**
 * Workspace files that a check runs or reads because its script names them: editing `scripts/lint.js` changes the
 * result of `npm run lint`. Build checks are exempt: the files that they build may change.
 */
export function findCheckFiles(
  site: ProjectFiles,
  files: ProjectFiles,
  directory: string,
  { kind, run }: StackCheck,
): string[] {
  if (kind === "build") return [];
  const own = splitInvocationWords(run);
  const lines = [
    ...collectRunScripts(site, directory, own).values(),
    ...listMakeRecipes(site, directory, own).map(([, line]) => line.replace(/^[@+-]+/, "")),
  ];
  const named = [...own, ...lines.flatMap(splitShellCommands)].flatMap(listCommandFiles);
  return named.flatMap((word) => {
    const path = word.includes("*") ? undefined : resolveWorkspacePath(directory, word);
    return path === undefined ? [] : files.matching(".", path);
  });
}

function listCommandFiles(command: readonly string[]): string[] {
  const start = command.findIndex((word) => !PREFIX_WORDS.test(word));
  const [program = "", ...rest] = start < 0 ? [] : command.slice(start);
  const steering = rest.flatMap((word, i) => {
    const [name = "", value] = word.split("=", 2);
    return CONFIG_FILE_OPTIONS.test(name) ? [value ?? rest[i + 1] ?? ""] : [];
  });
  if (program.includes("/")) return [program, ...steering];
  const run = SCRIPT_RUNNERS.test(program)
    ? rest.find((word) => !word.startsWith("-") && !steering.includes(word))
    : undefined;
  return [...(run === undefined ? [] : [run]), ...steering];
}

const resolveWorkspacePath = (directory: string, path: string): string | undefined =>
  path === "" || path.startsWith("/") ? undefined : resolveFolderPath(`${directory}/${path}`);
