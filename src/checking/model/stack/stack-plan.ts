import { readTreePath, readTreeSection, listStringItems } from "#kernel/model/data-tree.ts";
import {
  listAncestorFolders,
  getPathFolder,
  isFolderWithin,
  getPathName,
  resolveFolderPath,
} from "#kernel/model/folder-path.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { listMakeRecipes, splitInvocationWords, findDishonestScripts, stripRecipeMarks } from "./check-scripts.ts";
import { followProjectCommand } from "./project-commands.ts";
import { collectRunScripts, findScriptCall, selectScriptWords, splitShellCommands } from "./script-calls.ts";
import { describeConditions, pickSimplestConditions } from "./profile-condition.ts";
import { matchesNamePattern, type ProjectFiles } from "./project-files.ts";
import {
  type CleanInstall,
  type FolderStack,
  CHECK_KINDS,
  type CheckKind,
  type ProfileCheck,
  type StackCheck,
} from "./stack-check.ts";
import { detectWorkspaceStacks } from "./stack-detection.ts";
import type { ControlPattern, StackProfile } from "./stack-profile.ts";

const MOST_CONTROL_FILES = 2_000;

/** `tools` holds the settings files of tools, if they come from another view. */
export function planWorkspaceStacks(
  site: ProjectFiles,
  profiles: readonly StackProfile[],
  stack: Config["stack"],
  tools: ProjectFiles = site,
) {
  const { detections, problems } = detectWorkspaceStacks(site, profiles, stack);
  const used = detections.flatMap(({ directory, profile: name, language }) => {
    const profile = profiles.find(({ id }) => id === name);
    return profile ? [{ directory, profile, language }] : [];
  });
  const stacks = used.map((each) => resolveFolderStack(site, each));
  const all = stacks.flatMap(({ directory, checks }) => checks.map((check) => ({ directory, check })));
  const known = findControlFiles(tools, used);
  const run = all.flatMap(({ directory, check }) => findCheckFiles(site, tools, directory, check));
  const more = [...new Set(run)].filter((path) => !known.some((each) => each.path === path));
  const control: ControlReference[] = [...known, ...more.toSorted().map((path) => ({ path }))];
  const dishonest = all.flatMap(({ directory, check }) => findDishonestScripts(site, directory, check));
  const tooMany =
    control.length > MOST_CONTROL_FILES
      ? [
          `${control.length} files configure the checks, and Tenon reads at most ${MOST_CONTROL_FILES} of them: name the folders of the stacks in sdd/config.yaml`,
        ]
      : [];
  return {
    detections,
    stacks,
    control: control.slice(0, MOST_CONTROL_FILES),
    problems: [...problems, ...new Set(dishonest), ...tooMany],
  };
}

interface UsedProfile {
  readonly directory: string;
  readonly profile: StackProfile;
  readonly language: string | undefined;
}

function resolveFolderStack(site: ProjectFiles, { directory, profile, language }: UsedProfile): FolderStack {
  const holding = profile.checks.filter(({ when }) => site.holds(when, directory, "above"));
  const first = holding.filter(({ otherwise }) => !otherwise);
  const checks = holding.filter((check) => !check.otherwise || !first.some(({ kind }) => kind === check.kind));
  const isFirstOfTool = ({ kind, tool }: ProfileCheck, at: number): boolean =>
    checks.findIndex((other) => other.kind === kind && other.tool === tool) === at;
  // JavaScript has no types to check.
  const isOwed = (kind: CheckKind): boolean => !(kind === "types" && language === "JavaScript");
  const lacking = CHECK_KINDS.filter(
    (kind) => isOwed(kind) && !checks.some((check) => check.kind === kind) && !profile.instead[kind],
  );
  // A package of a workspace finds its tools above its folder.
  const hasManifest = (folder: string): boolean =>
    (profile.detection?.at ?? []).some((pattern) => site.matching(folder, pattern).length > 0);
  const above = listAncestorFolders(directory).flatMap((folder, i) =>
    hasManifest(folder) ? ["../".repeat(i + 1)] : [],
  );
  const install = profile.install.find(({ when }) => site.holds(when, directory, "above"));
  return {
    directory,
    profile: profile.id,
    checks: checks.filter(isFirstOfTool).map((check) => planStackCheck(site, directory, check)),
    test_files: profile.test_files,
    source_files: profile.source_files,
    borrowed: profile.borrowed.flatMap((name) => [name, ...above.map((way) => `${way}${name}`)]),
    instead: profile.instead,
    install: install?.command,
    clean: install && findCleanInstall(site, directory, install),
    missing: lacking.map((kind) => {
      const own = profile.checks.filter((check) => check.kind === kind).flatMap(({ when }) => when);
      const ways = describeConditions(pickSimplestConditions(own));
      const none = `Add one to sdd/stacks/${profile.id}.yaml.`;
      return { kind, how: ways === "" ? none : `Tenon looked for ${ways}.` };
    }),
  };
}

/** Packages are installed where the lock file is: for a package of a workspace, above it. */
function findCleanInstall(
  site: ProjectFiles,
  directory: string,
  { when, clean, unlocked }: StackProfile["install"][number],
): CleanInstall | undefined {
  if (!clean) return undefined;
  const names = when.flatMap(({ config = [], file = [] }) => [...config, ...file]);
  const hasFile = (folder: string): boolean => names.some((name) => site.matching(folder, name).length > 0);
  const place = [directory, ...listAncestorFolders(directory)].find(hasFile) ?? directory;
  return { directory: place, commands: clean, isLocked: !unlocked };
}

