import { isPlainObject } from "#kernel/model/plain-object.ts";

export type StreamForm = "claude" | "codex" | "gemini" | "opencode" | "copilot" | "acp" | "text";

export interface AgentOutput {
  readonly session?: string;
  /** The last message of the agent: its report. */
  readonly text: string;
  readonly tool?: string;
  readonly tools: number;
  readonly tokens: number;
  readonly usd: number;
  readonly error?: string;
  readonly isDone: boolean;
}

export const EMPTY_OUTPUT: AgentOutput = { text: "", tools: 0, tokens: 0, usd: 0, isDone: false };

const MAX_MESSAGE = 400_000;

type Json = Readonly<Record<string, unknown>>;
const readObject = (value: unknown): Json => (isPlainObject(value) ? value : {});
const readText = (value: unknown): string => (typeof value === "string" ? value : "");
const readNumber = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
const sumFields = (value: unknown, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + readNumber(readObject(value)[name]), 0);

/** The output after one more line. A line that is not understood changes nothing. */
export function readAgentLine(form: StreamForm, output: AgentOutput, line: string): AgentOutput {
  if (form === "text") return { ...output, text: clip(output.text === "" ? line : `${output.text}\n${line}`) };
  const event = parseLine(line);
  return event ? READERS[form](output, event) : output;
}

function parseLine(line: string): Json | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const clip = (text: string): string => text.slice(-MAX_MESSAGE);
const say = (output: AgentOutput, text: string): AgentOutput =>
  text.trim() === "" ? output : { ...output, text: clip(text) };
const useTool = (output: AgentOutput, tool: unknown): AgentOutput => {
  const name = readText(tool);
  return name === "" ? output : { ...output, tool: name, tools: output.tools + 1 };
};
const begin = (output: AgentOutput, session: unknown): AgentOutput =>
  readText(session) === "" ? output : { ...output, session: readText(session) };
const fail = (output: AgentOutput, error: string): AgentOutput => ({ ...output, error: error || "an unknown error" });

const CLAUDE_TOKENS = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

