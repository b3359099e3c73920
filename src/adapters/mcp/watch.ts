import type { Engine } from "#operations/engine.ts";

const INTERVAL_MS = 1000;
type List = "resources" | "tools";

/** Events after which a list is another one: of changes among the resources, of tools while a project or a workflow is under way. */
const RELISTS: Readonly<Record<string, readonly List[]>> = {
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

/** Tells when a list is another one, whoever changed it: this server, another, or the command line. */
export class ChangeWatch {
  readonly #tell: (list: List) => void;
  readonly #seen = new Map<string, { engine: Engine; position: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (list: List) => void) {
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
      for (const list of new Set(events.flatMap((event) => RELISTS[event.kind] ?? []))) this.#tell(list);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
