import { JOURNAL_EVENTS, type JournalEvent } from "../workflow/fold.ts";
import { sessionName } from "../workflow/session-name.ts";

type HookEvent = JournalEvent | "PreToolUse";

/** The fields of a client's hook payload that Tenon uses. A value of the wrong type counts as missing. */
export interface HookCall {
  readonly event: HookEvent;
  readonly session: string;
  readonly cwd: string | undefined;
  readonly source: string | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the agent continues only because a hook asked it to. */
  readonly isStopActive: boolean;
  readonly message: string | undefined;
  /** The subagent's name as the client gives it: `sdd:builder`. */
  readonly agent: string | undefined;
  readonly transcript: string | undefined;
}

const EVENTS: readonly HookEvent[] = [...JOURNAL_EVENTS, "PreToolUse"];

export function readCall(name: string | undefined, payload: string): HookCall | undefined {
  const value = objectOf(payload);
  if (value === undefined) return undefined;
  const event = eventOf(name ?? value["hook_event_name"] ?? value["hookEventName"]);
  if (event === undefined) return undefined;
  const [root] = Array.isArray(value["workspace_roots"]) ? (value["workspace_roots"] as unknown[]) : [];
  return {
    event,
    session: sessionName(
      value["session_id"] ?? value["sessionId"] ?? value["conversation_id"] ?? value["trajectory_id"],
    ),
    cwd: textOf(value["cwd"]) ?? textOf(root),
    source: textOf(value["source"]),
    ...toolIn(value),
    isStopActive: value["stop_hook_active"] === true,
    message: textOf(value["last_assistant_message"] ?? value["prompt_response"]),
    agent: textOf(value["agent_type"] ?? value["agentType"]),
    transcript: textOf(value["transcript_path"] ?? value["transcriptPath"]),
  };
}

/** Some clients send the input as text. Some report an edit without a tool name. */
function toolIn(value: Readonly<Record<string, unknown>>): Pick<HookCall, "tool" | "input"> {
  const said = value["tool_input"] ?? value["toolInput"] ?? value["toolArgs"] ?? value["tool_info"];
  const input = typeof said === "string" ? objectOf(said) : isObject(said) ? said : undefined;
  const tool = textOf(value["tool_name"] ?? value["toolName"] ?? value["agent_action_name"]);
  const edited = tool === undefined ? textOf(value["file_path"]) : undefined;
  return edited === undefined
    ? { tool: tool ?? "", input: input ?? {} }
    : { tool: "edit", input: { file_path: edited } };
}

/** Accepts `session-start`, `SessionStart` and `SESSION_START`. */
export function eventOf(name: unknown): HookEvent | undefined {
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

/** Rejects NUL characters, which file system calls do not accept. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;
