import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { CodeOutline } from "../../model/index/code-outline.ts";
import type { OutlinedFile } from "../../operations/ports/code-index.ts";
import { outlineCommentsOnly } from "../syntax/tree-sitter-reader.ts";

export interface OutlineMeans {
  readonly read: (path: string, text: string) => Promise<CodeOutline | undefined>;
  readonly start: () => Worker;
  /** How long a thread may make no progress before it counts as hung. The parser limits its own work. */
  readonly patienceMs: number;
  readonly little: number;
}

const FEWEST_FILES_FOR_THREADS = 30;
const MOST_OUTLINE_THREADS = 4;

/** Yields each outline as soon as it is ready. Only a few files are in progress at a time. */
export async function* streamOutlines(
  files: AsyncIterable<OutlineRequest>,
  means: OutlineMeans,
): AsyncGenerator<OutlinedFile> {
  const source = files[Symbol.asyncIterator]();
  let isAll = false;
  const takeNext = async (): Promise<OutlineRequest | undefined> => {
    const { done, value } = await source.next();
    isAll = done === true;
    return done === true ? undefined : value;
  };
  try {
    const first: OutlineRequest[] = [];
    let letters = 0;
    while (!isAll && (first.length < FEWEST_FILES_FOR_THREADS || letters < means.little)) {
      const next = await takeNext();
      if (next !== undefined) first.push(next);
      letters += next?.text.length ?? 0;
    }
    if (isAll) for (const { path, text } of first) yield { path, outline: await means.read(path, text) };
    else yield* outlineInWorkerPool(async () => first.shift() ?? (isAll ? undefined : takeNext()), means);
  } finally {
    await source.return?.();
  }
}

async function* outlineInWorkerPool(
  takeNext: () => Promise<OutlineRequest | undefined>,
  means: OutlineMeans,
): AsyncGenerator<OutlinedFile> {
  const crew = new OutlineWorkerPool(Math.max(1, Math.min(availableParallelism(), MOST_OUTLINE_THREADS)), means);
  try {
    for (let isAll = false; ;) {
      while (crew.hasRoom && !isAll) {
        const next = await takeNext();
        if (next === undefined) isAll = true;
        else crew.give(next);
      }
      if (isAll && crew.isIdle) return;
      yield* await crew.told();
    }
  } finally {
    await crew.end();
  }
}

const QUEUED_FILES_PER_THREAD = 4;
const MOST_FAILED_STARTS = 3;

interface OutlineThread {
  readonly worker: Worker;
  readonly files: OutlineRequest[];
  state: "starting" | "ready" | "spent";
  timer: NodeJS.Timeout | undefined;
}

/** Replaces a thread that dies or hangs, and tries its file once more. Then only the file's comments are outlined. */
class OutlineWorkerPool {
  readonly #means: OutlineMeans;
  readonly #size: number;
  readonly #hands: OutlineThread[] = [];
  /** Files queued at a thread that died. */
  readonly #again: OutlineRequest[] = [];
  readonly #retried = new Set<string>();
  readonly #told: OutlinedFile[] = [];
  #failed = 0;
  #wake: () => void = () => undefined;

  constructor(size: number, means: OutlineMeans) {
    this.#size = size;
    this.#means = means;
  }

