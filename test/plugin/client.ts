import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { git, temporaryFolder, type TemporaryFolder } from "../kit/folder.ts";
import { BIN, type Finished, HOME } from "../kit/process.ts";

const TOOLS = join(process.cwd(), "test/fixtures/claude-code/node_modules/.bin");
/** Codex, Gemini CLI, Qwen Code, OpenCode and Copilot CLI. */
const CLIENT_TOOLS = join(process.cwd(), "test/fixtures/clients/node_modules/.bin");
export const PLUGIN = join(process.cwd(), "plugin");

/** What is missing to try the plugin with its client, so that a test can say so and skip. */
export const clientProblem = fs.existsSync(join(TOOLS, "claude"))
  ? undefined
  : "missing: the packages of claude-code (scripts/install-fixture-tools)";

/** Somebody's machine: a home that is gone when its scope ends, a repository, and `tenon` on the PATH. */
export interface Machine extends Disposable {
  readonly home: string;
  readonly repository: string;
  readonly environment: Record<string, string>;
  run(program: string, words: readonly string[], settings?: { cwd?: string; input?: string }): Finished;
}

export function machine({ hasTenon = true } = {}): Machine {
  const folder: TemporaryFolder = temporaryFolder();
  const [home, repository, bin] = ["home", "repository", "bin"].map((name) => {
    const path = join(folder.path, name);
    fs.mkdirSync(path);
    return path;
  }) as [string, string, string];
  git(repository, "init", "--quiet", "--initial-branch=main");
  fs.symlinkSync(process.execPath, join(bin, "node"));
  if (hasTenon) fs.symlinkSync(BIN, join(bin, "tenon"));
  const environment = {
    HOME: home,
    PATH: `${bin}:${TOOLS}:${CLIENT_TOOLS}:/usr/local/bin:/usr/bin:/bin`,
    TENON_HOME: join(home, "tenon"),
    XDG_CACHE_HOME: HOME,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  return {
    home,
    repository,
    environment,
    run(program, words, { cwd = repository, input } = {}) {
      const done = spawnSync(program, words, {
        cwd,
        encoding: "utf8",
        env: environment,
        ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input }),
      });
      if (done.error) throw done.error;
      return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** A machine on which the plugin is installed, as its README says. */
export function machineWithPlugin(settings?: { hasTenon?: boolean }): Machine {
  const own = machine(settings);
  for (const words of [
    ["plugin", "marketplace", "add", PLUGIN],
    ["plugin", "install", "sdd@tenon"],
  ]) {
    const { code, out, err } = own.run("claude", words);
    if (code !== 0) throw new Error(`claude ${words.join(" ")}: ${out}${err}`);
  }
  return own;
}
