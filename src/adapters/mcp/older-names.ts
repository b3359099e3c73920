type Input = Readonly<Record<string, unknown>>;

interface Today {
  readonly name: string;
  readonly input: Input;
}

/**
 * Tool names and arguments of older tools. They are not listed, so they cost no tokens, but calls to them still work.
 */
const OLDER: Readonly<Record<string, (input: Input) => Today>> = {
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
    input: { ...input, ...(dimension_scores === undefined ? {} : { dimension_scores: asClaims(dimension_scores) }) },
  }),
  // The engine now computes these arguments.
  sdd_create_tasks: (input) => {
    const { total_tasks, ...rest } = without(input, "dependency_graph", "wave_assignments");
    const total = total_tasks === undefined ? {} : { total_tasks: asNumber(total_tasks) };
    return { name: "sdd_create_tasks", input: { ...rest, ...total } };
  },
  sdd_validate: (input) => ({
    name: "sdd_validate",
    input: without(input, "requirements_coverage", "component_coverage"),
  }),
  sdd_context: ({ mode, ...input }) => ({
    name: (typeof mode === "string" ? CONTEXTS[mode] : undefined) ?? "sdd_get_context",
    input,
  }),
};

function without(input: Input, ...names: readonly string[]): Input {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
}

const CONTEXTS: Readonly<Record<string, string>> = { check: "sdd_context_check", suggest: "sdd_suggest_context" };

const asNumber = (value: unknown): unknown =>
  typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;

/** Converts `security:80,edge_cases:60` to claims. They have no evidence, so the answer asks for it. */
function asClaims(scores: unknown): unknown {
  if (typeof scores !== "string") return scores;
  return scores.split(",").map((each) => {
    const [dimension = "", score = ""] = each.split(":").map((part) => part.trim());
    return { dimension, score: asNumber(score) };
  });
}

export function todaysCall(name: string, input: Input): Today {
  const older = Object.hasOwn(OLDER, name) ? OLDER[name] : undefined;
  return older ? older(input) : { name, input };
}
