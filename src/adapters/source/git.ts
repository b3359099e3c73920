import {
  type GitEnvironment,
  hasAcceptedSettings,
  type GitSettingOverrides,
  overrideRepositoryPrograms,
  buildGitEnvironment,
} from "./git-settings.ts";

const GIT_COMMAND_TIMEOUT_MS = 60_000;
const LARGEST_GIT_ANSWER = 64 * 1024 * 1024;
const DIFF_COMMANDS = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"]);

export type { GitEnvironment } from "./git-settings.ts";

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
}

/**
 * The only way to call git. It runs nothing that a repository brings along: no hook, pager, editor, signer, transport,
 * diff tool, filter or merge driver, and it ignores replaced objects. Filters and drivers from the user's global
 * settings are used. When git is missing, too old to accept these settings or cannot read them, every call fails.
 */
export async function openGitCommand(folder: string, environment: GitEnvironment): Promise<GitCommand> {
  const listed = await spawnGit(
    folder,
    ["config", "--list", "--show-scope", "-z"],
    buildGitEnvironment(environment, []),
    {},
  );
  const listing = listed.out.toString("utf8");
  const overrides = overrideRepositoryPrograms(listing);
  const isGuarded = listed.code === 0 && hasAcceptedSettings(listing);
  const run: GitCommand["run"] = async (words, asking = {}) => {
    if (!isGuarded) return { ...listed, code: listed.code === 0 ? undefined : listed.code };
    const safe = buildGitEnvironment(environment, [...overrides, ...(asking.settings ?? [])]);
    return spawnGit(folder, disableDiffPrograms(words), { ...safe, ...asking.variables }, asking);
  };
  const ask: GitCommand["ask"] = async (words, asking) => {
    const { code, out } = await run(words, asking);
    return code === 0 ? out.toString("utf8") : undefined;
  };
  return { run, ask, listing };
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

function disableDiffPrograms(words: readonly string[]): readonly string[] {
  const [command = "", ...rest] = words;
  return DIFF_COMMANDS.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...rest] : words;
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
