import "./zod-jitless.ts";
import type { Readable, Writable } from "node:stream";
import type { CompleteRequestParams, ListToolsResult } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { loadCatalogueOperation, type ToolSurfaceStore } from "../catalogue.ts";
import type { Engine } from "../engine.ts";
import { runToolCall, type Offered, unknownTool, translateLegacyCall } from "./tool-call.ts";
import { LineTransport } from "./line-transport.ts";
import { nameGuideTools, renderMcpFault, renderMcpPage } from "./mcp-render.ts";
import { ClientRoots, type McpHost, ListChangeWatch } from "./client-session.ts";
import { MCP_TOOLS } from "./tool-table.ts";
import { askInClient, readCallingClient, readFormAnswers } from "./user-form.ts";
import type { UserQuestion } from "#kernel/operations/operation.ts";

/** For both versions of the protocol. It is cheap, because an opening probe may need its own. */
export async function createMcpServer(house: McpHost, offered: Offered, surface: ToolSurfaceStore): Promise<Server> {
  const roots = new ClientRoots();
  const server = new Server(
    { name: "tenon", title: "Tenon", version: house.version },
    {
      instructions: (await house.asset("instructions.md")).trimEnd(),
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { listChanged: true }, completions: {} },
    },
  );
  const notify = (list: "tools" | "resources"): void => {
    const sent = list === "tools" ? server.sendToolListChanged() : server.sendResourceListChanged();
    void sent.catch(() => undefined);
  };
  const listToolNames = async (engine: Engine): Promise<string> =>
    (await offered(engine)).map(({ name }) => name).join(" ");
  const watch = new ListChangeWatch(notify, listToolNames);
  const watched: McpHost = {
    ...house,
    open: async (where) => {
      const engine = await house.open(where);
      await watch.follow(engine);
      return engine;
    },
    finishing: async (call) => {
      const result = await house.finishing(call);
      await watch.look();
      return result;
    },
  };
  server.onclose = () => watch.stop();
  server.setNotificationHandler("notifications/roots/list_changed", () => roots.forget());
  serveTools(server, watched, offered, surface, roots);
  serveResources(server, watched, offered, roots);
  servePrompts(server, watched, offered, roots);
  serveCompletion(server, watched, offered, roots);
  return server;
}

function serveTools(
  server: Server,
  house: McpHost,
  offered: Offered,
  surface: ToolSurfaceStore,
  roots: ClientRoots,
): void {
  server.setRequestHandler("tools/list", () =>
    answerProtocolRequest(house, offered, async () => {
      const tools = (await offered()).map(async (tool) => {
        const { operation: _, toolset: __, ...shown } = await surface.of(tool.operation);
        return shown as unknown as ListToolsResult["tools"][number];
      });
      return { tools: await Promise.all(tools) };
    }),
  );
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, input } = translateLegacyCall(params.name, params.arguments ?? {});
    const tool = MCP_TOOLS.find((candidate) => candidate.name === name);
    if (!tool) throw unknownTool(params.name, await answerProtocolRequest(house, offered, offered));
    // An agent may name only a folder that the user opened.
    if (input["workspace"] !== undefined || !house.isPlaceGiven) {
      const question = roots.ask(server, context);
      if (question) return question;
    }
    const progress = async () => (await import("./client-progress.ts")).createClientProgress(context.mcpReq);
    const user = {
      client: readCallingClient(server, context),
      answers: readFormAnswers(context),
      ask: (question: UserQuestion) => askInClient(server, context, question),
    };
    const circumstances = { clientRoots: roots.known, offered, progress, user };
    return house.finishing(runToolCall(tool, input, house, circumstances));
  });
}

// These modules load when a client asks for them. They must not import values of the SDK: the bundler would split the
// SDK into two files, and every start would read one more.
const loadMcpResources = () => import("./mcp-resources.ts");
const loadMcpPrompts = () => import("./mcp-prompts.ts");

/** Texts of assets, with the names of tools that this client has. */
const nameToolsInAssets = (house: McpHost, offered: Offered) => async (name: string) =>
  nameGuideTools(await house.asset(name), await offered());

