import { once } from "node:events";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { LineTransport } from "./line-transport.ts";

const LIMIT = 16 * 1024 * 1024;
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const NOTE = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
const WIDE = { jsonrpc: "2.0", id: "añ修🚀", method: "tools/call", params: { name: "x\n\u2028" } };
const line = (message: unknown): string => `${JSON.stringify(message)}\n`;

/** A transport between two streams, and everything that came out of it. */
async function connected() {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport(input, output);
  const seen = { messages: [] as unknown[], errors: [] as string[], closed: 0, answers: [] as unknown[] };
  transport.onmessage = (message) => void seen.messages.push(message);
  transport.onerror = (error) => void seen.errors.push(error.message);
  transport.onclose = () => void seen.closed++;
  output.on("data", (chunk: Buffer) => {
    seen.answers.push(
      ...chunk
        .toString()
        .trimEnd()
        .split("\n")
        .map((text) => JSON.parse(text) as unknown),
    );
  });
  await transport.start();
  return { input, output, transport, seen };
}

/** What a client that says this and hangs up sees, and what the server hears. */
async function exchange(...chunks: (string | Buffer)[]) {
  const connection = await connected();
  for (const chunk of chunks) connection.input.write(chunk);
  await hangUp(connection);
  const { messages, answers } = connection.seen;
  return { messages, answers };
}

/** Ends the input, and waits until all that was written came through. */
async function hangUp({ input, output }: { input: PassThrough; output: PassThrough }): Promise<void> {
  input.end();
  await once(input, "end");
  output.end();
  await once(output, "end");
}

const refusal = (code: number, message: string, id?: unknown) => ({
  jsonrpc: "2.0",
  ...(id === undefined ? {} : { id }),
  error: { code, message },
});
const NOT_JSON = refusal(-32700, "The line is not JSON.");
const NO_MESSAGE = "The line is not a JSON-RPC 2.0 message.";

test("reads each line as a message", async () => {
  expect(await exchange(line(PING) + line(NOTE), line(WIDE))).toEqual({ messages: [PING, NOTE, WIDE], answers: [] });
});

test.each([
  ["Windows line ends", `${JSON.stringify(PING)}\r\n`],
  ["blank lines around", `\n\r\n  \t\n${line(PING)}\n\n`],
  ["spaces around", `  ${JSON.stringify(PING)}  \n`],
])("ignores %s", async (_, text) => {
  expect(await exchange(text)).toEqual({ messages: [PING], answers: [] });
});

