import {
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { CallOrigin } from "#kernel/operations/engine.ts";
import type { UserQuestion } from "#kernel/operations/operation.ts";
import type { ElicitedAnswer } from "#planning/operations/approval/record-answer.ts";

type CallContext = Pick<ServerContext, "mcpReq">;

/** Capabilities and name of the client, from the request itself or from the handshake. */
function readClientIdentity(server: Server, { mcpReq }: CallContext) {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const declared = envelope["io.modelcontextprotocol/clientCapabilities"] as ClientCapabilities | undefined;
  const info = envelope["io.modelcontextprotocol/clientInfo"] ?? server.getClientVersion();
  return {
    isModern: declared !== undefined,
    capabilities: declared ?? server.getClientCapabilities(),
    name: isPlainObject(info) && typeof info["name"] === "string" ? info["name"] : "an MCP client",
  };
}

/** A client that names no mode of elicitation shows forms. */
export function readCallingClient(server: Server, context: CallContext): Pick<CallOrigin, "name" | "canElicit"> {
  const { capabilities, name } = readClientIdentity(server, context);
  const modes = capabilities?.elicitation;
  return {
    name: sanitizeText(name, 100),
    canElicit: modes !== undefined && (modes.form !== undefined || modes.url === undefined),
  };
}

/** A person reads and thinks before they answer. */
const FORM_TIMEOUT_MS = 10 * 60 * 1000;
const FORM_PREFIX = "approval-";

/** With the newer protocol the question is the result, and the client calls again. Undefined without an answer. */
export async function askInClient(
  server: Server,
  context: CallContext,
  question: UserQuestion,
): Promise<InputRequiredResult | ElicitedAnswer | undefined> {
  const form = createForm(question);
  if (readClientIdentity(server, context).isModern)
    return inputRequired({ inputRequests: { [`${FORM_PREFIX}${question.key}`]: inputRequired.elicit(form) } });
  try {
    const { signal } = context.mcpReq;
    const params = { ...form, mode: "form" };
    const options = { timeout: FORM_TIMEOUT_MS, resetTimeoutOnProgress: true, signal };
    return parseFormResult(await context.mcpReq.send({ method: "elicitation/create", params }, options));
  } catch (error) {
    if (context.mcpReq.signal.aborted) throw error;
    return undefined;
  }
}

function createForm({ question, path, choices }: UserQuestion) {
  const read = path === undefined ? "" : `\nRead ${path} before you answer.`;
  return {
    message: `${sanitizeText(question, 1_000)}${read}`,
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: { type: "string" as const, title: "Your answer", enum: [...choices] },
        reason: { type: "string" as const, title: "Reason", description: "The agent gets it" },
      },
      required: ["answer"],
    },
  };
}

/** The answers that came with a repeated call, by the key of their question. */
export const readFormAnswers = ({ mcpReq }: CallContext): (readonly [key: string, answer: ElicitedAnswer])[] =>
  Object.entries(mcpReq.inputResponses ?? {}).flatMap(([name, response]) => {
    const answer = name.startsWith(FORM_PREFIX) ? parseFormResult(response) : undefined;
    return answer ? [[name.slice(FORM_PREFIX.length), answer] as const] : [];
  });

function parseFormResult(result: unknown): ElicitedAnswer | undefined {
  if (!isPlainObject(result)) return undefined;
  const { action, content } = result;
  if (action !== "accept" && action !== "decline" && action !== "cancel") return undefined;
  const fields = isPlainObject(content) ? content : {};
  const readText = (value: unknown): string | undefined => (typeof value === "string" ? value.trim() : undefined);
  return { action, choice: readText(fields["answer"]), reason: readText(fields["reason"]) };
}
