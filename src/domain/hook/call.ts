import { JOURNAL_EVENTS, type JournalEvent } from "../workflow/fold.ts";
import { sessionName } from "../workflow/session-name.ts";

type HookEvent = JournalEvent | "PreToolUse";

/** What an agent's client tells a hook, as far as it is used. What has the wrong type is as if it were not there. */
export interface HookCall {
  readonly event: HookEvent;
  readonly session: string;
  readonly cwd: string | undefined;
  /** Why a session starts: startup, resume, clear or compact. */
  readonly source: string | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the agent goes on only because a hook asked it to. */
  readonly isStopActive: boolean;
  readonly message: string | undefined;
  /** Whom the client says to be at work, where it is a subagent: `sdd:builder`. */
  readonly agent: string | undefined;
  readonly transcript: string | undefined;
}

const EVENTS: readonly HookEvent[] = [...JOURNAL_EVENTS, "PreToolUse"];

/** Nothing for an event that is none of ours, and for what is no JSON object. */
export function readCall(name: string | undefined, payload: string): HookCall | undefined {
  const value = objectOf(payload);
  if (value === undefined) return undefined;
  const event = eventOf(name ?? value["hook_event_name"] ?? value["hookEventName"]);
  if (event === undefined) return undefined;
  const { tool_input: input = value["toolInput"] } = value;
  return {
    event,
    session: sessionName(value["session_id"] ?? value["sessionId"]),
    cwd: textOf(value["cwd"]),
    source: textOf(value["source"]),
    tool: textOf(value["tool_name"] ?? value["toolName"]) ?? "",
    input: isObject(input) ? input : {},
    isStopActive: value["stop_hook_active"] === true,
    message: textOf(value["last_assistant_message"]),
    agent: textOf(value["agent_type"] ?? value["agentType"]),
    transcript: textOf(value["transcript_path"]),
  };
}

/** `session-start`, `SessionStart` and `SESSION_START` are one event. */
function eventOf(name: unknown): HookEvent | undefined {
  if (typeof name !== "string") return undefined;
  const letters = name.replace(/[^a-z]/gi, "").toLowerCase();
  return EVENTS.find((event) => event.toLowerCase() === letters);
}

function objectOf(payload: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A path with a NUL is none; the system would refuse it in its own way. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;