/** Passes the words on with which the project's own script calls the program. */
function planStackCheck(site: ProjectFiles, directory: string, profiled: ProfileCheck): StackCheck {
  const { when: _, otherwise: __, script, follows, ...check } = profiled;
  const call = script && findScriptCall(site.manifest(directory, "package.json").scripts, script.program);
  const follow = (paths: boolean): readonly string[] =>
    (follows &&
      followProjectCommand(site.commandsIn(directory), { ...follows, paths: follows.paths && paths })?.args) ??
    [];
  const fill = (argv: readonly string[]): string[] =>
    argv.flatMap((word) => {
      if (word !== "{args}" && word !== "{options}") return [word];
      const isWhole = word === "{args}";
      return script && call ? selectScriptWords(call, script, !isWhole) : follow(isWhole);
    });
  const variables = { ...check.variables, ...call?.variables };
  const { install, ...own } = check;
  // The project's installation brings its dependencies.
  const isBrought = site.holds([{ dependency: [check.tool] }], directory, "above");
  return {
    ...own,
    ...(install === undefined || isBrought ? {} : { install }),
    run: "argv" in check.run ? { argv: fill(check.run.argv) } : check.run,
    ...(check.only ? { only: fill(check.only) } : {}),
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
  };
}

/** The project's own command behind a check, as `.github/workflows/ci.yml: pytest -q`. */
export function findCheckOrigin(
  site: ProjectFiles,
  profile: StackProfile | undefined,
  { directory }: Pick<FolderStack, "directory">,
  { kind, tool }: StackCheck,
): string | undefined {
  const follows = profile?.checks.find((check) => check.kind === kind && check.tool === tool)?.follows;
  return follows && followProjectCommand(site.commandsIn(directory), follows)?.from;
}

export interface ControlReference {
  readonly path: string;
  readonly parts?: readonly string[];
}

const BELOW_PREFIX = "**/";
const INSTALLED_FOLDER = /(?:^|\/)(?:node_modules|vendor|\.venv|venv|target)\//;

/** Control files of each stack: in its folder, above it, and below it if the pattern allows. */
function findControlFiles(
  site: ProjectFiles,
  stacks: readonly { profile: StackProfile; directory: string }[],
): ControlReference[] {
  const found = new Map<string, ControlReference>();
  const below = new Map<StackProfile, readonly ControlMatch[]>();
  for (const { profile, directory } of stacks) {
    const deep = below.get(profile) ?? findControlBelow(site, profile);
    below.set(profile, deep);
    const own = deep.filter(({ path }) => isFolderWithin(getPathFolder(path), directory));
    const above = profile.control.flatMap(({ file, parts }) => {
      const name = file.startsWith(BELOW_PREFIX) ? file.slice(BELOW_PREFIX.length) : file;
      return [directory, ...listAncestorFolders(directory)].flatMap((folder) =>
        site.matching(folder, name).map((path) => ({ path, parts })),
      );
    });
    // The first matching pattern decides which keys count.
    const byPath = new Map([...above, ...own].toReversed().map((file) => [file.path, file]));
    for (const { path, parts } of byPath.values())
      found.set(`${path} ${parts?.join() ?? ""}`, { path, ...(parts ? { parts } : {}) });
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

interface ControlMatch {
  readonly path: string;
  readonly parts?: readonly string[] | undefined;
}

/** In any folder. Compares each distinct file name once. */
function findControlBelow(site: ProjectFiles, profile: StackProfile): ControlMatch[] {
  const patterns = profile.control.filter(({ file }) => file.startsWith(BELOW_PREFIX));
  const known = new Map<string, ControlPattern | undefined>();
  const found: ControlMatch[] = [];
  const findPattern = (name: string): ControlPattern | undefined =>
    patterns.find(({ file }) => matchesNamePattern(file.slice(BELOW_PREFIX.length), name));
  for (const path of patterns.length > 0 ? site.paths : []) {
    const name = getPathName(path);
    if (!known.has(name)) known.set(name, findPattern(name));
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
  return listReferencedNames(getPathName(path), text).flatMap((word) => {
    const place = resolveWorkspacePath(getPathFolder(path), word.replace(/^<rootDir>\//, ""));
    if (place === undefined) return [];
    return REFERENCE_EXTENSIONS.flatMap((ending) => site.matching(".", place + ending)).slice(0, 1);
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

/** Editing `scripts/lint.js` changes the result of `npm run lint`. Files that builds make are exempt. */
function findCheckFiles(
  site: ProjectFiles,
  files: ProjectFiles,
  directory: string,
  { kind, run }: StackCheck,
): string[] {
  if (kind === "build") return [];
  const own = splitInvocationWords(run);
  const lines = [
    ...collectRunScripts(site.manifest(directory, "package.json").scripts, own).values(),
    ...listMakeRecipes(site, directory, own).map(([, line]) => stripRecipeMarks(line)),
  ];
  const named = [...own, ...lines.flatMap(splitShellCommands)].flatMap(listCommandFiles);
  return named.flatMap((word) => {
    const path = resolveWorkspacePath(directory, word);
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
  path === "" || path.startsWith("/") || path.includes("*") ? undefined : resolveFolderPath(`${directory}/${path}`);
