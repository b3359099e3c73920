import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { toSystemFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { loadCatalogueOperation } from "../catalogue.ts";
import type { AnyOperation, Engine } from "../engine.ts";
import type { CallOrigin } from "#kernel/operations/engine.ts";
import { type UserQuestion, validateOperationInput } from "#kernel/operations/operation.ts";
import type { ElicitedAnswer } from "#planning/operations/approval/record-answer.ts";
import type { ClientProgress } from "./client-progress.ts";
import { renderMcpFault, renderMcpFix, renderMcpPage } from "./mcp-render.ts";
import type { McpHost } from "./client-session.ts";
import { type McpTool, MCP_TOOLS } from "./tool-table.ts";

/** The user behind the client: the answers that came with the call, and how to ask. */
export interface UserAtClient {
  readonly client: Pick<CallOrigin, "name" | "canElicit">;
  readonly answers: readonly (readonly [key: string, answer: ElicitedAnswer])[];
  ask(question: UserQuestion): Promise<InputRequiredResult | ElicitedAnswer | undefined>;
}

/** The tools that the workspace of a call offers; without an engine, that of the server. */
export type Offered = (engine?: Engine) => Promise<readonly McpTool[]>;

interface ToolCallCircumstances {
  readonly clientRoots: readonly string[] | undefined;
  readonly offered: Offered;
  readonly progress?: () => Promise<ClientProgress>;
}

type ToolInput = Readonly<Record<string, unknown>>;

/** A client that can ask may get a question instead of a result. */
export async function runToolCall(
  tool: McpTool,
  input: ToolInput,
  house: McpHost,
  circumstances: ToolCallCircumstances & { readonly user: UserAtClient },
): Promise<CallToolResult | InputRequiredResult>;
export async function runToolCall(
  tool: McpTool,
  input: ToolInput,
  house: McpHost,
  circumstances: ToolCallCircumstances,
): Promise<CallToolResult>;
export async function runToolCall(
  tool: McpTool,
  { workspace, ...input }: ToolInput,
  house: McpHost,
  {
    clientRoots,
    offered,
    progress: toClient,
    user,
  }: ToolCallCircumstances & { readonly user?: UserAtClient | undefined },
): Promise<CallToolResult | InputRequiredResult> {
  let progress: ClientProgress | undefined;
  let tools: readonly McpTool[] | undefined;
  try {
    const operation = await loadCatalogueOperation(tool.operation);
    const checked = await validateOperationInput(operation, input);
    progress = operation.isLong ? await toClient?.() : undefined;
    const engine = await house.open({
      progress,
      argument: checkWorkspaceArgument(workspace),
      clientRoots,
      mayBegin: operation.mayBegin ?? false,
      mayLack: operation.isUsers ?? false,
      client: user?.client,
    });
    tools = await offered(engine);
    assertOffered(tool, tools);
    const output = await runWithUser(operation, engine, checked, user);
    if (isInputRequiredResult(output)) return output;
    // The call may have begun or ended what some tools are for. Its result is kept even if they cannot be listed.
    const before = tools;
    const named = operation.effect === "read" ? tools : await offered(engine).catch(() => before);
    return {
      content: [{ type: "text", text: renderMcpPage(operation.page(output), named) }],
      ...(house.isStructured ? { structuredContent: output as Record<string, unknown> } : {}),
    };
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const error = toSystemFault(thrown) ?? thrown;
    if (!(error instanceof Fault)) {
      const { id } = await house.logDefect(error);
      return createErrorResult(`Defect ${id} in Tenon. The details are in its log.`);
    }
    const known = tools ?? (await offered());
    assertOffered(tool, known);
    const { code, what, why, fixes } = error;
    const fault = { code, what, why, fix: fixes.map((fix) => renderMcpFix(fix, known)) };
    return { ...createErrorResult(renderMcpFault(error, known)), _meta: { "tenon/fault": fault } };
  } finally {
    progress?.stop();
  }
}

/** Runs the operation. If it leaves a question to the user and the client can ask, it runs again with the answer. */
async function runWithUser(
  operation: AnyOperation,
  engine: Engine,
  input: unknown,
  user: UserAtClient | undefined,
): Promise<unknown> {
  const record = async (...answers: UserAtClient["answers"]): Promise<void> => {
    if (answers.length === 0) return;
    const { recordElicitedAnswer } = await import("#planning/operations/approval/record-answer.ts");
    for (const [key, answer] of answers) await recordElicitedAnswer(engine, key, answer);
  };
  await record(...(user?.answers ?? []));
  const output = await operation.run(engine, input);
  const question = user?.client.canElicit ? operation.asks?.(output) : undefined;
  const asked = question && (await user?.ask(question));
  if (!asked || isInputRequiredResult(asked)) return asked ?? output;
  await record([question.key, asked]);
  return operation.run(engine, input);
}

function assertOffered(tool: McpTool, tools: readonly McpTool[]): void {
  if (!tools.includes(tool)) throw unknownTool(tool.name, tools);
}

function checkWorkspaceArgument(workspace: unknown): string | undefined {
  if (workspace === undefined) return undefined;
  if (typeof workspace === "string" && workspace.trim() !== "") return workspace;
  const [why, fix] = ["workspace must be the path of a folder.", "Leave workspace out, or give an absolute path."];
  throw new Fault("input.invalid", { what: "The call was not run.", why, fix });
}

const createErrorResult = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] });

