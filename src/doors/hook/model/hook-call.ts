import { isPlainObject } from "#kernel/model/plain-object.ts";
import { JOURNAL_EVENTS, type JournalEventName } from "#planning/model/workflow/journal-fold.ts";
import { parseSessionName } from "#planning/model/workflow/work-sessions.ts";

/** The fields of a client's hook payload that Tenon uses. A value of the wrong type counts as missing. */
export interface HookCall {
  readonly event: JournalEventName;
  readonly session: string;
  readonly cwd: string | undefined;
  readonly source: string | undefined;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the agent continues only because a hook asked it to. */
  readonly isStopActive: boolean;
  readonly message: string | undefined;
  readonly prompt: string | undefined;
  /** The subagent's name as the client gives it: `sdd:builder`. */
  readonly agent: string | undefined;
  /** Which of several agents with that name. Empty in the main session. */
  readonly agentId: string;
  readonly transcript: string | undefined;
  /** The client's id of a tool call, the same before and after it. */
  readonly toolCall: string;
}

export function parseHookCall(name: string | undefined, payload: string): HookCall | undefined {
  const value = parseHookPayload(payload);
  if (value === undefined) return undefined;
  const event = parseHookEvent(name ?? value.hook_event_name ?? value.hookEventName);
  if (event === undefined) return undefined;
  const [root] = Array.isArray(value.workspace_roots) ? (value.workspace_roots as unknown[]) : [];
  // Some clients send the input as text. Some report an edit without a tool name.
  const said = value.tool_input ?? value.toolInput ?? value.toolArgs ?? value.tool_info;
  const input = typeof said === "string" ? parseHookPayload(said) : said;
  const given = isPlainObject(input) ? input : {};
  const tool = readHookText(value.tool_name ?? value.toolName ?? value.agent_action_name);
  const edited = tool === undefined ? readHookText(value.file_path) : undefined;
  return {
    event,
    session: parseSessionName(value.session_id ?? value.sessionId ?? value.conversation_id ?? value.trajectory_id),
    cwd: readHookText(value.cwd) ?? readHookText(root),
    source: readHookText(value.source),
    tool: edited === undefined ? (tool ?? "") : "edit",
    input: edited === undefined ? given : { file_path: edited },
    isStopActive: value.stop_hook_active === true,
    message: readHookText(value.last_assistant_message ?? value.prompt_response),
    prompt: readHookText(value.prompt ?? value.user_prompt ?? value.userPrompt),
    agent: readHookText(value.agent_type ?? value.agentType),
    agentId: readCallId(value.agent_id ?? value.agentId),
    toolCall: readCallId(value.tool_use_id ?? value.toolUseId ?? value.tool_call_id ?? value.generation_id),
    transcript: readHookText(value.transcript_path ?? value.transcriptPath),
  };
}

/** Of a client that also runs Claude Code's hooks, which would run each hook twice where both are set up. */
export function listOwnHookFiles(payload: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  const project = environment["COPILOT_PROJECT_DIR"];
  if (project) return [`${project}/.github/hooks/tenon.json`];
  const value = payload.includes('"cursor_version"') ? parseHookPayload(payload) : undefined;
  const roots = Array.isArray(value?.workspace_roots) ? (value.workspace_roots as unknown[]) : [];
  return value?.cursor_version === undefined ? [] : roots.map((root) => `${String(root)}/.cursor/hooks.json`);
}

/** Accepts `session-start`, `SessionStart` and `SESSION_START`. */
function parseHookEvent(name: unknown): JournalEventName | undefined {
  if (typeof name !== "string") return undefined;
  const letters = name.replace(/[^a-z]/gi, "").toLowerCase();
  return JOURNAL_EVENTS.find((event) => event.toLowerCase() === letters);
}

function parseHookPayload(payload: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const readCallId = (value: unknown): string =>
  typeof value === "string" && /^[\w.:-]{1,80}$/.test(value) ? value : "";

/** Rejects NUL characters, which file system calls do not accept. */
const readHookText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !value.includes("\0") ? value : undefined;

type ClaudeHookAnswer = Readonly<Record<string, unknown>>;

/** `refusal` is for clients that read only the exit code. */
interface ClientReply {
  readonly answer?: ClaudeHookAnswer | undefined;
  readonly refusal?: string | undefined;
}

type HookAnswerParts = ReturnType<typeof extractAnswerParts>;

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
    const said = context === undefined ? {} : { additional_context: context };
    return { answer: { ...said, ...(goOn === undefined ? {} : { followup_message: goOn }) } };
  },
  /** Copilot reads the outer fields in the terminal and the inner ones in the editor. */
  copilot({ denial, context }, answer) {
    const no = denial === undefined ? {} : { permissionDecision: "deny", permissionDecisionReason: denial };
    const said = context === undefined ? {} : { additionalContext: context };
    return { answer: answer && { ...answer, ...no, ...said } };
  },
  gemini({ denial, goOn, toUser }, answer) {
    const reason = denial ?? goOn;
    if (reason === undefined) return { answer };
    return { answer: { decision: "deny", reason, ...(toUser === undefined ? {} : { systemMessage: toUser }) } };
  },
  /** Kiro adds standard output to the context at the start and with a prompt. */
  kiro: ({ denial, context }) => ({
    refusal: denial,
    answer: context === undefined ? undefined : { additionalContext: context },
  }),
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

function extractAnswerParts(answer: ClaudeHookAnswer | undefined, event: string | undefined) {
  const inner = answer?.["hookSpecificOutput"];
  const specific = isPlainObject(inner) ? inner : {};
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  return {
    event: parseHookEvent(event),
    denial: specific["permissionDecision"] === "deny" ? text(specific["permissionDecisionReason"]) : undefined,
    context: text(specific["additionalContext"]),
    goOn: answer?.["decision"] === "block" ? text(answer["reason"]) : undefined,
    toUser: text(answer?.["systemMessage"]),
  };
}
