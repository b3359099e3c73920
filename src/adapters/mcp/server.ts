import "./jitless.ts";
import type { Readable, Writable } from "node:stream";
import { type ListToolsResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Fault } from "#domain/fault.ts";
import { plain } from "#domain/quote.ts";
import type { Surface } from "#operations/surface.ts";
import { callTool } from "./call.ts";
import { LineTransport } from "./lines.ts";
import { renderFault } from "./render.ts";
import { completeVariable, listResources, readResource, RESOURCE_TEMPLATES } from "./resources.ts";
import { ClientRoots, type McpHouse } from "./session.ts";
import type { Tool } from "./tool.ts";
import { ChangeWatch } from "./watch.ts";

/** A server for one connection, of either protocol era. Cheap to make: an opening probe may cost one. */
export async function createServer(
  house: McpHouse,
  offered: () => Promise<readonly Tool[]>,
  surface: Surface,
): Promise<Server> {
  const roots = new ClientRoots();
  const server = new Server(
    { name: "tenon", title: "Tenon", version: house.version },
    {
      instructions: await house.instructions(),
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true }, completions: {} },
    },
  );
  const watch = new ChangeWatch(() => void server.sendResourceListChanged().catch(() => undefined));
  const quiet: McpHouse = {
    ...house,
    open: async (where) => {
      const engine = await house.open(where);
      await watch.follow(engine);
      return engine;
    },
  };
  const openKnown = () => quiet.open({ clientRoots: roots.known });
  server.onclose = () => watch.stop();
  server.setNotificationHandler("notifications/roots/list_changed", () => roots.forget());

  server.setRequestHandler("tools/list", async () => ({
    tools: await Promise.all(
      (await offered()).map(async (tool) => {
        const { operation: _, toolset: __, ...listed } = await surface.of(tool.operation);
        return listed as unknown as ListToolsResult["tools"][number];
      }),
    ),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tools = await offered();
    const tool = tools.find((candidate) => candidate.name === params.name);
    if (!tool) throw unknownTool(params.name, tools);
    const input = params.arguments ?? {};
    if (input["workspace"] === undefined && !house.isPlaceGiven) {
      const question = roots.ask(server, context);
      if (question) return question;
    }
    const result = await callTool(tool, input, quiet, roots.known);
    await watch.look();
    return result;
  });
  server.setRequestHandler("resources/list", () =>
    asked(async () => ({ resources: await listResources(await openKnown()) })),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler("resources/read", async ({ params }, context) => {
    const question = house.isPlaceGiven ? undefined : roots.ask(server, context);
    return question ?? asked(async () => readResource(params.uri, await openKnown()));
  });
  server.setRequestHandler("completion/complete", ({ params }) =>
    asked(async () => {
      const { ref, argument } = params;
      if (ref.type !== "ref/resource")
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There are no prompts.");
      const all = await completeVariable(ref.uri, argument.name, argument.value, await openKnown());
      return { completion: { values: all.slice(0, 100), total: all.length, hasMore: all.length > 100 } };
    }),
  );
  return server;

  /** Faults and defects outside a tool call become protocol errors, with no more said than helps. */
  async function asked<T>(answer: () => Promise<T>): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof Fault) throw new ProtocolError(ProtocolErrorCode.InvalidParams, renderFault(error));
      const { id } = await house.logDefect(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, `Defect ${id} in Tenon. The details are in its log.`);
    }
  }
}

/** Serves until the client hangs up. Nothing but protocol is written to `output`. */
export function serveLines(
  streams: { readonly input: Readable; readonly output: Writable; log(text: string): void },
  makeServer: () => Promise<Server>,
): Promise<void> {
  return new Promise((resolve) => {
    const transport = new LineTransport(streams.input, streams.output);
    serveStdio(makeServer, {
      transport,
      onerror: (error) => streams.log(`${plain(error.message, 300)}\n`),
    });
    const end = (): void => resolve();
    streams.input.once("end", end);
    streams.input.once("close", end);
    streams.output.once("error", end);
  });
}

function unknownTool(name: string, tools: readonly Tool[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${plain(name, 60)}. There are: ${names}.`,
  );
}
