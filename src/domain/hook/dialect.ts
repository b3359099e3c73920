import { parseHookEvent } from "./call.ts";

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
