import fs from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { CommandRequest } from "#kernel/operations/ports/runner.ts";

const IS_WINDOWS_HOST = process.platform === "win32";

const PYTHON_BIN = IS_WINDOWS_HOST ? "Scripts" : "bin";
const PROJECT_BIN_FOLDERS = [
  join("node_modules", ".bin"),
  join(".venv", PYTHON_BIN),
  join("venv", PYTHON_BIN),
  join("vendor", "bin"),
];

export interface MissingProgram {
  readonly how: "not-found" | "not-started";
  readonly why: string;
}

export function listProjectBins(folder: string, root: string = folder): string[] {
  return listFoldersUpToRoot(folder, root)
    .flatMap((each) => PROJECT_BIN_FOLDERS.map((bin) => join(each, bin)))
    .filter((bin) => fs.statSync(bin, { throwIfNoEntry: false })?.isDirectory());
}

function listFoldersUpToRoot(folder: string, root: string): string[] {
  const way = relative(root, folder);
  if (way === "" || isAbsolute(way) || way.split(sep)[0] === "..") return [folder];
  return [folder, ...listFoldersUpToRoot(dirname(folder), root)];
}

/** Searches the project's folders first and then the path. A name with a slash is a path from the folder. */
export function findProgram(
  name: string,
  folder: string,
  bins: readonly string[],
  path: string,
): string | MissingProgram {
  if (name === "") return { how: "not-started", why: "It does not name a program." };
  const places = /[/\\]/.test(name)
    ? [folder]
    : [...bins, ...path.split(delimiter).filter((place) => isAbsolute(place))];
  const endings = IS_WINDOWS_HOST && !/\.\w+$/.test(name) ? [".exe", ".cmd", ".bat"] : [""];
  const there = places
    .flatMap((place) => endings.map((ending) => resolve(place, name) + ending))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
  const file = there.find(isExecutableFile);
  if (file === undefined) {
    return there.length === 0
      ? { how: "not-found", why: `There is no program ${name}.` }
      : { how: "not-started", why: `${name} is not executable.` };
  }
  const interpreter = readScriptInterpreter(file);
  if (interpreter === undefined || fs.existsSync(interpreter)) return file;
  return { how: "not-started", why: `${name} asks for ${interpreter}, which does not exist.` };
}

export const isProgramInstalled = (name: string, folder: string, root: string, own: EnvironmentVariables): boolean =>
  typeof findProgram(name, folder, listProjectBins(folder, root), readPathVariable(own)) === "string";

function isExecutableFile(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readScriptInterpreter(file: string): string | undefined {
  if (IS_WINDOWS_HOST) return undefined;
  const start = Buffer.alloc(256);
  try {
    const open = fs.openSync(file, "r");
    try {
      fs.readSync(open, start, 0, start.length, 0);
    } finally {
      fs.closeSync(open);
    }
  } catch {
    // The file may be executable but not readable.
    return undefined;
  }
  return /^#![ \t]*(\/[^\s\0]+)/.exec(start.toString("latin1"))?.[1];
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Variables about the user, the locale and toolchain folders. The user sets these, never a repository. */
const DEFAULT_PASSED_VARIABLES = new Set(
  [
    "HOME USER LOGNAME SHELL LANG LANGUAGE TMPDIR TZ",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME",
    "GOPATH GOCACHE GOMODCACHE GOROOT GOFLAGS GOPROXY GOTOOLCHAIN",
    "CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN",
    "JAVA_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME DOTNET_ROOT NUGET_PACKAGES",
    "GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RBENV_VERSION COMPOSER_HOME",
    "PYENV_ROOT PYENV_VERSION VIRTUAL_ENV PIP_CACHE_DIR UV_CACHE_DIR",
    "NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR PNPM_HOME COREPACK_HOME PLAYWRIGHT_BROWSERS_PATH npm_config_cache",
    // Most programs do not start on Windows without these.
    "SYSTEMROOT WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA",
    "PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS",
  ].flatMap((names) => names.split(" ")),
);

/** Variables that load code into a program, and Tenon's own. The user cannot pass these on. */
const NEVER_PASSED_VARIABLES = /^(?:LD_|DYLD_|NODE_OPTIONS$|TENON_)/i;

/** No terminal, no colours, no prompts, no packages that npx installs, and no compiled files next to the code. */
const FIXED_CHECK_VARIABLES = {
  CI: "1",
  TERM: "dumb",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
  PYTHONDONTWRITEBYTECODE: "1",
  npm_config_yes: "false",
};

/** An allow-list, so that unknown variables never reach a check. */
export function createCheckEnvironment(
  own: EnvironmentVariables,
  bins: readonly string[],
  { folder, passes = [], variables }: Pick<CommandRequest, "folder" | "passes" | "variables">,
): NodeJS.ProcessEnv {
  const allowed = new Set(passes.filter((name) => !NEVER_PASSED_VARIABLES.test(name)));
  const isDefault = (name: string): boolean =>
    name.startsWith("LC_") || DEFAULT_PASSED_VARIABLES.has(IS_WINDOWS_HOST ? name.toUpperCase() : name);
  const passed = Object.entries(own).filter(
    ([name, value]) => value !== undefined && (isDefault(name) || allowed.has(name)),
  );
  const path = [...bins, readPathVariable(own)].filter((part) => part !== "").join(delimiter);
  return { ...Object.fromEntries(passed), PATH: path, PWD: folder, ...FIXED_CHECK_VARIABLES, ...variables };
}

/** Windows spells it `Path`. */
export function readPathVariable(own: EnvironmentVariables): string {
  const name = Object.keys(own).find((each) => each === "PATH" || /^path$/i.test(each));
  return (name === undefined ? undefined : own[name]) ?? "";
}
