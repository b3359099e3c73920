import { expect, test } from "vitest";
import { translateLegacyCall } from "./tool-call.ts";
import { MCP_TOOLS } from "./tool-table.ts";

test.each([
  ["mem_save_prompt", { content: "Why?" }, "mem_save", { content: "Why?", save_type: "prompt" }],
  [
    "mem_capture_passive",
    { content: "…", source: "bash" },
    "mem_save",
    { content: "…", source: "bash", save_type: "passive" },
  ],
  ["mem_session_start", { id: "a", project: "p" }, "mem_session", { id: "a", project: "p", action: "start" }],
  ["mem_session_end", { id: "a", summary: "s" }, "mem_session", { id: "a", summary: "s", action: "end" }],
  [
    "mem_session_summary",
    { content: "s", project: "p" },
    "mem_save",
    { title: "Session summary", type: "session_summary", content: "s", project: "p" },
  ],
  ["mem_get_observation", { id: 1 }, "mem_get", { id: 1 }],
  ["mem_build_context", { observation_id: 1 }, "mem_get", { id: 1, depth: 2 }],
  ["mem_build_context", { observation_id: 1, depth: 4 }, "mem_get", { id: 1, depth: 4 }],
  ["mem_unrelate", { id: 1 }, "mem_relate", { id: 1, action: "remove" }],
  [
    "sdd_clarify",
    { dimension_scores: "security:80, edge_cases: x", answers: "a" },
    "sdd_clarify",
    {
      answers: "a",
      dimension_scores: [
        { dimension: "security", score: 80 },
        { dimension: "edge_cases", score: "x" },
      ],
    },
  ],
  ["sdd_change", { title: "Login", type: "fix" }, "sdd_change", { description: "Login", type: "fix" }],
  ["sdd_feature", { title: "Login", id: "A-001" }, "sdd_feature", { description: "Login", id: "A-001" }],
  ["sdd_research", { title: "Which host" }, "sdd_research", { description: "Which host" }],
  ["sdd_bugfix", { title: "Login fails" }, "sdd_bugfix", { description: "Login fails" }],
  ["sdd_research", { topic: "Which", timebox: "1h" }, "sdd_research", { description: "Which", timebox: "1h" }],
  ["sdd_doctor", { mend: true }, "sdd_doctor", { repair: true }],
  ["sdd_bite", { id: "A-001" }, "sdd_mutation_check", { id: "A-001" }],
  ["sdd_doctor", {}, "sdd_doctor", {}],
  ["sdd_feature", { description: "Login" }, "sdd_feature", { description: "Login" }],
  ["sdd_clarify", {}, "sdd_clarify", {}],
  ["sdd_clarify", { dimension_scores: [] }, "sdd_clarify", { dimension_scores: [] }],
  [
    "sdd_create_tasks",
    { tasks: "t", total_tasks: "2", wave_assignments: "w", dependency_graph: "d" },
    "sdd_create_tasks",
    { tasks: "t", total_tasks: 2 },
  ],
  [
    "sdd_validate",
    { verdict: "PASS", requirements_coverage: "all", component_coverage: "all" },
    "sdd_validate",
    { verdict: "PASS" },
  ],
  ["sdd_context", { stage: "design" }, "sdd_get_context", { stage: "design" }],
  ["sdd_context", { mode: "check", change_description: "c" }, "sdd_context_check", { change_description: "c" }],
  ["mem_save", { content: "…" }, "mem_save", { content: "…" }],
  ["constructor", {}, "constructor", {}],
])("%s %j is %s %j", (older, said, name, input) => {
  expect(translateLegacyCall(older, said)).toEqual({ name, input });
  expect(older !== name && MCP_TOOLS.some((tool) => tool.name === older)).toBe(false);
});
