import { delimiter } from "node:path";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Variables about the user, the locale and toolchain folders. The user sets these, never a repository. */
const DEFAULT_PASSED_VARIABLES = new Set(
  [
    "HOME USER LOGNAME SHELL LANG LANGUAGE TMPDIR TZ",
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME",
    "GOPATH GOCACHE GOMODCACHE GOROOT GOFLAGS GOPROXY GOTOOLCHAIN",
    "CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN",
    "JAVA_HOME GRADLE_USER_HOME MAVEN_HOME",
    "PYENV_ROOT PYENV_VERSION VIRTUAL_ENV PIP_CACHE_DIR UV_CACHE_DIR",
    "NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR PNPM_HOME COREPACK_HOME PLAYWRIGHT_BROWSERS_PATH npm_config_cache",
    // Most programs do not start on Windows without these.
    "SYSTEMROOT WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA",
    "PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS",
  ].flatMap((names) => names.split(" ")),
);

/** Variables that load code into a program, and Tenon's own. The user cannot pass these on. */
const NEVER_PASSED_VARIABLES = /^(?:LD_|DYLD_|NODE_OPTIONS$|TENON_)/i;

/** No terminal, no colours, no prompts, and no compiled files next to the code. */
const FIXED_CHECK_VARIABLES = { CI: "1", TERM: "dumb", NO_COLOR: "1", FORCE_COLOR: "0", PYTHONDONTWRITEBYTECODE: "1" };

export interface EnvironmentRequest {
  readonly folder: string;
  /** Program folders that go before the user's own. */
  readonly bins: readonly string[];
  readonly passes?: readonly string[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** An allow-list, so that unknown variables never reach a check. */
export function createCheckEnvironment(
  own: EnvironmentVariables,
  { folder, bins, passes = [], variables }: EnvironmentRequest,
): NodeJS.ProcessEnv {
  const allowed = new Set(passes.filter((name) => !NEVER_PASSED_VARIABLES.test(name)));
  const passed = Object.entries(own).filter(
    ([name, value]) => value !== undefined && (isDefaultVariable(name) || allowed.has(name)),
  );
  const path = [...bins, readPathVariable(own)].filter((part) => part !== "").join(delimiter);
  return { ...Object.fromEntries(passed), PATH: path, PWD: folder, ...FIXED_CHECK_VARIABLES, ...variables };
}

const isDefaultVariable = (name: string): boolean =>
  name.startsWith("LC_") || DEFAULT_PASSED_VARIABLES.has(process.platform === "win32" ? name.toUpperCase() : name);

/** Windows spells it `Path`. */
export function readPathVariable(own: EnvironmentVariables): string {
  const name = Object.keys(own).find((each) => each === "PATH" || /^path$/i.test(each));
  return (name === undefined ? undefined : own[name]) ?? "";
}