test.each([
  ["not JSON", "hello", NOT_JSON],
  ["an incomplete object", '{"jsonrpc":"2.0","id":1', NOT_JSON],
  ["two objects", JSON.stringify(PING).repeat(2), NOT_JSON],
  ["bytes that are no UTF-8", Buffer.from([0xff, 0xfe, 0x80]), NOT_JSON],
  ["NULs", "\0\0", NOT_JSON],
  ["brackets without end", "[".repeat(100_000), NOT_JSON],
  ["a number", "5", refusal(-32600, NO_MESSAGE)],
  ["a text", '"ping"', refusal(-32600, NO_MESSAGE)],
  ["null", "null", refusal(-32600, NO_MESSAGE)],
  ["an empty object", "{}", refusal(-32600, NO_MESSAGE)],
  ["an object without a version", '{"id":7,"method":"ping"}', refusal(-32600, NO_MESSAGE, 7)],
  ["an object of another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', refusal(-32600, NO_MESSAGE, 7)],
  ["an id of text", '{"id":"a","method":"ping"}', refusal(-32600, NO_MESSAGE, "a")],
  ["an object whose id is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', refusal(-32600, NO_MESSAGE)],
  ["an object whose id is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', refusal(-32600, NO_MESSAGE)],
  ["an object whose id is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', refusal(-32600, NO_MESSAGE)],
  ["an object whose id is too large", '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', refusal(-32600, NO_MESSAGE)],
  ["an object whose method is not a text", '{"jsonrpc":"2.0","id":7,"method":5}', refusal(-32600, NO_MESSAGE, 7)],
  ["an object without method and result", '{"jsonrpc":"2.0","id":7}', refusal(-32600, NO_MESSAGE, 7)],
  ["arguments that are a list", '{"jsonrpc":"2.0","id":7,"method":"x","params":[]}', refusal(-32600, NO_MESSAGE, 7)],
  ["a batch", JSON.stringify([PING, PING]), refusal(-32600, "Batches are not supported.")],
  ["an empty batch", "[]", refusal(-32600, "Batches are not supported.")],
  ["a deep batch", "[".repeat(100_000) + "]".repeat(100_000), refusal(-32600, "Batches are not supported.")],
])("answers a line that is %s, and reads the next one", async (_, text, answer) => {
  expect(await exchange(text, "\n", line(PING))).toEqual({ messages: [PING], answers: [answer] });
});

test("reads a message that is cut anywhere, also within a character", async () => {
  const bytes = Buffer.from(line(WIDE) + line(NOTE));
  const { input, seen } = await connected();
  for (let at = 0; at <= bytes.length; at++) {
    input.emit("data", bytes.subarray(0, at));
    input.emit("data", bytes.subarray(at));
  }
  for (const byte of bytes) input.emit("data", Buffer.from([byte]));
  const rounds = bytes.length + 2;
  expect(seen.messages).toEqual(Array.from({ length: rounds }, () => [WIDE, NOTE]).flat());
});

test("reads and answers the same messages however a stream is cut", async () => {
  const piece = fc.oneof(
    fc.constantFrom(line(PING), line(WIDE), "\n", "\r\n", "x\n", "{}\n", "[]\n", `${JSON.stringify(NOTE)}\r\n`),
    fc.string({ unit: "binary", maxLength: 8 }).map((text) => `"${text}\n`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(fc.nat(), { maxLength: 12 }), async (pieces, places) => {
      const bytes = Buffer.from(pieces.join(""));
      const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
      const [whole, parts] = await Promise.all([connected(), connected()]);
      whole.input.emit("data", bytes);
      [0, ...cuts].forEach((from, i) => parts.input.emit("data", bytes.subarray(from, cuts[i] ?? bytes.length)));
      await Promise.all([hangUp(whole), hangUp(parts)]);
      expect(parts.seen).toEqual(whole.seen);
    }),
    { numRuns: 50 },
  );
});

test("reads a line of the maximum length, and drops a longer one without closing the connection", async () => {
  const padded = (length: number): string => `${JSON.stringify(PING)}${" ".repeat(length - line(PING).length + 1)}\n`;
  expect(await exchange(padded(LIMIT), padded(LIMIT + 1), line(NOTE))).toEqual({
    messages: [PING, NOTE],
    answers: [refusal(-32600, "A message may have at most 16777216 bytes.", PING.id)],
  });
});

const FILLER = "x".repeat(LIMIT);

test.each([
  ["at its start", 7, `{"jsonrpc":"2.0","id":7,"params":{"id":3,"text":"${FILLER}"}}`],
  ["at its end", "a-7", `{"jsonrpc":"2.0","params":{"text":"${FILLER}\\" , \\"id\\":4"},"id" : "a-7"}`],
  ["nowhere at its top", undefined, `{"jsonrpc":"2.0","params":{"id":3,"text":"${FILLER}"}}`],
  ["that is not one", undefined, `{"jsonrpc":"2.0","id":{"id":1},"params":"${FILLER}"}`],
])("a line that is too long is answered with the id %s", async (_, id, text) => {
  const { answers } = await exchange(text.slice(0, 9), text.slice(9), `\n${line(NOTE)}`);
  expect(answers).toEqual([refusal(-32600, "A message may have at most 16777216 bytes.", id)]);
});

test("answers an endless line once", async () => {
  const chunk = "x".repeat(LIMIT / 4);
  expect(await exchange(chunk, chunk, chunk, chunk, chunk, chunk, `${chunk}\n${line(PING)}`)).toEqual({
    messages: [PING],
    answers: [refusal(-32600, "A message may have at most 16777216 bytes.")],
  });
});

test("writes each message on one line", async () => {
  const { output, transport } = await connected();
  let sent = "";
  output.on("data", (chunk: Buffer) => void (sent += chunk.toString()));
  await transport.send({ jsonrpc: "2.0", id: 1, result: { text: "a\nb\r\u2028" } });
  expect(sent).toBe('{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb\\r\u2028"}}\n');
});

test("closes once at the end of the input and drops an unfinished line", async () => {
  const connection = await connected();
  connection.input.write(line(PING) + JSON.stringify(PING));
  await hangUp(connection);
  const { transport, seen } = connection;
  await transport.close();
  expect(seen).toEqual({ messages: [PING], errors: [], closed: 1, answers: [] });
  await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow(
    "The client closed the connection.",
  );
});

test("reads nothing after closing", async () => {
  const { input, transport, seen } = await connected();
  await transport.close();
  input.emit("data", Buffer.from(line(PING)));
  expect(seen).toEqual({ messages: [], errors: [], closed: 1, answers: [] });
});

test("reports a broken input and closes", async () => {
  const { input, seen } = await connected();
  input.destroy(new Error("broken"));
  await new Promise((resolve) => void input.once("close", resolve));
  expect(seen).toEqual({ messages: [], errors: ["broken"], closed: 1, answers: [] });
});

test("closes at a broken output and reports the answer that was not sent", async () => {
  const { input, output, seen } = await connected();
  output.destroy(new Error("EPIPE"));
  input.emit("data", Buffer.from("x\n"));
  await vi.waitFor(() => {
    expect({ ...seen, errors: seen.errors.length }).toEqual({ messages: [], errors: 1, closed: 1, answers: [] });
  });
});
