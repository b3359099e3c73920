import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly model: string;
  readonly tools: readonly string[];
  /** All that the model is told, as text. */
  readonly text: string;
  readonly results: readonly string[];
}

export type Said = { readonly text: string } | { readonly tool: string; readonly input: object };

/** A model that says what a script has it say, for a client that is told to ask it. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
}

interface Block {
  readonly type: string;
  readonly content?: unknown;
}
interface Request {
  readonly model?: string;
  readonly system?: unknown;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly content: string | readonly Block[] }[];
}

export async function scriptedModel(script: (asked: Asked) => Said): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const isAsked = request.url?.startsWith("/v1/messages") === true && !request.url.includes("count_tokens");
      if (!isAsked) return void response.writeHead(200, { "content-type": "application/json" }).end("{}");
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Request;
      const question = read(body);
      asked.push(question);
      answer(response, body, script(question), asked.length);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function read({ model = "", system, tools = [], messages = [] }: Request): Asked {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Block[]) : []));
  return {
    model,
    tools: tools.map(({ name }) => name),
    text: JSON.stringify([system, messages]),
    results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content)),
  };
}

function answer(response: http.ServerResponse, { model, stream }: Request, said: Said, n: number): void {
  const isTool = "tool" in said;
  const block = isTool
    ? { type: "tool_use", id: `toolu_${n}`, name: said.tool, input: said.input }
    : { type: "text", ...said };
  const stop_reason = isTool ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${n}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
  if (stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ ...message, content: [block], stop_reason }));
  }
  const delta = isTool
    ? { type: "input_json_delta", partial_json: JSON.stringify(said.input) }
    : { type: "text_delta", text: said.text };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [type, data] of [
    ["message_start", { message: { ...message, content: [], stop_reason: null } }],
    ["content_block_start", { index: 0, content_block: isTool ? { ...block, input: {} } : { type: "text", text: "" } }],
    ["content_block_delta", { index: 0, delta }],
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage }],
    ["message_stop", {}],
  ] as const) {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
  response.end();
}