  get #given(): number {
    return this.#hands.reduce((sum, { files }) => sum + files.length, this.#again.length);
  }

  get hasRoom(): boolean {
    return this.#given + this.#told.length < this.#size * QUEUED_FILES_PER_THREAD;
  }

  get isIdle(): boolean {
    return this.#given === 0 && this.#told.length === 0;
  }

  give(file: OutlineRequest): void {
    const least = this.#hands.toSorted((one, other) => one.files.length - other.files.length)[0];
    const isBusy = least === undefined || least.files.length > 0;
    const hand = isBusy && this.#hands.length < this.#size ? this.#started() : least;
    if (hand === undefined) {
      this.#again.push(file);
      return;
    }
    hand.files.push(file);
    hand.worker.postMessage(file);
    if (hand.files.length === 1) this.#watch(hand);
  }

  async told(): Promise<OutlinedFile[]> {
    while (this.#told.length === 0 && this.#given > 0) {
      for (const { path, text } of this.#again.splice(0)) {
        if (this.#failed < MOST_FAILED_STARTS) this.give({ path, text });
        else this.#told.push({ path, outline: await this.#means.read(path, text) });
      }
      if (this.#told.length > 0) break;
      // A thread cannot deliver a message while this code runs, so no wake-up is lost before this is set.
      await new Promise<void>((wake) => (this.#wake = wake));
    }
    return this.#told.splice(0);
  }

  async end(): Promise<void> {
    const hands = this.#hands.splice(0);
    for (const { timer } of hands) clearTimeout(timer);
    // One after another: threads that freed their compiled code at the same time have crashed the whole process.
    for (const { worker } of hands) await worker.terminate();
  }

  #started(): OutlineThread | undefined {
    if (this.#failed >= MOST_FAILED_STARTS) return undefined;
    let worker: Worker;
    try {
      worker = this.#means.start();
    } catch {
      this.#failed = MOST_FAILED_STARTS;
      return undefined;
    }
    const hand: OutlineThread = { worker, files: [], state: "starting", timer: undefined };
    // `exit` always follows `error`.
    hand.worker.on("error", () => undefined);
    hand.worker.on("message", (said: OutlineReply) => this.#hear(hand, said));
    hand.worker.on("exit", () => this.#bury(hand));
    this.#hands.push(hand);
    return hand;
  }

  #hear(hand: OutlineThread, said: OutlineReply): void {
    if (typeof said === "string") {
      if (said !== "working") hand.state = said;
      this.#watch(hand);
      return;
    }
    const file = hand.files.shift();
    if (file === undefined) return;
    this.#told.push({ path: file.path, outline: said.outline });
    this.#watch(hand);
    this.#wake();
  }

  #bury(hand: OutlineThread): void {
    const at = this.#hands.indexOf(hand);
    if (at === -1) return;
    this.#hands.splice(at, 1);
    clearTimeout(hand.timer);
    const reading = hand.state === "ready" ? hand.files.shift() : undefined;
    if (hand.state === "starting") this.#failed++;
    if (reading !== undefined && this.#retried.has(reading.path)) {
      const { path, text } = reading;
      this.#told.push({ path, outline: outlineCommentsOnly(path, text), isUnfinished: true });
    } else if (reading !== undefined) {
      this.#retried.add(reading.path);
      this.#again.push(reading);
    }
    this.#again.push(...hand.files);
    this.#wake();
  }

  #watch(hand: OutlineThread): void {
    clearTimeout(hand.timer);
    if (hand.files.length === 0) return;
    const most = this.#means.patienceMs + (hand.state === "starting" ? THREAD_START_MS : 0);
    hand.timer = setTimeout(() => void hand.worker.terminate(), most);
  }
}

const THREAD_START_MS = 60_000;

export interface ThreadData {
  readonly grammars: string;
  readonly maxSteps: number;
}

export interface OutlineRequest {
  readonly path: string;
  readonly text: string;
}

/** `ready`, then one answer per file in order, with `working` while one takes long; `spent` after the last. */
export type OutlineReply = "ready" | "working" | "spent" | { readonly outline: CodeOutline | undefined };

const MOST_THREAD_MEMORY_MB = 256;

/** From `worker.ts` in a source checkout, else from the bundle next to this one. */
export function startOutlineThread(folder: URL, maxSteps: number): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const workerData: ThreadData = { grammars: folder.href, maxSteps };
  const worker = new Worker(new URL(isSource ? "./worker.ts" : "./outline-worker.js", import.meta.url), {
    workerData,
    name: "outlines",
    execArgv: isSource ? ["--conditions=tenon-source"] : [],
    env: {},
    // Without a limit for the young generation, V8 sometimes aborts the whole process instead of the thread.
    resourceLimits: { maxOldGenerationSizeMb: MOST_THREAD_MEMORY_MB, maxYoungGenerationSizeMb: 16 },
    // A crashing parser prints to the output; it is discarded.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}
