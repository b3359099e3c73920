import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

export const BIN = join(process.cwd(), "bin", "tenon.js");
/** What the program keeps per user, for all tests; it holds Node's compiled code too, so that starts are fast. */
export const HOME = join(process.cwd(), "node_modules", ".cache", "tenon-test");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Settings {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built program as a user runs it, in a process of its own. */
export function tenon(words: readonly string[], { cwd, input, env }: Settings): Finished {
  const done = spawnSync(process.execPath, [BIN, ...words], {
    cwd,
    encoding: "utf8",
    env: environment(env),
    ...(input === undefined ? {} : { input }),
  });
  return { code: done.status, signal: done.signal, out: done.stdout, err: done.stderr };
}

/** As `tenon`, without waiting in this thread, so that several can run at once. */
export function tenonAsync(words: readonly string[], settings: Settings): Promise<Finished> {
  const child = startTenon(words, settings);
  child.stdin?.end(settings.input ?? "");
  return finished(child);
}

export function finished(child: ChildProcess): Promise<Finished> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
}

export function startTenon(words: readonly string[], { cwd, env }: Settings): ChildProcess {
  return spawn(process.execPath, [BIN, ...words], { cwd, env: environment(env), stdio: "pipe" });
}

/** What says where whoever runs the tests is at work, or slows Node down. */
const FOREIGN = new Set([
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "FORCE_COLOR",
  "TENON_WORKSPACE",
  "TENON_SESSION",
  "CLAUDE_PROJECT_DIR",
  "CLAUDE_ENV_FILE",
]);

/** A home of its own for what the program keeps per user, and a width at which no sentence wraps. */
export function environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.has(name));
  return { ...Object.fromEntries(inherited), TENON_HOME: HOME, COLUMNS: "1000", ...extra };
}
