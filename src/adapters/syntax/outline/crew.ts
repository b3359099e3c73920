import type { Worker } from "node:worker_threads";
import type { OutlinedFile } from "#operations/ports/syntax.ts";
import { outlineByComments } from "../reading.ts";
import type { Means } from "./many.ts";
import type { Asked, Said } from "./thread.ts";

const WAITING = 4;
const MOST_FAILED = 3;

interface Hand {
  readonly worker: Worker;
  readonly files: Asked[];
  state: "starting" | "ready" | "spent";
  timer: NodeJS.Timeout | undefined;
}

/**
 * Threads that outline files. A thread that dies or hangs on a file is replaced, and that file gets an outline of its
 * comments only.
 */
export class Crew {
  readonly #means: Means;
  readonly #size: number;
  readonly #hands: Hand[] = [];
  /** Files queued at a thread that died before it read them. */
  readonly #again: Asked[] = [];
  readonly #told: OutlinedFile[] = [];
  #failed = 0;
  #wake: () => void = () => undefined;

  constructor(size: number, means: Means) {
    this.#size = size;
    this.#means = means;
  }

  get #given(): number {
    return this.#hands.reduce((sum, { files }) => sum + files.length, this.#again.length);
  }

  get hasRoom(): boolean {
    return this.#given + this.#told.length < this.#size * WAITING;
  }

  get isIdle(): boolean {
    return this.#given === 0 && this.#told.length === 0;
  }

  give(file: Asked): void {
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
        if (this.#failed < MOST_FAILED) this.give({ path, text });
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

  #started(): Hand | undefined {
    const worker = this.#failed < MOST_FAILED ? this.#startedWorker() : undefined;
    if (worker === undefined) return undefined;
    const hand: Hand = { worker, files: [], state: "starting", timer: undefined };
    // `exit` always follows `error`.
    hand.worker.on("error", () => undefined);
    hand.worker.on("message", (said: Said) => this.#hear(hand, said));
    hand.worker.on("exit", () => this.#bury(hand));
    this.#hands.push(hand);
    return hand;
  }

  #startedWorker(): Worker | undefined {
    try {
      return this.#means.start();
    } catch {
      this.#failed = MOST_FAILED;
      return undefined;
    }
  }

  #hear(hand: Hand, said: Said): void {
    if (typeof said === "string") {
      hand.state = said;
      this.#watch(hand);
      return;
    }
    const file = hand.files.shift();
    if (file === undefined) return;
    this.#told.push({ path: file.path, outline: said.outline });
    this.#watch(hand);
    this.#wake();
  }

  #bury(hand: Hand): void {
    const at = this.#hands.indexOf(hand);
    if (at === -1) return;
    this.#hands.splice(at, 1);
    clearTimeout(hand.timer);
    const reading = hand.state === "ready" ? hand.files.shift() : undefined;
    if (hand.state === "starting") this.#failed++;
    if (reading !== undefined)
      this.#told.push({ path: reading.path, outline: outlineByComments(reading.path, reading.text) });
    this.#again.push(...hand.files);
    this.#wake();
  }

  #watch(hand: Hand): void {
    clearTimeout(hand.timer);
    if (hand.files.length === 0) return;
    const most = this.#means.patienceMs + (hand.state === "starting" ? START_MS : 0);
    hand.timer = setTimeout(() => void hand.worker.terminate(), most);
  }
}

const START_MS = 60_000;
