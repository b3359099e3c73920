import type { Engine } from "#operations/engine.ts";

const WATCH_INTERVAL_MS = 1000;
type ClientList = "resources" | "tools";

const LIST_CHANGING_EVENTS: Readonly<Record<string, readonly ClientList[]>> = {
  "change.started": ["resources", "tools"],
  "change.archived": ["resources", "tools"],
  "project.started": ["resources", "tools"],
  "project.stage-completed": ["resources"],
  "project.completed": ["tools"],
  "project.reopened": ["tools"],
  "workflow.started": ["tools"],
  "workflow.completed": ["tools"],
  "workflow.abandoned": ["tools"],
  "workspace.adopted": ["resources", "tools"],
};

/** Notifies when a list changes, whether this server, another one or the command line caused it. */
export class ListChangeWatch {
  readonly #tell: (list: ClientList) => void;
  readonly #seen = new Map<string, { engine: Engine; position: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (list: ClientList) => void) {
    this.#tell = tell;
  }

  /** Starts at the current position: earlier events are not reported. */
  async follow(engine: Engine): Promise<void> {
    if (this.#seen.has(engine.root)) return;
    // A call that needs an unreadable ledger reports it.
    this.#seen.set(engine.root, { engine, position: await engine.store.position().catch(() => 0) });
    this.#timer ??= setInterval(() => void this.look(), WATCH_INTERVAL_MS).unref();
  }

  async look(): Promise<void> {
    for (const entry of this.#seen.values()) {
      const events = await entry.engine.store.events(entry.position).catch(() => []);
      entry.position = events.at(-1)?.seq ?? entry.position;
      for (const list of new Set(events.flatMap((event) => LIST_CHANGING_EVENTS[event.kind] ?? []))) this.#tell(list);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
