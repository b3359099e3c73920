import http from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";

export interface Mount extends AsyncDisposable {
  readonly url: string;
}

type Message = Parameters<ReturnType<typeof toNodeHandler>>[0];

/** What the suite calls by a name of its own, and what of ours answers to it. */
const STAND_INS: readonly (readonly [theirs: string, ours: string])[] = [
  [
    '"name":"test_prompt_with_arguments"},"argument":{"name":"arg1"',
    '"name":"sdd-stage-guide"},"argument":{"name":"stage"',
  ],
  // One of our arguments is free text, and it holds both of theirs.
  ['"arg1":"testValue1","arg2":"testValue2"', '"project_name":"testValue1 testValue2"'],
  ["test_prompt_with_arguments", "sdd-start"],
  ["test_simple_prompt", "sdd-memory-guide"],
  ["test_input_required_result_prompt", "sdd-status"],
  ["test://template/123/data", "sdd://changes/123"],
  ["test://static-text", "sdd://changes/123/describe"],
  ["test_input_required_result_list_roots", "sdd_change_list"],
  ["test_input_required_result_elicitation", "sdd_status"],
  ["test_error_handling", "sdd_change_reopen"],
  ["test_simple_text", "sdd_status"],
];

/** A server factory on loopback HTTP, because the suite does not speak over standard input. */
export async function mount(makeServer: () => Promise<Server>): Promise<Mount> {
  const handler = createMcpHandler(makeServer);
  const answer = toNodeHandler({ fetch: async (request) => handler.fetch(await inOurWords(request)) });
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  const listener = http.createServer((request, response) => {
    if (guards.every((allows) => allows(request, response))) void answer(request as Message, response);
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      listener.closeAllConnections();
      await new Promise((resolve) => void listener.close(resolve));
    },
  };
}

async function inOurWords(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const headers = new Headers([...request.headers].map(([name, value]) => [name, ours(value)] as [string, string]));
  return new Request(request.url, {
    method: "POST",
    headers,
    body: ours(await request.text()),
    signal: request.signal,
  });
}

const ours = (text: string): string => STAND_INS.reduce((said, [theirs, our]) => said.replaceAll(theirs, our), text);
