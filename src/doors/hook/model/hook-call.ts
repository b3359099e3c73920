import { JOURNAL_EVENTS, type JournalEventName } from "#planning/model/workflow/journal-fold.ts";
import { parseSessionName } from "#planning/model/workflow/work-sessions.ts";

type HookEventName = JournalEventName | "PreToolUse";

/** The fields of a client's hook payload that Tenon uses. A value of the wrong type counts as missing. */
export interface HookCall {
  readonly event: HookEventName;
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

const HOOK_EVENTS: readonly HookEventName[] = [...JOURNAL_EVENTS, "PreToolUse"];

export function parseHookCall(name: string | undefined, payload: string): HookCall | undefined {
  const value = parseHookPayload(payload);
  if (value === undefined) return undefined;
  const event = parseHookEvent(name ?? value["hook_event_name"] ?? value["hookEventName"]);
  if (event === undefined) return undefined;
  const [root] = Array.isArray(value["workspace_roots"]) ? (value["workspace_roots"] as unknown[]) : [];
  return {
    event,
    session: parseSessionName(
      value["session_id"] ?? value["sessionId"] ?? value["conversation_id"] ?? value["trajectory_id"],
    ),
    cwd: readHookText(value["cwd"]) ?? readHookText(root),
    source: readHookText(value["source"]),
    ...parseToolCall(value),
    isStopActive: value["stop_hook_active"] === true,
    message: readHookText(value["last_assistant_message"] ?? value["prompt_response"]),
    agent: readHookText(value["agent_type"] ?? value["agentType"]),
    transcript: readHookText(value["transcript_path"] ?? value["transcriptPath"]),
  };
}

/** Some clients send the input as text. Some report an edit without a tool name. */
function parseToolCall(value: Readonly<Record<string, unknown>>): Pick<HookCall, "tool" | "input"> {
  const said = value["tool_input"] ?? value["toolInput"] ?? value["toolArgs"] ?? value["tool_info"];
  const input = typeof said === "string" ? parseHookPayload(said) : isHookPayloadObject(said) ? said : undefined;
  const tool = readHookText(value["tool_name"] ?? value["toolName"] ?? value["agent_action_name"]);
  const edited = tool === undefined ? readHookText(value["file_path"]) : undefined;
  return edited === undefined
    ? { tool: tool ?? "", input: input ?? {} }
    : { tool: "edit", input: { file_path: edited } };
}

/** Accepts `session-start`, `SessionStart` and `SESSION_START`. */
function parseHookEvent(name: unknown): HookEventName | undefined {
  if (typeof name !== "string") return undefined;
  const letters = name.replace(/[^a-z]/gi, "").toLowerCase();
  return HOOK_EVENTS.find((event) => event.toLowerCase() === letters);
}

function parseHookPayload(payload: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return isHookPayloadObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isHookPayloadObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Rejects NUL characters, which file system calls do not accept. */
const readHookText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;

type ClaudeHookAnswer = Readonly<Record<string, unknown>>;

/** `refusal` is for clients that read only the exit code. */
interface ClientReply {
  readonly answer?: ClaudeHookAnswer | undefined;
  readonly refusal?: string | undefined;
}

interface HookAnswerParts {
  readonly event: string | undefined;
  readonly denial: string | undefined;
  readonly context: string | undefined;
  readonly goOn: string | undefined;
  readonly toUser: string | undefined;
}

const CLIENT_DIALECTS: Readonly<
  Record<string, (said: HookAnswerParts, answer: ClaudeHookAnswer | undefined) => ClientReply>
> = {
  /** Cursor treats an empty answer before a tool call as a denial. */
  cursor({ event, denial, context, goOn }) {
    if (event === "PreToolUse") {
      const no = { permission: "deny", user_message: denial, agent_message: denial };
      return { answer: denial === undefined ? { permission: "allow" } : no };
    }
    if (event === "UserPromptSubmit") return { answer: { continue: true } };
    return {
      answer: {
        ...(context === undefined ? {} : { additional_context: context }),
        ...(goOn === undefined ? {} : { followup_message: goOn }),
      },
    };
  },
  /** Copilot reads the outer fields in the terminal and the inner ones in the editor. */
  copilot({ denial, context }, answer) {
    const no = { permissionDecision: "deny", permissionDecisionReason: denial };
    return {
      answer: answer && {
        ...answer,
        ...(denial === undefined ? {} : no),
        ...(context === undefined ? {} : { additionalContext: context }),
      },
    };
  },
  gemini({ denial, goOn, toUser }, answer) {
    const reason = denial ?? goOn;
    if (reason === undefined) return { answer };
    return { answer: { decision: "deny", reason, ...(toUser === undefined ? {} : { systemMessage: toUser }) } };
  },
  windsurf: ({ denial }) => ({ refusal: denial }),
};

export const CLIENT_DIALECT_NAMES: readonly string[] = Object.keys(CLIENT_DIALECTS);

/** Unknown clients get the Claude Code form. */
export function translateHookAnswer(
  answer: ClaudeHookAnswer | undefined,
  event: string | undefined,
  dialect: string | undefined,
): ClientReply {
  const speak = dialect !== undefined && Object.hasOwn(CLIENT_DIALECTS, dialect) ? CLIENT_DIALECTS[dialect] : undefined;
  return speak ? speak(extractAnswerParts(answer, event), answer) : { answer };
}

function extractAnswerParts(answer: ClaudeHookAnswer | undefined, event: string | undefined): HookAnswerParts {
  const inner = answer?.["hookSpecificOutput"];
  const specific = typeof inner === "object" && inner !== null ? (inner as ClaudeHookAnswer) : {};
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    event: parseHookEvent(event),
    denial: specific["permissionDecision"] === "deny" ? text(specific["permissionDecisionReason"]) : undefined,
    context: text(specific["additionalContext"]),
    goOn: answer?.["decision"] === "block" ? text(answer["reason"]) : undefined,
    toUser: text(answer?.["systemMessage"]),
  };
}
