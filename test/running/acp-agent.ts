/** The other side of the Agent Client Protocol, without the SDK that Tenon uses. */
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly outcome?: { readonly outcome: string; readonly optionId?: string } };
}

export interface AcpPrompt {
  readonly brief: string;
  readonly session: string;
  update(update: Readonly<Record<string, unknown>>): void;
  /** Asks whether it may write a file. The kind of the chosen option. */
  ask(path: string): Promise<string>;
  end(text: string, cost: number): void;
  fail(message: string): void;
}

const send = (message: Readonly<Record<string, unknown>>): void =>
  void fs.writeSync(1, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Answers until the client prompts. `acp.log` in `home` keeps what the client called. */
export function receiveAcpPrompt(home: string): Promise<AcpPrompt> {
  const capabilities = { loadSession: !fs.existsSync(join(home, "no-load")) };
  let prompt: number | undefined;
  let spentBefore = 0;
  let session = `acp-${process.pid}`;
  let answered: (answer: string) => void = () => undefined;
  const log = (line: string): void => fs.appendFileSync(join(home, "acp.log"), `${line}\n`);
  const update: AcpPrompt["update"] = (value) =>
    send({ method: "session/update", params: { sessionId: session, update: value } });
  const say = (text: string): void => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  return new Promise((resolve) => {
    const hear = ({ id, method, params = {}, result }: Message): void => {
      if (method === undefined) return answered(result?.outcome?.optionId ?? result?.outcome?.outcome ?? "");
      log(method);
      if (method === "initialize") {
        if (params["clientCapabilities"] !== undefined) log(JSON.stringify(params["clientCapabilities"]));
        return send({ id, result: { protocolVersion: 1, agentCapabilities: capabilities } });
      }
      if (method === "session/new") return send({ id, result: { sessionId: session } });
      if (method === "session/load") {
        session = String(params["sessionId"]);
        if (!fs.existsSync(join(home, `session-${session}.json`)))
          return send({ id, error: { code: -32603, message: "Invalid session identifier" } });
        spentBefore = 0.5;
        // A loaded session repeats its history, with what it cost.
        say("What I said before.");
        update({
          sessionUpdate: "usage_update",
          used: 500,
          size: 1000,
          cost: { amount: spentBefore, currency: "USD" },
        });
        return send({ id, result: {} });
      }
      if (method === "session/cancel") {
        send({ id: prompt, result: { stopReason: "cancelled" } });
        return process.exit(0);
      }
      if (method !== "session/prompt") return send({ id, error: { code: -32601, message: "Method not found" } });
      prompt = id;
      const [block] = params["prompt"] as readonly { readonly text: string }[];
      resolve({ brief: block?.text ?? "", session, update, ask, end, fail });
    };
    const ask: AcpPrompt["ask"] = (path) => {
      const toolCall = { toolCallId: "ask", kind: "edit", title: `Write ${path}`, locations: [{ path }] };
      // The request itself names no file, as with some agents.
      update({ sessionUpdate: "tool_call", ...toolCall });
      const options = ["allow_always", "allow_once", "reject_once"].map((kind) => ({
        optionId: kind,
        name: kind,
        kind,
      }));
      send({
        id: 900,
        method: "session/request_permission",
        params: { sessionId: session, toolCall: { toolCallId: "ask" }, options },
      });
      return new Promise((heard) => void (answered = heard));
    };
    const end: AcpPrompt["end"] = (text, cost) => {
      for (const part of [text.slice(0, 10), text.slice(10)].filter((each) => each !== "")) say(part);
      update({
        sessionUpdate: "usage_update",
        used: 300,
        size: 1000,
        cost: { amount: spentBefore + cost, currency: "USD" },
      });
      send({ id: prompt, result: { stopReason: "end_turn" } });
    };
    const fail: AcpPrompt["fail"] = (message) => send({ id: prompt, error: { code: -32603, message } });
    createInterface(process.stdin).on("line", (line) => hear(JSON.parse(line) as Message));
  });
}
