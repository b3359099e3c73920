import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A program of the kit in a process of its own, and what it says. */
export interface Worker<Message> {
  readonly process: ChildProcess;
  readonly said: readonly Message[];
  /** Resolves once as many messages have come; throws if the process ends before. */
  hear(count: number): Promise<readonly Message[]>;
  tell(word: string): void;
  /** Resolves when the process has ended and everything it said has come. */
  readonly ended: Promise<Ending>;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly err: string;
}

const PROGRAMS = {
  decision: new URL("./decision-worker.ts", import.meta.url),
  fold: new URL("./fold-worker.ts", import.meta.url),
  handover: new URL("./handover-worker.ts", import.meta.url),
  index: new URL("./index-worker.ts", import.meta.url),
  ledger: new URL("./ledger-worker.ts", import.meta.url),
  log: new URL("./log-worker.ts", import.meta.url),
  memory: new URL("./memory-worker.ts", import.meta.url),
  note: new URL("./note-worker.ts", import.meta.url),
  receipt: new URL("./receipt-worker.ts", import.meta.url),
  reader: new URL("./reader-worker.ts", import.meta.url),
  team: new URL("./team-worker.ts", import.meta.url),
  update: new URL("./update-worker.ts", import.meta.url),
  worktree: new URL("./worktree-worker.ts", import.meta.url),
};

/** Starts a worker with these words. Each says "ready" first and begins when it is told to go. */
export function startWorker<Message>(name: keyof typeof PROGRAMS, words: readonly string[]): Worker<Message> {
  const child = fork(fileURLToPath(PROGRAMS[name]), [...words], {
    execArgv: ["--conditions=tenon-source"],
    stdio: ["ignore", 2, "pipe", "ipc"],
  });
  const said: Message[] = [];
  const listeners = new Set<() => void>();
  const tellListeners = (): void => listeners.forEach((listener) => listener());
  let err = "";
  let isOver = false;
  child.stderr?.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  child.on("message", (message) => {
    said.push(message as Message);
    tellListeners();
  });
  const ended = new Promise<Ending>((resolve) => {
    child.on("close", (code, signal) => {
      isOver = true;
      tellListeners();
      resolve({ code, signal, err });
    });
  });
  const hear = (count: number): Promise<readonly Message[]> =>
    new Promise((resolve, reject) => {
      const listener = (): void => {
        if (said.length >= count) resolve(said.slice(0, count));
        else if (isOver) reject(new Error(`The worker ended after ${said.length} of ${count} messages. ${err}`));
        else return;
        listeners.delete(listener);
      };
      listeners.add(listener);
      listener();
    });
  return { process: child, said, ended, hear, tell: (word) => void child.send(word) };
}

/** In a worker: says that it is ready and waits to be told to go. */
export async function ready(): Promise<void> {
  const go = new Promise((resolve) => void process.once("message", resolve));
  process.send?.("ready");
  await go;
}

/** In a worker: says something to whoever started it, and goes on once it is on its way. */
export const say = (message: unknown): Promise<void> =>
  new Promise((resolve) => void process.send?.(message, undefined, {}, () => resolve()));
