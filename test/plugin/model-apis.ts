/** The wire formats in which clients ask a model: one request in, one scripted answer out. */
export interface Asked {
  readonly model: string;
  readonly tools: readonly string[];
  /** Everything that the model receives except the tools, as text. */
  readonly text: string;
  readonly results: readonly string[];
}

/** A text as `input` calls a tool that takes free text instead of JSON. */
export type Said = { readonly text: string } | { readonly tool: string; readonly input: object | string };

export interface ModelApi {
  /** Whether a request to this path asks the model. */
  readonly path: RegExp;
  readonly read: (body: ModelRequest, path: string) => Asked;
  /** The body of a streamed answer, or of a plain one. */
  readonly answer: (said: Said, n: number, isStream: boolean, model: string) => string;
}

interface Block {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: unknown;
  readonly functionResponse?: unknown;
}
interface NamedTool {
  readonly type?: string;
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly functionDeclarations?: readonly NamedTool[];
  readonly tools?: readonly NamedTool[];
}
export interface ModelRequest {
  readonly model?: string;
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly systemInstruction?: unknown;
  readonly stream?: boolean;
  readonly tools?: readonly NamedTool[];
  readonly messages?: readonly Block[];
  readonly input?: readonly Block[];
  readonly contents?: readonly { readonly parts?: readonly Block[] }[];
}

const listToolNames = (tools: readonly NamedTool[] = []): string[] =>
  tools.flatMap(({ type, name, function: fn, functionDeclarations, tools: inner }) => {
    const nested = listToolNames(functionDeclarations ?? inner);
    return nested.length > 0 ? nested : [name ?? fn?.name ?? type ?? ""];
  });

const formatEvents = (events: readonly (readonly [string, object])[]): string =>
  events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join("");

const formatData = (chunks: readonly object[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");

/** Anthropic: Claude Code. */
const messagesApi: ModelApi = {
  path: /^\/v1\/messages(?!\/count_tokens)/,
  read({ model = "", system, tools, messages = [] }) {
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Block[]) : []));
    return {
      model,
      tools: listToolNames(tools),
      text: JSON.stringify([system, messages]),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content)),
    };
  },
  answer(said, n, isStream, model) {
    const isTool = "tool" in said;
    const block = isTool
      ? { type: "tool_use", id: `toolu_${n}`, name: said.tool, input: said.input }
      : { type: "text", ...said };
    const stop_reason = isTool ? "tool_use" : "end_turn";
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${n}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    if (!isStream) return JSON.stringify({ ...message, content: [block], stop_reason });
    const delta = isTool
      ? { type: "input_json_delta", partial_json: JSON.stringify(said.input) }
      : { type: "text_delta", text: said.text };
    return formatEvents([
      ["message_start", { message: { ...message, content: [], stop_reason: null } }],
      [
        "content_block_start",
        { index: 0, content_block: isTool ? { ...block, input: {} } : { type: "text", text: "" } },
      ],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage }],
      ["message_stop", {}],
    ]);
  },
};

/** OpenAI Responses: Codex. */
const responsesApi: ModelApi = {
  path: /^\/v1\/responses/,
  read({ model = "", instructions, tools, input = [] }) {
    const results = input.filter(({ type }) => type?.endsWith("_output") === true);
    return {
      model,
      tools: listToolNames(tools),
      text: JSON.stringify([instructions, input]),
      results: results.map(({ output }) => JSON.stringify(output)),
    };
  },
  answer(said, n) {
    const item = createResponseItem(said, n);
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const response = { id: `resp_${n}`, object: "response", status: "completed", output: [item], usage };
    return formatEvents([
      ["response.created", { response: { id: response.id } }],
      ["response.output_item.done", { output_index: 0, item }],
      ["response.completed", { response }],
    ]);
  },
};

function createResponseItem(said: Said, n: number): object {
  if (!("tool" in said)) {
    const content = [{ type: "output_text", text: said.text, annotations: [] }];
    return { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content };
  }
  const call = { id: `item_${n}`, call_id: `call_${n}`, status: "completed" };
  if (typeof said.input === "string") {
    return { ...call, type: "custom_tool_call", name: said.tool, input: said.input };
  }
  // A tool inside a namespace is named `namespace/tool`.
  const [name = "", namespace] = said.tool.split("/").toReversed();
  return {
    ...call,
    type: "function_call",
    name,
    ...(namespace ? { namespace } : {}),
    arguments: JSON.stringify(said.input),
  };
}

/** OpenAI Chat Completions: Qwen Code, OpenCode and Copilot CLI. */
const chatApi: ModelApi = {
  path: /^\/v1\/chat\/completions/,
  read({ model = "", tools, messages = [] }) {
    return {
      model,
      tools: listToolNames(tools),
      text: JSON.stringify(messages),
      results: messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content)),
    };
  },
  answer(said, n, isStream, model) {
    const call = "tool" in said && {
      index: 0,
      id: `call_${n}`,
      type: "function",
      function: { name: said.tool, arguments: JSON.stringify(said.input) },
    };
    const message = {
      role: "assistant",
      ...("tool" in said ? { content: null, tool_calls: [call] } : { content: said.text }),
    };
    const finish_reason = call ? "tool_calls" : "stop";
    const head = { id: `chat_${n}`, created: 1, model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (!isStream) {
      const choices = [{ index: 0, message, finish_reason }];
      return JSON.stringify({ ...head, object: "chat.completion", choices, usage });
    }
    const object = "chat.completion.chunk";
    return `${formatData([
      { ...head, object, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...head, object, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, object, choices: [], usage },
    ])}data: [DONE]\n\n`;
  },
};

/** Gemini CLI. */
const geminiApi: ModelApi = {
  path: /^\/v1beta\/models\/[^:]+:(?:streamG|g)enerateContent/,
  read({ systemInstruction, tools, contents = [] }, path) {
    const parts = contents.flatMap((content) => content.parts ?? []);
    return {
      model: /models\/([^:]+)/.exec(path)?.[1] ?? "",
      tools: listToolNames(tools),
      text: JSON.stringify([systemInstruction, contents]),
      results: parts.flatMap(({ functionResponse }) => (functionResponse ? JSON.stringify(functionResponse) : [])),
    };
  },
  answer(said, n, isStream, model) {
    const part = "tool" in said ? { functionCall: { id: `call_${n}`, name: said.tool, args: said.input } } : said;
    const answer = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: model,
    };
    return isStream ? formatData([answer]) : JSON.stringify(answer);
  },
};

export const MODEL_APIS: readonly ModelApi[] = [messagesApi, responsesApi, chatApi, geminiApi];
