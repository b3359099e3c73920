/** Something that Tenon promises, and whether it was so. */
export interface Kept {
  readonly promise: string;
  /** What was there instead; nothing where it was kept. */
  readonly instead?: string;
}

/** Keeps count of what was promised, by looking each time. */
export class Promises {
  readonly #all: Kept[] = [];
  readonly #tell: (kept: Kept) => void;

  constructor(tell: (kept: Kept) => void) {
    this.#tell = tell;
  }

  /** Whether what is there is what should be, piece by piece: objects and lists are compared as they are written. */
  hold(promise: string, is: unknown, should: unknown): void {
    const [found, wanted] = [JSON.stringify(is), JSON.stringify(should)];
    const kept = found === wanted ? { promise } : { promise, instead: `${found} instead of ${wanted}` };
    this.#all.push(kept);
    this.#tell(kept);
  }

  /** What was never looked at counts as broken. */
  break(promise: string, instead: string): void {
    const kept = { promise, instead };
    this.#all.push(kept);
    this.#tell(kept);
  }

  get all(): readonly Kept[] {
    return this.#all;
  }

  get areKept(): boolean {
    return this.#all.length > 0 && this.#all.every(({ instead }) => instead === undefined);
  }
}
