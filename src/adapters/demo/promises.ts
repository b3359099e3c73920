export interface PromiseOutcome {
  readonly promise: string;
  readonly instead?: string;
}

export class PromiseLog {
  readonly #all: PromiseOutcome[] = [];
  readonly #tell: (kept: PromiseOutcome) => void;

  constructor(tell: (kept: PromiseOutcome) => void) {
    this.#tell = tell;
  }

  hold(promise: string, is: unknown, should: unknown): void {
    const [found, wanted] = [JSON.stringify(is), JSON.stringify(should)];
    const kept = found === wanted ? { promise } : { promise, instead: `${found} instead of ${wanted}` };
    this.#all.push(kept);
    this.#tell(kept);
  }

  /** A promise that was never checked counts as broken. */
  break(promise: string, instead: string): void {
    const kept = { promise, instead };
    this.#all.push(kept);
    this.#tell(kept);
  }

  get all(): readonly PromiseOutcome[] {
    return this.#all;
  }

  get areKept(): boolean {
    return this.#all.length > 0 && this.#all.every(({ instead }) => instead === undefined);
  }
}