function serveResources(server: Server, house: McpHost, offered: Offered, roots: ClientRoots): void {
  const open = (): Promise<Engine> => house.open({ clientRoots: roots.known });
  server.setRequestHandler("resources/list", () =>
    answerProtocolRequest(house, offered, async () => {
      const engine = await open().catch(ignoreMissingWorkspace);
      return { resources: await (await loadMcpResources()).listMcpResources(engine) };
    }),
  );
  server.setRequestHandler("resources/templates/list", () =>
    answerProtocolRequest(house, offered, async () => ({
      resourceTemplates: (await loadMcpResources()).RESOURCE_TEMPLATES,
    })),
  );
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    answerProtocolRequest(house, offered, async () => {
      const { readGuideResource: readGuide, readWorkspaceResource: readResource } = await loadMcpResources();
      const isGuide = uri.startsWith("sdd://guides/");
      const question = isGuide || house.isPlaceGiven ? undefined : roots.ask(server, context);
      if (question) return question;
      const found = isGuide
        ? await readGuide(uri, nameToolsInAssets(house, offered))
        : await readResource(uri, await open());
      if (found) return found;
      throw new ResourceNotFoundError(uri);
    }),
  );
}

function servePrompts(server: Server, house: McpHost, offered: Offered, roots: ClientRoots): void {
  const status = async (): Promise<{ status: string } | { absence: string }> => {
    const tools = await offered();
    const operation = await loadCatalogueOperation("workspace.status");
    try {
      const output = await operation.run(await house.open({ clientRoots: roots.known }), {});
      return { status: renderMcpPage(operation.page(output), tools) };
    } catch (error) {
      if (!isMissingWorkspace(error)) throw error;
      return { absence: renderMcpFault(error, tools) };
    }
  };
  server.setRequestHandler("prompts/list", () =>
    answerProtocolRequest(house, offered, async () => (await loadMcpPrompts()).listMcpPrompts()),
  );
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: given = {} } }, context) =>
    answerProtocolRequest(house, offered, async () => {
      const { renderPrompt: getPrompt, isStatusPrompt: saysStatus } = await loadMcpPrompts();
      const question = saysStatus(name) && !house.isPlaceGiven ? roots.ask(server, context) : undefined;
      return question ?? getPrompt(name, given, { asset: nameToolsInAssets(house, offered), status });
    }),
  );
}

function serveCompletion(server: Server, house: McpHost, offered: Offered, roots: ClientRoots): void {
  const valuesOf = async ({ ref, argument: { name, value } }: CompleteRequestParams): Promise<string[]> => {
    if (ref.type === "ref/prompt") return (await loadMcpPrompts()).completePromptArgument(ref.name, name, value);
    const engine = await house.open({ clientRoots: roots.known }).catch(ignoreMissingWorkspace);
    return (await loadMcpResources()).completeTemplateVariable(ref.uri, name, value, engine);
  };
  server.setRequestHandler("completion/complete", ({ params }) =>
    answerProtocolRequest(house, offered, async () => {
      const all = await valuesOf(params);
      return { completion: { values: all.slice(0, 100), total: all.length, hasMore: all.length > 100 } };
    }),
  );
}

function ignoreMissingWorkspace(error: unknown): undefined {
  if (!isMissingWorkspace(error)) throw error;
}

const isMissingWorkspace = (error: unknown): error is Fault =>
  error instanceof Fault && error.code.startsWith("workspace.");

/** Turns faults and defects outside a tool call into protocol errors, without internal details. */
async function answerProtocolRequest<T>(house: McpHost, offered: Offered, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof Fault) {
      const tools = await offered().catch(() => []);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, renderMcpFault(error, tools));
    }
    const { id } = await house.logDefect(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `Defect ${id} in Tenon. The details are in its log.`);
  }
}

/** Serves until the client disconnects. Only protocol messages go to `output`. */
export function serveLineTransport(
  streams: { readonly input: Readable; readonly output: Writable; log(text: string): void },
  makeServer: () => Promise<Server>,
): Promise<void> {
  return new Promise((resolve) => {
    const transport = new LineTransport(streams.input, streams.output);
    serveStdio(makeServer, { transport, onerror: (error) => streams.log(`${sanitizeText(error.message, 300)}\n`) });
    const end = (): void => resolve();
    streams.input.once("end", end);
    streams.input.once("close", end);
    streams.output.once("error", end);
  });
}
