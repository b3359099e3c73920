import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CallToolResult, Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** The oldest protocol in use, the last one with a handshake, and the one without. */
export const VERSIONS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Version = (typeof VERSIONS)[number];

export interface Connection extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, input?: Record<string, unknown>): Promise<CallToolResult>;
  /** How often the server said that its list of resources is another one. */
  readonly relisted: () => number;
  /** Resolves when it says so again. */
  nextRelisting(): Promise<void>;
  /** What the server wrote to standard error so far. */
  readonly stderr: () => string;
  readonly pid: number | undefined;
  /** Resolves when the server has ended. */
  readonly closed: Promise<void>;
}

interface Settings {
  readonly cwd: string;
  readonly words?: readonly string[];
  /** Tests read the structured part. Clients of models do not ask for it. */
  readonly isStructured?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The folders the client has open; asked anew each time. */
  readonly roots?: () => readonly string[];
  /** The user, who answers the forms that the client shows. */
  readonly user?: (message: string, choices: readonly string[]) => ElicitResult | Promise<ElicitResult>;
}

/** The official client on the built server, speaking exactly one version of the protocol. */
export async function connect(
  version: Version,
  { cwd, words = [], env = {}, roots, user, isStructured = true }: Settings,
): Promise<Connection> {
  const isModern = version === "2026-07-28";
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      capabilities: {
        ...(roots ? { roots: { listChanged: true } } : {}),
        ...(user ? { elicitation: { form: {} } } : {}),
      },
      versionNegotiation: { mode: isModern ? { pin: version } : "legacy" },
      ...(isModern ? {} : { supportedProtocolVersions: [version] }),
    },
  );
  if (roots) {
    client.setRequestHandler("roots/list", () => ({
      roots: roots().map((path) => ({ uri: pathToFileURL(path).href, name: "root" })),
    }));
  }
  if (user) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const { requestedSchema } = params as unknown as {
        requestedSchema: { properties: { answer: { enum: string[] } } };
      };
      return user(params.message, requestedSchema.properties.answer.enum);
    });
  }
  let count = 0;
  let waiting: (() => void)[] = [];
  client.setNotificationHandler("notifications/resources/list_changed", () => {
    count++;
    for (const resolve of waiting) resolve();
    waiting = [];
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), "bin", "tenon.js"), "mcp", ...(isStructured ? ["--structured"] : []), ...words],
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
  const closed = new Promise<void>((resolve) => (client.onclose = () => resolve()));
  return {
    client,
    pid: transport.pid ?? undefined,
    closed,
    call: (name, input = {}) => client.callTool({ name, arguments: input }),
    relisted: () => count,
    nextRelisting: () => new Promise((resolve) => void waiting.push(resolve)),
    stderr: () => stderr,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The code of the fault that a result carries, or nothing. */
export function getFault(result: CallToolResult): unknown {
  return (result._meta?.["tenon/fault"] as { code?: unknown } | undefined)?.code;
}
