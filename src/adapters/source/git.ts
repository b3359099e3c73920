import { type Environment, isHeeded, type Overrides, overridesFor, safeEnvironment } from "./git-settings.ts";

const LONGEST_WAIT_MS = 60_000;
const LARGEST_ANSWER = 64 * 1024 * 1024;
const SHOWS_DIFFERENCES = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"]);

export type { Environment } from "./git-settings.ts";

export interface Asking {
  readonly input?: string | Buffer;
  readonly variables?: Readonly<Record<string, string>>;
  readonly settings?: Overrides;
  /** An open file that receives the output, however large it is. */
  readonly output?: number;
  readonly longestWaitMs?: number;
  readonly largestAnswer?: number;
}

export interface Answer {
  /** The exit code of git; undefined when git is missing, times out or prints too much. */
  readonly code: number | undefined;
  readonly wasStopped?: boolean;
  readonly out: Buffer;
  readonly err: string;
}

/** Git in one folder. The settings of the repository are checked once, on opening. */
export interface Git {
  run(words: readonly string[], asking?: Asking): Promise<Answer>;
  ask(words: readonly string[], asking?: Asking): Promise<string | undefined>;
  readonly listing: string;
}

/**
 * The only way to call git. It runs nothing that a repository brings along: no hook, pager, editor, signer, transport,
 * diff tool, filter or merge driver, and it ignores replaced objects. Filters and drivers from the user's global
 * settings are used. When git is missing, too old to accept these settings or cannot read them, every call fails.
 */
export async function gitIn(folder: string, environment: Environment): Promise<Git> {
  const listed = await start(folder, ["config", "--list", "--show-scope", "-z"], safeEnvironment(environment, []), {});
  const listing = listed.out.toString("utf8");
  const overrides = overridesFor(listing);
  const isGuarded = listed.code === 0 && isHeeded(listing);
  const run: Git["run"] = async (words, asking = {}) => {
    if (!isGuarded) return { ...listed, code: listed.code === 0 ? undefined : listed.code };
    const safe = safeEnvironment(environment, [...overrides, ...(asking.settings ?? [])]);
    return start(folder, withoutPrograms(words), { ...safe, ...asking.variables }, asking);
  };
  const ask: Git["ask"] = async (words, asking) => {
    const { code, out } = await run(words, asking);
    return code === 0 ? out.toString("utf8") : undefined;
  };
  return { run, ask, listing };
}

/** One question in a process that asks no other. */
export async function askGit(
  folder: string,
  environment: Environment,
  words: readonly string[],
  waitMs = LONGEST_WAIT_MS,
): Promise<string | undefined> {
  return (await gitIn(folder, environment)).ask(words, { longestWaitMs: waitMs });
}

function withoutPrograms(words: readonly string[]): readonly string[] {
  const [command = "", ...rest] = words;
  return SHOWS_DIFFERENCES.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...rest] : words;
}

async function start(
  folder: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { input, output, longestWaitMs = LONGEST_WAIT_MS, largestAnswer = LARGEST_ANSWER }: Asking,
): Promise<Answer> {
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
