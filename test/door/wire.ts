import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server spoken to byte by byte, for what no proper client would say. */
export interface Wire extends AsyncDisposable {
  /** Objects are sent as a line of JSON, texts and bytes as they are. */
  send(...lines: readonly (object | string | Uint8Array)[]): void;
  /** The first answer that carries the id. */
  answer(id: string | number): Promise<Message>;
  /** Every line of standard output so far, read as JSON. */
  readonly messages: readonly Message[];
  readonly stderr: () => string;
  /** Ends standard input and waits until the process has gone. */
  hangUp(): Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

interface Settings {
  readonly cwd: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that holds `bin/tenon.js`. */
  readonly home?: string;
}

export function openWire({ cwd, words = ["mcp", "--structured"], env = {}, home = process.cwd() }: Settings): Wire {
  const child = spawn(process.execPath, [join(home, "bin", "tenon.js"), ...words], {
    cwd,
    stdio: "pipe",
    env: {
      PATH: process.env["PATH"],
      HOME: "/nowhere/home",
      TENON_HOME: join(process.cwd(), "node_modules", ".cache", "tenon-test"),
      ...env,
    },
  });
  const gone = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  const messages: Message[] = [];
  const waiting = new Map<string | number, (message: Message) => void>();
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()));
  // A server that dies early breaks the pipe; its exit code says so better than this.
  child.stdin.on("error", () => undefined);
  eachLine(child, (line) => {
    const message = JSON.parse(line) as Message;
    messages.push(message);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const hangUp: Wire["hangUp"] = () => {
    child.stdin.end();
    return gone;
  };
  return {
    messages,
    hangUp,
    stderr: () => stderr,
    send(...lines) {
      for (const line of lines) {
        child.stdin.write(typeof line === "string" || line instanceof Uint8Array ? line : `${JSON.stringify(line)}\n`);
      }
    },
    answer: (id) =>
      new Promise((resolve) => {
        const here = messages.find((message) => message.id === id);
        if (here) resolve(here);
        else waiting.set(id, resolve);
      }),
    [Symbol.asyncDispose]: async () => void (await hangUp()),
  };
}

function eachLine(child: ChildProcess, hear: (line: string) => void): void {
  let rest = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(line);
  });
  // What has no line end is no message; reading it fails the test as it should.
  child.stdout?.on("end", () => {
    if (rest !== "") hear(`not a whole line: ${rest}`);
  });
}

/** The handshake of the era that has one. */
export const initialize = (protocolVersion = "2025-11-25", capabilities: object = {}): object => ({
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion, capabilities, clientInfo: { name: "wire", version: "1" } },
});

export const request = (id: string | number, method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** A request of the era in which each one says who asks. */
export const modern = (id: string | number, method: string, params: object = {}): object =>
  request(id, method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });

export const call = (id: string | number, name: string, input: object = {}): object =>
  request(id, "tools/call", { name, arguments: input });
