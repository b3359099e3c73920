import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Asked, MODEL_APIS, type ModelRequest, type Said } from "./model-apis.ts";

export type { Asked, Said } from "./model-apis.ts";

/** A model on loopback that answers from a script, for a client that is configured to ask it. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** A client that never finishes is stopped by an error after this many questions. */
const MAX_QUESTIONS = 40;

export async function scriptedModel(script: (asked: Asked) => Said): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const api = request.method === "POST" ? MODEL_APIS.find((each) => each.path.test(path)) : undefined;
      if (!api) return void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
      if (asked.length >= MAX_QUESTIONS) return void response.writeHead(400).end("{}");
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest;
      const question = api.read(body, path);
      asked.push(question);
      const isStream = body.stream === true || path.includes(":streamGenerateContent");
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(api.answer(script(question), asked.length, isStream, question.model));
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
