import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress?: (() => void) | undefined;
}

interface McpMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progressToken?: number };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface ToolCallResult {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** A minimal MCP client: one server over stdio, one JSON message per line. */
export class McpClient {
  readonly #server: ChildProcess;
  readonly #waiting = new Map<number, PendingCall>();
  readonly #ended: Promise<unknown>;
  #last = 0;

  private constructor(server: ChildProcess) {
    this.#server = server;
    this.#ended = once(server, "close");
    if (server.stdout) createInterface(server.stdout).on("line", (line) => this.#hear(JSON.parse(line) as McpMessage));
    server.stdin?.on("error", () => undefined);
    void this.#ended.then(() => this.#giveUp());
  }

  static async connect(
    argv: readonly string[],
    settings: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ): Promise<McpClient> {
    const [program = "", ...words] = argv;
    const client = new McpClient(spawn(program, words, { ...settings, stdio: ["pipe", "pipe", "ignore"] }));
    const clientInfo = { name: "tenon-demo", version: "1.0.0" };
    await client.#ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  async call(tool: string, input: Readonly<Record<string, unknown>>, onProgress?: () => void): Promise<ToolAnswer> {
    const result = (await this.#ask("tools/call", { name: tool, arguments: input }, onProgress)) as ToolCallResult;
    return {
      data: result.structuredContent ?? {},
      text: (result.content ?? []).map(({ text = "" }) => text).join("\n"),
      isError: result.isError ?? false,
    };
  }

  /** Like a power failure: the server cannot clean up. */
  async kill(): Promise<void> {
    this.#server.kill("SIGKILL");
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#server.stdin?.end();
    await this.#ended;
  }

  #ask(method: string, params: Readonly<Record<string, unknown>>, onProgress?: () => void): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#send({ id, method, params: onProgress ? { ...params, _meta: { progressToken: id } } : params });
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    this.#server.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #hear({ id, method, params, result, error }: McpMessage): void {
    if (method === "notifications/progress") this.#waiting.get(params?.progressToken ?? 0)?.onProgress?.();
    if (method !== undefined || id === undefined) return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  #giveUp(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("The server is gone."));
    this.#waiting.clear();
  }
}
