import { fileURLToPath } from "node:url";
import { inputRequired, type InputRequiredResult, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Engine } from "#operations/engine.ts";
import type { Progress } from "#operations/ports/runner.ts";

/** What the server needs from the house behind it. */
export interface McpHouse {
  readonly version: string;
  /** A text that ships with Tenon, by its path in `assets/`. */
  readonly asset: (name: string) => Promise<string>;
  /** A folder that the command line or the environment named; then nobody else is asked. */
  readonly isPlaceGiven: boolean;
  open(where: {
    readonly mayLack?: boolean;
    argument?: string | undefined;
    clientRoots?: readonly string[] | undefined;
    mayBegin?: boolean;
    progress?: Progress | undefined;
  }): Promise<Engine>;
  /** Passes a call on, and lets the process end only when it is through. */
  finishing<T>(call: Promise<T>): Promise<T>;
  logDefect(error: unknown): Promise<{ readonly id: string; readonly log: string }>;
}

interface Answers {
  readonly roots?: { readonly roots?: readonly { readonly uri?: unknown }[] };
}

/** The folders a client has open, asked for once and forgotten when it says they changed. */
export class ClientRoots {
  #folders: readonly string[] | undefined;

  forget(): void {
    this.#folders = undefined;
  }

  get known(): readonly string[] | undefined {
    return this.#folders;
  }

  /** A question to hand back to the client, or nothing when there is nothing to ask. */
  ask(server: Server, context: ServerContext): InputRequiredResult | undefined {
    if (this.#folders) return undefined;
    const answered = (context.mcpReq.inputResponses as Answers | undefined)?.roots;
    if (answered) {
      this.#folders = foldersOf(answered.roots ?? []);
      return undefined;
    }
    return offersRoots(server, context)
      ? inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
      : undefined;
  }
}

function offersRoots(server: Server, context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Record<string, { roots?: unknown } | undefined> | undefined;
  const capabilities = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities();
  return capabilities?.roots !== undefined;
}

function foldersOf(roots: readonly { readonly uri?: unknown }[]): string[] {
  return roots.flatMap(({ uri }) => {
    if (typeof uri !== "string" || !uri.startsWith("file:")) return [];
    try {
      return [fileURLToPath(uri)];
    } catch {
      return [];
    }
  });
}
