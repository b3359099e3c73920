import { type Environment, isHeeded, type Overrides, overridesFor, safeEnvironment } from "./git-settings.ts";

const LONGEST_WAIT_MS = 60_000;
/** Bytes. A difference larger than this is nobody's reading matter. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** Commands that may show a difference, and would start a program to do so. */
const SHOWS_DIFFERENCES = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"]);

export type { Environment } from "./git-settings.ts";

export interface Asking {
  readonly input?: string | Buffer;
  /** Variables such as `GIT_INDEX_FILE`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings for this call alone. */
  readonly settings?: Overrides;
  /** An open file that takes the answer, however large. */
  readonly output?: number;
  readonly longestWaitMs?: number;
  readonly largestAnswer?: number;
}

export interface Answer {
  /** Git's exit code; nothing when it is missing, took too long or said too much. */
  readonly code: number | undefined;
  /** Whether it was there and somebody or something ended it. */
  readonly wasStopped?: boolean;
  readonly out: Buffer;
  /** What it said of a failure, in English. */
  readonly err: string;
}

/** Git in one folder, for one piece of work: the repository's settings are looked through once. */
export interface Git {
  run(words: readonly string[], asking?: Asking): Promise<Answer>;
  /** The text of the answer; nothing when git refuses. */
  ask(words: readonly string[], asking?: Asking): Promise<string | undefined>;
  /** Every setting with its scope, as `git config --list --show-scope -z` tells it. */
  readonly listing: string;
}

/**
 * The only way to git. Nothing that a repository brings along is run: no hook, pager, editor, signer, transport, diff
 * tool, filter or merge driver, and no replacement of an object counts. Filters and drivers that the user set for all
 * repositories are used. Where git is missing, too old to be told so or cannot read the settings, every call fails.
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

/** What git answers; nothing when it refuses, is missing, takes too long or says too much. */
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
      // It may have ended by itself before it was stopped; half an answer is none.
      const isWhole = size <= largestAnswer && code !== null;
      const wasStopped = code === null;
      resolve({ code: isWhole ? code : undefined, wasStopped, out: Buffer.concat(parts), err: err.trim() });
    });
    // Git may end before it has read everything; its exit code says why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
