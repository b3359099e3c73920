type Input = Readonly<Record<string, unknown>>;

interface Today {
  readonly name: string;
  readonly input: Input;
}

/** Names that memory tools had elsewhere. They are not listed, so they cost nothing, but whoever knows them is served. */
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
};

/** The call as it is made today. */
export function todaysCall(name: string, input: Input): Today {
  const older = Object.hasOwn(OLDER, name) ? OLDER[name] : undefined;
  return older ? older(input) : { name, input };
}
