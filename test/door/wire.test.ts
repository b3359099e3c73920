import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { call, initialize, type Message, modern, openWire, request, type Wire } from "./wire.ts";

const summarizeMessages = (messages: readonly Message[]) =>
  messages.map(({ id, error }) => [id, error?.code, error?.message]);

/** Everything said up to the answer of a ping, which the server gives after what came before it. */
async function upToPing(wire: Wire): Promise<readonly Message[]> {
  wire.send(request("ping", "ping"));
  await wire.answer("ping");
  return wire.messages.filter((message) => message.id !== "ping" && message.id !== "init");
}

const UNREADABLE: readonly (readonly [line: string | Uint8Array, id: number | undefined, code: number])[] = [
  ["{oops", undefined, -32700],
  ["hello", undefined, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"},', undefined, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping",}', undefined, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}', undefined, -32700],
  ['{"jsonrpc":"2.0","id":1,"meth', undefined, -32700],
  [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), undefined, -32700],
  ["42", undefined, -32600],
  ["null", undefined, -32600],
  ['"text"', undefined, -32600],
  ['{"a":1}', undefined, -32600],
  ['{"__proto__":{"jsonrpc":"2.0","method":"ping"},"id":3}', 3, -32600],
  ['{"jsonrpc":"1.0","id":4,"method":"ping"}', 4, -32600],
  ['{"id":5,"method":"ping"}', 5, -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', undefined, -32600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined, -32600],
  ['{"jsonrpc":"2.0","id":6.5,"method":"ping"}', undefined, -32600],
  ['{"jsonrpc":"2.0","id":1e309,"method":"ping"}', undefined, -32600],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', undefined, -32600],
  [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, undefined, -32600],
];

test("answers an invalid message and keeps the connection", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize(), "\n", "  \r\n");
  for (const [line] of UNREADABLE) wire.send(line, "\n");
  const answers = await upToPing(wire);
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(UNREADABLE.map(([, id, code]) => [id, code]));
});

test("rejects a batch and runs none of it", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  const start = (n: number) => call(n, "sdd_change", { type: "fix", size: "small", description: "Fix it" });
  wire.send(initialize());
  wire.send(
    [start(1), start(2)],
    [],
    Array.from({ length: 10_000 }, (_, i) => request(i, "ping")),
  );
  expect(summarizeMessages(await upToPing(wire))).toMatchInlineSnapshot(`
    [
      [
        undefined,
        -32600,
        "Batches are not supported.",
      ],
      [
        undefined,
        -32600,
        "Batches are not supported.",
      ],
      [
        undefined,
        -32600,
        "Batches are not supported.",
      ],
    ]
  `);
  expect(fs.existsSync(join(repository.path, "sdd"))).toBe(false);
});

test("rejects a line of 50 MB once", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize());
  wire.send(call(1, "sdd_change", { type: "fix", size: "small", description: "x".repeat(50_000_000) }));
  wire.send(call(2, "sdd_status"));
  expect((await wire.answer(2)).result).toMatchObject({ structuredContent: { root: repository.path } });
  expect(summarizeMessages(await upToPing(wire))).toMatchInlineSnapshot(`
    [
      [
        1,
        -32600,
        "A message may have at most 16777216 bytes.",
      ],
      [
        2,
        undefined,
        undefined,
      ],
    ]
  `);
});

test("receives a call of 15 MB and rejects its text as too long", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize());
  wire.send(call(1, "sdd_change", { type: "fix", size: "small", description: "x".repeat(15_000_000) }));
  expect((await wire.answer(1)).result).toMatchObject({ _meta: { "tenon/fault": { code: "input.invalid" } } });
});

test("reads a message from many small pieces", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  const bytes = Buffer.from(`${JSON.stringify(initialize())}\r\n${JSON.stringify(request("ü", "ping"))}\n`);
  for (let i = 0; i < bytes.length; i += 3) wire.send(bytes.subarray(i, i + 3));
  expect((await wire.answer("ü")).result).toEqual({});
});

test("answers two calls with one id", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize(), call(7, "sdd_status"), call(7, "sdd_change_list"));
  wire.send(request(8, "tools/list"));
  await wire.answer(8);
  expect((await upToPing(wire)).filter((message) => message.id === 7)).toHaveLength(2);
});

test("does not run a tool for a notification", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  const params = { name: "sdd_change", arguments: { type: "fix", size: "small", description: "Fix it" } };
  wire.send(initialize(), { jsonrpc: "2.0", method: "tools/call", params });
  wire.send(call(1, "sdd_status"));
  expect((await wire.answer(1)).result).toMatchObject({ structuredContent: { changes: [] } });
  expect(fs.existsSync(join(repository.path, "sdd"))).toBe(false);
});

