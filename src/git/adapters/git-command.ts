import { delimiter, isAbsolute } from "node:path";
import safeGit from "./safe-git.json" with { type: "json" };

const GIT_COMMAND_TIMEOUT_MS = 60_000;
const LARGEST_GIT_ANSWER = 64 * 1024 * 1024;

export interface GitCallOptions {
  readonly input?: string | Buffer;
  readonly variables?: Readonly<Record<string, string>>;
  readonly settings?: GitSettingOverrides;
  /** An open file that receives the output, however large it is. */
  readonly output?: number;
  readonly longestWaitMs?: number;
  readonly largestAnswer?: number;
}

export interface GitAnswer {
  /** The exit code of git; undefined when git is missing, times out or prints too much. */
  readonly code: number | undefined;
  readonly wasStopped?: boolean;
  readonly out: Buffer;
  readonly err: string;
}

/** Git in one folder. The settings of the repository are checked once, on opening. */
export interface GitCommand {
  run(words: readonly string[], asking?: GitCallOptions): Promise<GitAnswer>;
  ask(words: readonly string[], asking?: GitCallOptions): Promise<string | undefined>;
  readonly listing: string;
  readonly environment: GitEnvironment;
}

/**
 * The only way to call git. It runs nothing that a repository brings along: no hook, pager, editor, signer, transport,
 * diff tool, filter or merge driver, and it ignores replaced objects. Filters and drivers from the user's global
 * settings are used. When git is missing, too old to accept these settings or cannot read them, every call fails.
 */
export async function openGitCommand(folder: string, environment: GitEnvironment): Promise<GitCommand> {
  const words = ["config", "--list", "--show-scope", "-z"];
  const listed = await spawnGit(folder, words, buildGitEnvironment(environment, []), {});
  const listing = listed.out.toString("utf8");
  const overrides = overrideRepositoryPrograms(listing);
  // Git before 2.31 does not accept the settings, and every later call fails.
  const isGuarded = listed.code === 0 && listing.includes(`command\0core.hookspath\n${NULL_DEVICE}\0`);
  const run: GitCommand["run"] = async ([command = "", ...rest], asking = {}) => {
    if (!isGuarded) return { ...listed, code: listed.code === 0 ? undefined : listed.code };
    const safe = buildGitEnvironment(environment, [...overrides, ...(asking.settings ?? [])]);
    const isDiff = /^(?:diff(?:-files|-index|-tree)?|log|show)$/.test(command);
    const all = [command, ...(isDiff ? ["--no-ext-diff", "--no-textconv"] : []), ...rest];
    return spawnGit(folder, all, { ...safe, ...asking.variables }, asking);
  };
  const ask: GitCommand["ask"] = async (asked, asking) => {
    const { code, out } = await run(asked, asking);
    return code === 0 ? out.toString("utf8") : undefined;
  };
  return { run, ask, listing, environment };
}

/** One question in a process that asks no other. */
export async function askGit(
  folder: string,
  environment: GitEnvironment,
  words: readonly string[],
  waitMs = GIT_COMMAND_TIMEOUT_MS,
): Promise<string | undefined> {
  return (await openGitCommand(folder, environment)).ask(words, { longestWaitMs: waitMs });
}

