import { fileURLToPath } from "node:url";
import { inputRequired, type InputRequiredResult, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Engine } from "#operations/engine.ts";
import type { CallProgress } from "#operations/ports/runner.ts";

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