test("answers unknown methods and parameters with errors", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize());
  wire.send(request(1, "nope/x"), request(2, "roots/list"), request(3, "logging/setLevel", { level: "info" }));
  wire.send(request(4, "resources/subscribe", { uri: "sdd://status" }), request(5, "tools/call", {}));
  wire.send(request(6, "tools/call", { name: 5 }), request(7, "tools/call", { name: "sdd_status", arguments: [] }));
  wire.send(request(8, "constructor"), request(9, "completion/complete", { ref: { type: "ref/prompt", name: "x" } }));
  wire.send(initialize());
  expect((await upToPing(wire)).map(({ id, error }) => [id, error?.code])).toMatchInlineSnapshot(`
    [
      [
        1,
        -32601,
      ],
      [
        2,
        -32601,
      ],
      [
        3,
        -32601,
      ],
      [
        4,
        -32601,
      ],
      [
        8,
        -32601,
      ],
      [
        5,
        -32602,
      ],
      [
        6,
        -32602,
      ],
      [
        7,
        -32602,
      ],
      [
        9,
        -32603,
      ],
    ]
  `);
});

test("answers 1,000 calls at once, and completes all writes", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  const adr = { title: "One", context: "C", decision: "D", rationale: "R" };
  wire.send(initialize());
  const ids = Array.from({ length: 1000 }, (_, i) => i);
  wire.send(...ids.map((i) => (i % 10 === 0 ? call(i, "sdd_adr", adr) : call(i, "sdd_status"))));
  const answers = await Promise.all(ids.map((i) => wire.answer(i)));
  expect(answers.filter(({ result }) => result?.["isError"] !== undefined || !result?.["structuredContent"])).toEqual(
    [],
  );
  expect(fs.readdirSync(join(repository.path, "sdd", "adrs"))).toEqual(
    Array.from({ length: 100 }, (_, i) => `ADR-${String(i + 1).padStart(4, "0")}-one.md`),
  );
  expect(await wire.hangUp()).toEqual({ code: 0, signal: null });
  expect(wire.stderr()).toBe("");
});

test.each([
  ["2025-06-18", "2025-06-18"],
  ["2025-11-25", "2025-11-25"],
  ["1999-01-01", "2025-11-25"],
  ["2026-07-28", "2025-11-25"],
])("answers a handshake for %s with %s", async (asked, given) => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(initialize(asked));
  const { result } = await wire.answer("init");
  expect(result).toMatchObject({ protocolVersion: given, serverInfo: { name: "tenon" } });
});

test("accepts a handshake after a request of the newer protocol", async () => {
  using repository = temporaryRepository();
  await using wire = openWire({ cwd: repository.path });
  wire.send(modern(1, "server/discover"));
  expect((await wire.answer(1)).result).toMatchObject({ supportedVersions: ["2026-07-28"] });
  wire.send(initialize());
  expect((await wire.answer("init")).result).toMatchObject({ protocolVersion: "2025-11-25" });
  wire.send(call(2, "sdd_status"));
  expect((await wire.answer(2)).result).toMatchObject({ structuredContent: { root: repository.path } });
});

test.each([
  ["at once", []],
  ["after the handshake", [initialize()]],
  ["after a request of the newer protocol", [modern(1, "server/discover")]],
  ["in the middle of a line", [initialize(), '{"jsonrpc":"2.0","id":1,']],
  ["after a call", [initialize(), call(1, "sdd_status")]],
])("ends with its input: %s", async (_, lines) => {
  using repository = temporaryRepository();
  const wire = openWire({ cwd: repository.path });
  wire.send(...lines);
  expect(await wire.hangUp()).toEqual({ code: 0, signal: null });
  expect(wire.stderr()).toBe("");
});

test("a call that waits for the ledger completes after the client disconnects", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const tellTheEnd = "process.stdin.once('end',()=>setImmediate(()=>process.stderr.write('ended')))";
  const env = { TENON_HOME: home.path, NODE_OPTIONS: `--import=data:text/javascript,${tellTheEnd}` };
  const wire = openWire({ cwd: repository.path, env });
  wire.send(initialize(), call(1, "sdd_change", { type: "fix", size: "small", description: "First" }));
  await wire.answer(1);
  const ledger = new DatabaseSync(join(repository.path, ".git", "tenon", "ledger.db"));
  ledger.exec("BEGIN IMMEDIATE");
  wire.send(call(2, "sdd_change", { type: "fix", size: "small", description: "Second", concurrent: true }));
  await upToPing(wire);
  const gone = wire.hangUp();
  while (wire.stderr() === "") await nextTurn();
  ledger.exec("COMMIT");
  ledger.close();
  expect(await gone).toEqual({ code: 0, signal: null });
  expect([wire.stderr(), fs.existsSync(join(home.path, "defects.log"))]).toEqual(["ended", false]);
  expect(fs.readdirSync(join(repository.path, "sdd", "changes"))).toEqual(["first", "second"]);
});
