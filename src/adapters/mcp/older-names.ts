type ToolInput = Readonly<Record<string, unknown>>;

interface CurrentToolCall {
  readonly name: string;
  readonly input: ToolInput;
}

/**
 * Tool names and arguments of older tools. They are not listed, so they cost no tokens, but calls to them still work.
 */
const LEGACY_TOOL_CALLS: Readonly<Record<string, (input: ToolInput) => CurrentToolCall>> = {
  mem_save_prompt: (input) => ({ name: "mem_save", input: { ...input, save_type: "prompt" } }),
  mem_capture_passive: (input) => ({ name: "mem_save", input: { ...input, save_type: "passive" } }),
  mem_session_start: (input) => ({ name: "mem_session", input: { ...input, action: "start" } }),
  mem_session_end: (input) => ({ name: "mem_session", input: { ...input, action: "end" } }),
  mem_session_summary: (input) => ({
    name: "mem_save",
    input: { title: "Session summary", type: "session_summary", ...input },
  }),
  mem_get_observation: (input) => ({ name: "mem_get", input }),
  mem_build_context: ({ observation_id, ...input }) => ({
    name: "mem_get",
    input: { depth: 2, ...input, id: observation_id },
  }),
  mem_unrelate: (input) => ({ name: "mem_relate", input: { ...input, action: "remove" } }),
  sdd_clarify: ({ dimension_scores, ...input }) => ({
    name: "sdd_clarify",
    input: {
      ...input,
      ...(dimension_scores === undefined ? {} : { dimension_scores: convertScoreClaims(dimension_scores) }),
    },
  }),
  // The engine now computes these arguments.
  sdd_create_tasks: (input) => {
    const { total_tasks, ...rest } = omitToolFields(input, "dependency_graph", "wave_assignments");
    const total = total_tasks === undefined ? {} : { total_tasks: convertDigits(total_tasks) };
    return { name: "sdd_create_tasks", input: { ...rest, ...total } };
  },
  sdd_validate: (input) => ({
    name: "sdd_validate",
    input: omitToolFields(input, "requirements_coverage", "component_coverage"),
  }),
  sdd_context: ({ mode, ...input }) => ({
    name: (typeof mode === "string" ? LEGACY_CONTEXT_MODES[mode] : undefined) ?? "sdd_get_context",
    input,
  }),
};

function omitToolFields(input: ToolInput, ...names: readonly string[]): ToolInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
}

const LEGACY_CONTEXT_MODES: Readonly<Record<string, string>> = {
  check: "sdd_context_check",
  suggest: "sdd_suggest_context",
};

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

export function translateLegacyCall(name: string, input: ToolInput): CurrentToolCall {
  const older = Object.hasOwn(LEGACY_TOOL_CALLS, name) ? LEGACY_TOOL_CALLS[name] : undefined;
  return older ? older(input) : { name, input };
}
