import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { listPermissionCalls, type ToolUse } from "../model/acp-permission.ts";

export interface AcpTask {
  /** The program that speaks the protocol on its standard streams. */
  readonly argv: readonly string[];
  readonly folder: string;
  readonly prompt: string;
  /** Continues this session. */
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  /** The command of Tenon's MCP server. */
  readonly server: readonly string[];
}

export interface AcpPorts {
  /** One event of the transcript. */
  emit(event: Readonly<Record<string, unknown>>): void;
  /** Why this call of a tool must not happen, from the guard of Tenon's hooks. */
  refuse(call: ToolUse): Promise<string | undefined>;
  readonly cancelled: AbortSignal;
}

type Json = Readonly<Record<string, unknown>>;
const readObject = (value: unknown): Json => (isPlainObject(value) ? value : {});

/** One prompt to one agent. Whether the agent did what it was asked. */
export async function promptAcpAgent(task: AcpTask, ports: AcpPorts): Promise<boolean> {
  const [program = "", ...args] = task.argv;
  const child = spawn(program, args, { cwd: task.folder, stdio: ["pipe", "pipe", "inherit"] });
  // The connection reports that the agent is gone.
  child.stdin.on("error", () => undefined);
  child.once("error", () => child.stdout.destroy());
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, input);
  const session = new AcpSession(task, ports);
  const app = acp
    .client({ name: "tenon" })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => session.answerPermission(params))
    .onNotification(acp.methods.client.session.update, ({ params }) => session.hear(params.update));
  try {
    return await app.connectWith(stream, (agent) => session.prompt(agent));
  } catch (error) {
    ports.emit({ type: "error", message: describeAcpError(error) });
    return false;
  }
}

/** Agents give the cause in `data`, beside a message such as "Internal error". */
function describeAcpError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const data = error instanceof acp.RequestError ? error.data : undefined;
  return data === undefined ? error.message : `${error.message}: ${JSON.stringify(data)}`;
}

class AcpSession {
  readonly #task: AcpTask;
  readonly #ports: AcpPorts;
  /** A loaded session repeats its history. */
  #isReplaying = false;
  #session = "";
  /** What a tool was called with, which a request for permission may leave out. */
  readonly #calls = new Map<string, Json>();
  #used = 0;
  #usd = 0;
  #usdBefore = 0;

  constructor(task: AcpTask, ports: AcpPorts) {
    this.#task = task;
    this.#ports = ports;
  }

  async prompt(agent: acp.ClientContext): Promise<boolean> {
    const { cancelled } = this.#ports;
    const { agentCapabilities, protocolVersion } = await agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "tenon", version: "1" },
    });
    if (protocolVersion !== acp.PROTOCOL_VERSION)
      throw new Error(`The agent speaks version ${protocolVersion} of the protocol, not ${acp.PROTOCOL_VERSION}.`);
    const known = await this.#openSession(agent, agentCapabilities ?? {});
    await this.#chooseModel(agent, known);
    const sessionId = this.#session;
    const cancel = (): void =>
      void agent.notify(acp.methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    cancelled.addEventListener("abort", cancel, { once: true });
    if (cancelled.aborted) cancel();
    const prompt = [{ type: "text" as const, text: this.#task.prompt }];
    const answer = await agent.request<acp.PromptResponse>(acp.methods.agent.session.prompt, { sessionId, prompt });
    this.#tellUsage(countAcpTokens(answer) || this.#used);
    this.#ports.emit({ type: "result", stopReason: answer.stopReason });
    return answer.stopReason === "end_turn";
  }

  async #openSession(agent: acp.ClientContext, { loadSession, sessionCapabilities }: acp.AgentCapabilities) {
    const { folder: cwd, session: sessionId, server } = this.#task;
    const [command = "", ...args] = server;
    const place = { cwd, mcpServers: [{ name: "tenon", command, args, env: [] }] };
    const mayResume = sessionCapabilities?.resume !== undefined && sessionCapabilities.resume !== null;
    let known: Pick<acp.NewSessionResponse, "configOptions">;
    if (sessionId === undefined) {
      const made = await agent.request<acp.NewSessionResponse>(acp.methods.agent.session.new, place);
      this.#session = made.sessionId;
      known = made;
    } else {
      this.#session = sessionId;
      this.#isReplaying = true;
      const method = mayResume ? acp.methods.agent.session.resume : acp.methods.agent.session.load;
      known = (await agent.request(method, { ...place, sessionId })) ?? {};
      this.#isReplaying = false;
      this.#usdBefore = this.#usd;
    }
    // Without this event the next agent is told the whole task again.
    if (mayResume || loadSession === true) this.#ports.emit({ type: "session", session: this.#session });
    return known;
  }

  async #chooseModel(agent: acp.ClientContext, { configOptions }: Pick<acp.NewSessionResponse, "configOptions">) {
    const { model: value } = this.#task;
    if (value === undefined) return;
    const option = (configOptions ?? []).find(({ category }) => category === "model");
    if (!option) throw new Error(`The agent offers no choice of models. Put "${value}" into its command.`);
    const sessionId = this.#session;
    await agent.request(acp.methods.agent.session.setConfigOption, { sessionId, configId: option.id, value });
  }

  #tellUsage(tokens: number): void {
    this.#ports.emit({ type: "usage", tokens, usd: Math.max(0, this.#usd - this.#usdBefore) });
  }

  hear(update: acp.SessionUpdate): void {
    if (update.sessionUpdate === "usage_update") {
      this.#used = update.used;
      if (update.cost?.currency === "USD") this.#usd = update.cost.amount;
      if (!this.#isReplaying) this.#tellUsage(this.#used);
      return;
    }
    if (this.#isReplaying) return;
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      this.#calls.set(update.toolCallId, { ...this.#calls.get(update.toolCallId), ...dropNulls(update) });
    this.#ports.emit({ type: update.sessionUpdate, ...update });
  }

  /** Never more than once: the next call is asked about again. */
  async answerPermission({ toolCall, options }: acp.RequestPermissionRequest): Promise<acp.RequestPermissionResponse> {
    const call = { ...this.#calls.get(toolCall.toolCallId), ...dropNulls(toolCall) };
    let why: string | undefined;
    for (const each of listPermissionCalls(call)) why ??= await this.#ports.refuse(each);
    const wanted = why === undefined ? ["allow_once"] : ["reject_once", "reject_always"];
    const option = wanted.flatMap((kind) => options.find((each) => each.kind === kind) ?? [])[0];
    const answer = option?.kind ?? "cancelled";
    this.#ports.emit({
      type: "permission",
      title: toolCall.title ?? "",
      answer,
      ...(why === undefined ? {} : { why }),
    });
    return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
  }
}

const dropNulls = (value: object): Json =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined));

/** Version 1 has no field for them. Agents send those of the draft, or of Gemini CLI. */
function countAcpTokens(answer: acp.PromptResponse): number {
  const { usage, _meta } = readObject(answer);
  const count = (value: unknown, ...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + Math.max(0, Number(readObject(value)[name] ?? 0) || 0), 0);
  const quota = readObject(readObject(_meta)["quota"])["token_count"];
  return (
    count(usage, "totalTokens") ||
    count(usage, "inputTokens", "outputTokens") ||
    count(quota, "input_tokens", "output_tokens")
  );
}
