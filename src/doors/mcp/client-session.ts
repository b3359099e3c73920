import { fileURLToPath } from "node:url";
import { inputRequired, type InputRequiredResult, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Engine } from "../engine.ts";
import type { CallOrigin } from "#kernel/operations/engine.ts";
import type { CallProgress } from "#kernel/operations/call-progress.ts";

export interface McpHost {
  readonly version: string;
  readonly asset: (name: string) => Promise<string>;
  /** Whether the command line or the environment named a folder. Then the client is not asked for one. */
  readonly isPlaceGiven: boolean;
  /** Claude Code, Codex and Qwen show a model nothing else of a result that has it, so it is for programs. */
  readonly isStructured: boolean;
  open(where: {
    readonly mayLack?: boolean;
    argument?: string | undefined;
    clientRoots?: readonly string[] | undefined;
    mayBegin?: boolean;
    progress?: CallProgress | undefined;
    /** The client of the call, where it asks the user for approval. */
    client?: Pick<CallOrigin, "name" | "canElicit"> | undefined;
  }): Promise<Engine>;
  /** Passes a call on and keeps the process alive until it ends. */
  finishing<T>(call: Promise<T>): Promise<T>;
  logDefect(error: unknown): Promise<{ readonly id: string; readonly log: string }>;
}

type ClientRootList = readonly { readonly uri?: unknown }[];

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
    const { inputResponses, envelope } = context.mcpReq as {
      readonly inputResponses?: { readonly roots?: { readonly roots?: ClientRootList } };
      readonly envelope?: Record<string, { roots?: unknown } | undefined>;
    };
    if (inputResponses?.roots) {
      this.#folders = parseRootFolders(inputResponses.roots.roots ?? []);
      return undefined;
    }
    const capabilities = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities();
    if (capabilities?.roots === undefined) return undefined;
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  }
}

function parseRootFolders(roots: ClientRootList): string[] {
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

const RESOURCE_EVENTS: ReadonlySet<string> = new Set([
  "change.started",
  "change.archived",
  "project.started",
  "project.stage-completed",
  "workspace.adopted",
]);

interface WatchedWorkspace {
  readonly engine: Engine;
  position: number;
  tools: string;
}

/** Notifies when a list changes, whether this server, another one or the command line caused it. */
export class ListChangeWatch {
  readonly #tell: (list: ClientList) => void;
  readonly #listTools: (engine: Engine) => Promise<string>;
  readonly #seen = new Map<string, WatchedWorkspace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (list: ClientList) => void, listTools: (engine: Engine) => Promise<string>) {
    this.#tell = tell;
    this.#listTools = listTools;
  }

  /** Starts at the current position: earlier events are not reported. */
  async follow(engine: Engine): Promise<void> {
    if (this.#seen.has(engine.root)) return;
    // A call that needs an unreadable ledger reports it.
    const position = await engine.store.position().catch(() => 0);
    this.#seen.set(engine.root, { engine, position, tools: await this.#listTools(engine) });
    this.#timer ??= setInterval(() => void this.look(), WATCH_INTERVAL_MS).unref();
  }

  async look(): Promise<void> {
    for (const entry of this.#seen.values()) {
      const events = await entry.engine.store.events(entry.position).catch(() => []);
      if (events.length === 0) continue;
      entry.position = events.at(-1)?.seq ?? entry.position;
      if (events.some(({ kind }) => RESOURCE_EVENTS.has(kind))) this.#tell("resources");
      const tools = await this.#listTools(entry.engine).catch(() => entry.tools);
      const isChanged = tools !== entry.tools;
      entry.tools = tools;
      if (isChanged) this.#tell("tools");
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
