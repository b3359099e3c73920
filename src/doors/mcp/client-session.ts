import { fileURLToPath } from "node:url";
import { inputRequired, type InputRequiredResult, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Engine } from "../engine.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";

export interface McpHost {
  readonly version: string;
  readonly asset: (name: string) => Promise<string>;
  /** Whether the command line or the environment named a folder. Then the client is not asked for one. */
  readonly isPlaceGiven: boolean;
  open(where: {
    readonly mayLack?: boolean;
    argument?: string | undefined;
    clientRoots?: readonly string[] | undefined;
    mayBegin?: boolean;
    progress?: CallProgress | undefined;
  }): Promise<Engine>;
  /** Passes a call on and keeps the process alive until it ends. */
  finishing<T>(call: Promise<T>): Promise<T>;
  logDefect(error: unknown): Promise<{ readonly id: string; readonly log: string }>;
}

interface ClientInputResponses {
  readonly roots?: { readonly roots?: readonly { readonly uri?: unknown }[] };
}

/** The client's open folders. Asked for once and dropped when the client reports a change. */
export class ClientRoots {
  #folders: readonly string[] | undefined;

  forget(): void {
    this.#folders = undefined;
  }

  get known(): readonly string[] | undefined {
    return this.#folders;
  }

  ask(server: Server, context: ServerContext): InputRequiredResult | undefined {
    if (this.#folders) return undefined;
    const answered = (context.mcpReq.inputResponses as ClientInputResponses | undefined)?.roots;
    if (answered) {
      this.#folders = parseRootFolders(answered.roots ?? []);
      return undefined;
    }
    return hasRootsCapability(server, context)
      ? inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
      : undefined;
  }
}

function hasRootsCapability(server: Server, context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Record<string, { roots?: unknown } | undefined> | undefined;
  const capabilities = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities();
  return capabilities?.roots !== undefined;
}

function parseRootFolders(roots: readonly { readonly uri?: unknown }[]): string[] {
  return roots.flatMap(({ uri }) => {
    if (typeof uri !== "string" || !uri.startsWith("file:")) return [];
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
}

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
