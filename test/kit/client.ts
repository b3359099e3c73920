import { join } from "node:path";
import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export type Era = "legacy" | "modern";
export const ERAS: readonly Era[] = ["legacy", "modern"];

export interface Connection extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, input?: Record<string, unknown>): Promise<CallToolResult>;
  /** What the server wrote to standard error so far. */
  readonly stderr: () => string;
}

interface Settings {
  readonly cwd: string;
  readonly era: Era;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders the client says it has open. */
  readonly roots?: readonly string[];
}

/** The official client on the built server, as a real client starts it. */
export async function connect({ cwd, era, words = [], env = {}, roots }: Settings): Promise<Connection> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      capabilities: roots ? { roots: { listChanged: true } } : {},
      versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  if (roots) {
    client.setRequestHandler("roots/list", () => ({
      roots: roots.map((path) => ({ uri: `file://${path}`, name: "root" })),
    }));
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), "bin", "tenon.js"), "mcp", ...words],
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nowhere/home",
      TENON_HOME: join(process.cwd(), "node_modules", ".cache", "tenon-test"),
      ...env,
    },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => void (stderr += chunk.toString()));
  await client.connect(transport);
  return {
    client,
    stderr: () => stderr,
    call: (name, input = {}) => client.callTool({ name, arguments: input }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
