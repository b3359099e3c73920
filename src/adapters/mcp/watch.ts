import type { Engine } from "#operations/engine.ts";

const INTERVAL_MS = 1000;
/** Events after which another set of changes stands in the list of resources. */
const RELISTS = new Set(["change.started", "change.archived"]);

/** Tells when the list of changes is another one, whoever changed it: this server, another, or the command line. */
export class ChangeWatch {
  readonly #tell: () => void;
  readonly #seen = new Map<string, { engine: Engine; position: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** From now on; what happened before is not news. */
  async follow(engine: Engine): Promise<void> {
    if (this.#seen.has(engine.root)) return;
    // A ledger that cannot be read is told by the call that needs it.
    this.#seen.set(engine.root, { engine, position: await engine.store.position().catch(() => 0) });
    this.#timer ??= setInterval(() => void this.look(), INTERVAL_MS).unref();
  }

  async look(): Promise<void> {
    for (const entry of this.#seen.values()) {
      const events = await entry.engine.store.events(entry.position).catch(() => []);
      entry.position = events.at(-1)?.seq ?? entry.position;
      if (events.some((event) => RELISTS.has(event.kind))) this.#tell();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
