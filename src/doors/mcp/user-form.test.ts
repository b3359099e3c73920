import { type Server, type ServerContext, SdkError, SdkErrorCode } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { askInClient, readCallingClient } from "./user-form.ts";

const question = { id: "AUTH-001", key: "k1", question: "Do you approve the spec?", choices: ["approve", "reject"] };

const serve = (elicitation: unknown): Server =>
  ({
    getClientCapabilities: () => (elicitation === undefined ? {} : { elicitation }),
    getClientVersion: () => ({ name: "editor", version: "1" }),
  }) as unknown as Server;

function receive(send: () => Promise<unknown>, signal = new AbortController().signal) {
  return { mcpReq: { send, signal } } as unknown as ServerContext;
}

test.each([
  ["none", undefined, false],
  ["no mode, as older clients declare it", {}, true],
  ["forms", { form: {} }, true],
  ["pages only", { url: {} }, false],
])("asks a client with elicitation of %s", (_, elicitation, canElicit) => {
  const context = receive(async () => undefined);
  expect(readCallingClient(serve(elicitation), context)).toEqual({ name: "editor", canElicit });
});

test("gives no answer to a question that times out", async () => {
  const context = receive(() => Promise.reject(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")));
  expect(await askInClient(serve({}), context, question)).toBeUndefined();
});

test("ends a cancelled call while its question is open", async () => {
  const stopping = new AbortController();
  const context = receive(() => {
    stopping.abort();
    return Promise.reject(new Error("cancelled"));
  }, stopping.signal);
  await expect(askInClient(serve({}), context, question)).rejects.toThrow("cancelled");
});

test.each([
  [
    { action: "accept", content: { answer: " approve " } },
    { action: "accept", choice: "approve" },
  ],
  [{ action: "decline" }, { action: "decline" }],
  [{ action: "later" }, undefined],
  ["yes", undefined],
])("reads the result %j", async (result, answer) => {
  const found = await askInClient(
    serve({}),
    receive(async () => result),
    question,
  );
  expect(found).toEqual(answer && { choice: undefined, reason: undefined, ...answer });
});
