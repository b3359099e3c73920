const LONGEST_WAIT_MS = 60_000;
/** Bytes. A difference larger than this is nobody's reading matter. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** What the caller's environment says of another repository, an index or a pager is not meant for this one. */
const FOREIGN = /^GIT_(?!EXEC_PATH$|TRACE|CONFIG_NOSYSTEM$|CEILING_DIRECTORIES$)/;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What git answers; nothing when it refuses, is missing, takes too long or says too much. No hook,
 * pager, diff tool or replacement that a repository sets is used; a filter that its owner configured is git's own matter.
 */
export async function askGit(
  folder: string,
  environment: Environment,
  words: readonly string[],
): Promise<string | undefined> {
  const { spawn } = await import("node:child_process");
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !FOREIGN.test(name)));
  const quiet = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
  return new Promise((resolve) => {
    const child = spawn("git", [...quiet, ...words], {
      cwd: folder,
      env: { ...own, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_NO_REPLACE_OBJECTS: "1" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: LONGEST_WAIT_MS,
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > LARGEST_ANSWER) child.kill();
      else parts.push(part);
    });
    child.once("error", () => resolve(undefined));
    child.once("close", (code) => resolve(code === 0 ? Buffer.concat(parts).toString("utf8") : undefined));
  });
}
