import { expect, test, vi } from "vitest";
import type { TerminalIo } from "#doors/cli/command-table.ts";
import { runToolCall } from "#doors/mcp/tool-call.ts";
import { createClientProgress } from "#doors/mcp/client-progress.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import type { AnyOperation } from "#doors/engine.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { getFault } from "../kit/client.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

/** In the place of the status: something that takes long, and runs a real command to its end or ours. */
const long = vi.hoisted(() => ({ line: "" }));
vi.mock("#doors/catalogue.ts", async (original) => ({
  ...(await original<object>()),
  loadCatalogueOperation: async (): Promise<AnyOperation> => ({
    id: "workspace.status",
    effect: "read",
    isLong: true,
    output: () => Promise.reject(new Error("not asked for")),
    async run({ root, runner, progress }) {
      const done = await runner.run({
        run: { shell: long.line },
        folder: root,
        timeout_s: 60,
        silence_s: 60,
        cancelled: progress.cancelled,
        progress: (line) => progress.tell(line, 1, 2),
      });
      await done.forget();
      throwIfCancelled(progress);
      return { how: done.how };
    },
    page: (output) => ({ title: JSON.stringify(output), facts: [], problems: [], points: [], next: [] }) as never,
  }),
}));

const UNTIL_STOPPED = "echo working; exec sleep 1000";

test("a client receives the progress of a call and can cancel it", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path, { environment: { PATH: process.env["PATH"] } });
  const stopping = new AbortController();
  const told: unknown[] = [];
  long.line = UNTIL_STOPPED;
  const tool = MCP_TOOLS.find(({ operation }) => operation === "workspace.status");
  if (!tool) throw new Error("no tool");
  const result = await runToolCall(tool, {}, house.house.mcpHouse(undefined, true), {
    clientRoots: undefined,
    offered: async () => [tool],
    progress: async () =>
      createClientProgress({
        _meta: { progressToken: 7 },
        signal: stopping.signal,
        notify: async ({ params }) => {
          told.push(params);
          stopping.abort();
        },
      }),
  });
  expect(told).toEqual([{ progressToken: 7, progress: 1, total: 2, message: "working" }]);
  expect(getFault(result)).toBe("call.cancelled");
});

test("ends at an interrupt with the exit code that shells use", async () => {
  using repository = temporaryRepository();
  let [said, out] = ["", ""];
  let interrupt = (): void => undefined;
  const io: TerminalIo = {
    isTerminal: false,
    hasColour: false,
    hasErrorColour: false,
    width: 1000,
    errorWidth: 40,
    askKey: async () => false,
    onInterrupt: (then) => {
      interrupt = then;
      return () => void (interrupt = () => undefined);
    },
    out: (text) => void (out += text),
    err: (text) => {
      said += text;
      if (text.includes("working")) interrupt();
    },
    canAsk: false,
    save: async () => undefined,
    ask: async () => false,
    stdin: async () => "",
    file: async () => "",
  };
  using house = testHouse(repository.path, { io, environment: { PATH: process.env["PATH"] } });
  long.line = UNTIL_STOPPED;
  const { code } = await house.run("status");
  expect({ code, out }).toEqual({ code: 130, out: "" });
  expect(said.replaceAll("\r\u001b[2K", "¶")).toMatchInlineSnapshot(`
    "¶[1/2] working¶Stopping. Press Ctrl-C again to quit a…¶error[call.cancelled]: The call was
      cancelled. All its processes have
      ended.
    try: Call it again to restart it.
    "
  `);
});

test("reports a call that ends by itself as usual", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path, { environment: { PATH: process.env["PATH"] } });
  long.line = "true";
  expect(await house.run("status", "--json")).toEqual({ code: 0, out: '{"how":"exited"}\n', err: "" });
});