async function spawnGit(
  folder: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { input, output, longestWaitMs = GIT_COMMAND_TIMEOUT_MS, largestAnswer = LARGEST_GIT_ANSWER }: GitCallOptions,
): Promise<GitAnswer> {
  const { spawn } = await import("node:child_process");
  return new Promise((resolve) => {
    const child = spawn("git", ["--no-pager", ...words], {
      cwd: folder,
      env: environment,
      stdio: [input === undefined ? "ignore" : "pipe", output ?? "pipe", "pipe"],
      timeout: longestWaitMs,
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let size = 0;
    let err = "";
    child.stdout?.on("data", (part: Buffer) => {
      size += part.length;
      if (size > largestAnswer) child.kill();
      else parts.push(part);
    });
    child.stderr?.on("data", (part: Buffer) => void (err = (err + part.toString("utf8")).slice(-4000)));
    child.once("error", (error) => resolve({ code: undefined, out: Buffer.alloc(0), err: error.message }));
    child.once("close", (code) => {
      // It may exit by itself before it is killed. Partial output counts as none.
      const isWhole = size <= largestAnswer && code !== null;
      const wasStopped = code === null;
      resolve({ code: isWhole ? code : undefined, wasStopped, out: Buffer.concat(parts), err: err.trim() });
    });
    // Git may exit before it reads all input; its exit code shows why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** A program that always fails: the call is not made, and git reports an error. */
const FAILING_PROGRAM = "false";

/**
 * Settings that disable programs git would start and connections it would open. The repository's own settings are
 * ignored here, because the user may not have written them. An empty credential helper removes all helpers named
 * before. A folder inside a repository that only looks like a bare repository is ignored. To check a submodule, git
 * would start another git there, with the settings of the submodule.
 */
/** A constant, because loading `node:os` for it would slow every hook. */
const NULL_DEVICE = process.platform === "win32" ? "\\\\.\\nul" : "/dev/null";
const FIXED_GIT_SETTINGS = Object.entries({ "core.hooksPath": NULL_DEVICE, ...safeGit.settings });

const UNSAFE_GIT_VARIABLE =
  /^(?:GIT_(?!EXEC_PATH$|TRACE|CONFIG_(?:NOSYSTEM|GLOBAL|SYSTEM)$|CEILING_DIRECTORIES$)|SSH_ASKPASS|EDITOR$|VISUAL$|PAGER$)/;

export type GitEnvironment = Readonly<Record<string, string | undefined>>;
export type GitSettingOverrides = readonly (readonly [key: string, value: string])[];

/** The environment for git. Settings are passed as variables because a key may contain any character. */
export function buildGitEnvironment(environment: GitEnvironment, overrides: GitSettingOverrides): NodeJS.ProcessEnv {
  const keepAbsolute = (path = ""): string => path.split(delimiter).filter(isAbsolute).join(delimiter);
  const own = Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => !UNSAFE_GIT_VARIABLE.test(name))
      // Relative entries would find programs inside the current repository.
      .map(([name, value]) => [name, /^path$/i.test(name) ? keepAbsolute(value) : value]),
  );
  const settings = [...FIXED_GIT_SETTINGS, ...overrides].flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  const count = String(settings.length / 2);
  return { ...own, ...safeGit.variables, GIT_CONFIG_COUNT: count, ...Object.fromEntries(settings) };
}

/**
 * Replaces filters and merge drivers that the repository or its includes define. The user's global ones stay. A filter
 * becomes empty, so bytes pass unchanged. A merge driver becomes one that fails, so git leaves a conflict and never
 * silently takes one side.
 */
export function overrideRepositoryPrograms(listing: string): GitSettingOverrides {
  const settings = parseGitSettings(listing);
  const users = new Map(settings.filter(isUserSetting).map(({ key, value }) => [key, value]));
  const suspect = new Set(settings.filter((setting) => !isUserSetting(setting)).map(({ key }) => key));
  return [...suspect].flatMap((key): GitSettingOverrides => {
    const [, kind, name = "", part = ""] = /^(filter|merge)\.(.+)\.([^.]+)$/s.exec(key) ?? [];
    if (kind === "merge") return part === "driver" ? [[key, users.get(key) ?? FAILING_PROGRAM]] : [];
    if (kind !== "filter") return [];
    const required = `filter.${name}.required`;
    const isProgram = part === "clean" || part === "smudge" || part === "process";
    return [...(isProgram ? [[key, users.get(key) ?? ""] as const] : []), [required, users.get(required) ?? "false"]];
  });
}

export function findGitSetting(listing: string, key: string): string | undefined {
  return parseGitSettings(listing).findLast((setting) => setting.key === key.toLowerCase())?.value;
}

/** In their order. The repository does not decide about them. */
export const listUserGitSettings = (listing: string) => parseGitSettings(listing).filter(isUserSetting);

const isUserSetting = ({ scope }: { readonly scope: string }): boolean => scope === "system" || scope === "global";

function parseGitSettings(listing: string) {
  const parts = listing.split("\0");
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, i) => {
    const [scope = "", said = ""] = parts.slice(2 * i);
    const end = said.indexOf("\n");
    return end < 0
      ? { scope, key: said, value: "true" }
      : { scope, key: said.slice(0, end), value: said.slice(end + 1) };
  }).filter(({ scope }) => scope !== "command");
}

export async function listUncommittedFiles(
  root: string,
  environment: GitEnvironment,
  waitMs: number,
): Promise<readonly string[] | undefined> {
  const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"];
  const said = await askGit(root, environment, words, waitMs);
  return said
    ?.split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => entry.slice(3));
}