/** When toolsets come by themselves, beside the default tools. */
const TOOLSET_CONDITIONS: Readonly<Record<string, string>> = {
  adopt: "while there are no specs",
  gate: "once a workflow has started",
  project: "once sdd_init_project has started a project",
  roadmap: "once tenon design or tenon roadmap create has started a feature",
  spec: "once a workflow has started",
  stack: "once a workflow has started",
  workflow: "once a workflow has started",
};

/** Says when a tool that exists, but is not offered now, would be. */
export function unknownTool(name: string, tools: readonly McpTool[]): ProtocolError {
  const hidden = MCP_TOOLS.find((candidate) => candidate.name === name);
  const condition = hidden && TOOLSET_CONDITIONS[hidden.toolset];
  const itself = condition ? `with the default tools ${condition}, or always ` : "";
  const why = hidden
    ? ` is not offered now. It is offered ${itself}with tenon mcp --toolsets default,${hidden.toolset}`
    : " does not exist";
  const names = tools.map((tool) => tool.name).join(", ");
  const message = `The tool ${sanitizeText(name, 60)}${why}. Tools: ${names}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

interface CurrentToolCall {
  readonly name: string;
  readonly input: ToolInput;
}

const renameTool =
  (name: string, fixed: ToolInput = {}, defaults: ToolInput = {}) =>
  (input: ToolInput): CurrentToolCall => ({ name, input: { ...defaults, ...input, ...fixed } });

/** Passes on the former name of `description`. */
const describeTool = (name: string, description: unknown, input: ToolInput): CurrentToolCall => ({
  name,
  input: description === undefined ? input : { description, ...input },
});

/** They are not listed, so they cost no tokens, but calls to them still work. */
const LEGACY_TOOL_CALLS = new Map<string, (input: ToolInput) => CurrentToolCall>([
  ["mem_save_prompt", renameTool("mem_save", { save_type: "prompt" })],
  ["mem_capture_passive", renameTool("mem_save", { save_type: "passive" })],
  ["mem_session_start", renameTool("mem_session", { action: "start" })],
  ["mem_session_end", renameTool("mem_session", { action: "end" })],
  ["mem_session_summary", renameTool("mem_save", {}, { title: "Session summary", type: "session_summary" })],
  ["mem_get_observation", renameTool("mem_get")],
  ["mem_build_context", ({ observation_id: id, ...input }) => renameTool("mem_get", { id }, { depth: 2 })(input)],
  ["mem_unrelate", renameTool("mem_relate", { action: "remove" })],
  [
    "sdd_clarify",
    ({ dimension_scores: scores, ...input }) => {
      const claims = scores === undefined ? {} : { dimension_scores: convertScoreClaims(scores) };
      return { name: "sdd_clarify", input: { ...input, ...claims } };
    },
  ],
  [
    "sdd_doctor",
    ({ mend: repair, ...input }) => ({
      name: "sdd_doctor",
      input: repair === undefined ? input : { repair, ...input },
    }),
  ],
  ["sdd_bite", renameTool("sdd_mutation_check")],
  // An agent that has read one of these tools uses the same name for the others.
  ["sdd_change", ({ title, ...input }) => describeTool("sdd_change", title, input)],
  ["sdd_feature", ({ title, ...input }) => describeTool("sdd_feature", title, input)],
  ["sdd_bugfix", ({ title, ...input }) => describeTool("sdd_bugfix", title, input)],
  ["sdd_research", ({ topic, title, ...input }) => describeTool("sdd_research", topic ?? title, input)],
  // The engine now computes these arguments.
  [
    "sdd_create_tasks",
    (input) => {
      const { dependency_graph: _, wave_assignments: __, total_tasks, ...rest } = input;
      const total = total_tasks === undefined ? {} : { total_tasks: convertDigits(total_tasks) };
      return { name: "sdd_create_tasks", input: { ...rest, ...total } };
    },
  ],
  [
    "sdd_validate",
    (input) => {
      const { requirements_coverage: _, component_coverage: __, ...rest } = input;
      return { name: "sdd_validate", input: rest };
    },
  ],
  [
    "sdd_context",
    ({ mode, ...input }) => {
      if (mode === "check") return { name: "sdd_context_check", input };
      return { name: mode === "suggest" ? "sdd_suggest_context" : "sdd_get_context", input };
    },
  ],
]);

const convertDigits = (value: unknown): unknown =>
  typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;

/** Converts `security:80,edge_cases:60` to claims. They have no evidence, so the answer asks for it. */
function convertScoreClaims(scores: unknown): unknown {
  if (typeof scores !== "string") return scores;
  return scores.split(",").map((each) => {
    const [dimension = "", score = ""] = each.split(":").map((part) => part.trim());
    return { dimension, score: convertDigits(score) };
  });
}

export const translateLegacyCall = (name: string, input: ToolInput): CurrentToolCall =>
  LEGACY_TOOL_CALLS.get(name)?.(input) ?? { name, input };