const READERS: Readonly<Record<Exclude<StreamForm, "text">, (output: AgentOutput, event: Json) => AgentOutput>> = {
  claude(output, event) {
    const own = begin(output, event["session_id"]);
    if (event["type"] === "assistant") {
      const content = readObject(event["message"])["content"];
      const parts = Array.isArray(content) ? content.map(readObject) : [];
      const text = parts.map((part) => (part["type"] === "text" ? readText(part["text"]) : "")).join("");
      const spent = sumFields(readObject(event["message"])["usage"], CLAUDE_TOKENS);
      const said = say({ ...own, tokens: own.tokens + spent }, text);
      return parts.reduce((now, part) => (part["type"] === "tool_use" ? useTool(now, part["name"]) : now), said);
    }
    if (event["type"] !== "result") return own;
    const usage = sumFields(event["usage"], CLAUDE_TOKENS);
    const ended = { ...own, tokens: usage || own.tokens, usd: readNumber(event["total_cost_usd"]), isDone: true };
    const result = readText(event["result"]);
    return event["is_error"] === true ? fail(ended, result || readText(event["subtype"])) : say(ended, result);
  },
  codex(output, event) {
    const own = begin(output, event["thread_id"]);
    const item = readObject(event["item"]);
    if (event["type"] === "item.completed")
      return item["type"] === "agent_message" ? say(own, readText(item["text"])) : own;
    if (event["type"] === "item.started") return useTool(own, item["type"]);
    if (event["type"] === "turn.completed") {
      const tokens = own.tokens + sumFields(event["usage"], ["input_tokens", "output_tokens"]);
      return { ...own, tokens, isDone: true };
    }
    if (event["type"] === "turn.failed") return fail(own, readText(readObject(event["error"])["message"]));
    return event["type"] === "error" ? fail(own, readText(event["message"])) : own;
  },
  gemini(output, event) {
    const own = begin(output, event["session_id"]);
    const { type, role } = event;
    if (type === "message" && role === "assistant") {
      const text = readText(event["content"]);
      // Parts of one message follow each other. A tool in between empties the text.
      return say(own, event["delta"] === true ? own.text + text : text);
    }
    if (type === "tool_use") return { ...useTool(own, event["tool_name"]), text: "" };
    if (type === "error") return fail(own, readText(event["message"]));
    if (type !== "result") return own;
    const ended = { ...own, tokens: own.tokens + sumFields(event["stats"], ["total_tokens"]), isDone: true };
    return event["status"] === "error" ? fail(ended, readText(readObject(event["error"])["message"])) : ended;
  },
  opencode(output, event) {
    const own = begin(output, event["sessionID"]);
    const part = readObject(event["part"]);
    if (event["type"] === "text") return say(own, readText(part["text"]));
    if (event["type"] === "tool_use") return useTool(own, part["tool"]);
    if (event["type"] === "error") {
      const error = readObject(event["error"]);
      return fail(own, readText(readObject(error["data"])["message"]) || readText(error["name"]));
    }
    if (event["type"] !== "step_finish") return own;
    const tokens = readObject(part["tokens"]);
    const cache = sumFields(tokens["cache"], ["read", "write"]);
    const spent = sumFields(tokens, ["input", "output", "reasoning"]) + cache;
    const usd = own.usd + readNumber(part["cost"]);
    return { ...own, tokens: own.tokens + spent, usd, isDone: part["reason"] === "stop" };
  },
  copilot(output, event) {
    const own = begin(output, event["sessionId"]);
    const data = readObject(event["data"]);
    if (event["type"] === "assistant.message") return say(own, readText(data["content"]));
    if (event["type"] === "tool.execution_start") return useTool(own, data["toolName"]);
    if (event["type"] === "session.error") return fail(own, readText(data["message"]));
    if (event["type"] !== "result") return own;
    const code = event["exitCode"];
    const ended = { ...own, isDone: true };
    return code === 0 ? ended : fail(ended, `exit code ${String(code)}`);
  },
  /** Events of `acp-client.ts`: updates of the protocol and its own ones. */
  acp(output, event) {
    const { type, name, kind, title, stopReason } = event;
    if (type === "session") return begin(output, event["session"]);
    if (type === "agent_message_chunk")
      return say(output, output.text + readText(readObject(event["content"])["text"]));
    if (type === "tool_call") return { ...useTool(output, name ?? kind ?? title), text: "" };
    if (type === "usage") return { ...output, tokens: readNumber(event["tokens"]), usd: readNumber(event["usd"]) };
    if (type === "error") return fail(output, readText(event["message"]));
    if (type !== "result") return output;
    const ended = { ...output, isDone: true };
    return stopReason === "end_turn" ? ended : fail(ended, `The turn ended with ${readText(stopReason)}.`);
  },
};

/** Limits of the provider. They say nothing about the work, and pass. */
const LIMIT_SIGNS =
  /rate.?limit|usage.?limit|too many requests|\b(?:429|529)\b|overloaded|quota exceeded|resource.?exhausted|insufficient.quota/i;
const LOGIN_SIGNS = /not logged in|please (?:run )?\/?login|unauthori[sz]ed|invalid api key|authentication|\b401\b/i;

export const isLoginProblem = (text: string): boolean => LOGIN_SIGNS.test(text);
/** Seconds to wait without a stated time, by the number of waits so far. */
const DEFAULT_WAITS = [30, 120, 600, 1800];
const LONGEST_WAIT = 24 * 3600;

/** Seconds to wait; undefined without a limit. Forms: `|1762956000`, `retry after 30 seconds`, `try again in 5m`. */
export function readLimitWait(text: string, now: number, waits: number): number | undefined {
  if (!LIMIT_SIGNS.test(text)) return undefined;
  const [, epoch] = /\b(1[6-9]\d{8}|2\d{9})\b/.exec(text) ?? [];
  const [, count, unit] =
    /(?:retry|again|reset\w*|wait)\D{0,20}?(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)\b/i.exec(text) ??
    [];
  const factor = { s: 1, m: 60, h: 3600 }[unit?.[0]?.toLowerCase() ?? "s"] ?? 1;
  const stated = epoch === undefined ? (count === undefined ? undefined : Number(count) * factor) : Number(epoch) - now;
  const wait = stated !== undefined && stated > 0 ? stated : (DEFAULT_WAITS[waits] ?? DEFAULT_WAITS.at(-1) ?? 30);
  return Math.min(Math.ceil(wait), LONGEST_WAIT);
}
