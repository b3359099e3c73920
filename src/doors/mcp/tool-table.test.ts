import { expect, test } from "vitest";
import { MCP_TOOLS, selectTools } from "./tool-table.ts";

const CHANGE = [
  "sdd_change",
  "sdd_quick",
  ..."advance status list reopen resize review abandon archive".split(" ").map((verb) => `sdd_change_${verb}`),
];
const ADR = ["sdd_adr", "sdd_adr_status", "sdd_adr_list"];
const WORKSPACE = ["sdd_status", "sdd_workspace_init", "sdd_workspace_validate", "sdd_doctor", "sdd_release"];

const ADOPT = ["sdd_reverse_engineer", "sdd_bootstrap"];
const EXPLORE = ["sdd_explore"];
const PROJECT =
  "sdd_init_project sdd_create_proposal sdd_generate_requirements sdd_create_business_rules sdd_clarify sdd_create_design sdd_create_tasks sdd_validate sdd_get_context sdd_project_confirm sdd_project_reopen".split(
    " ",
  );
const MEMORY =
  "save search context get session timeline update delete relate history progress compact suggest_topic_key stats"
    .split(" ")
    .map((verb) => `mem_${verb}`);
const CONTEXT = ["sdd_context_check", "sdd_suggest_context", "sdd_audit"];
const STARTS = ["sdd_feature", "sdd_bugfix", "sdd_research"];
const WORKFLOW = [
  ...STARTS,
  ..."advance status switch prioritize abandon rollback resume snapshot"
    .split(" ")
    .map((verb) => `sdd_workflow_${verb}`),
  "sdd_lock",
  "sdd_conflicts",
  "sdd_workflow_stats",
];
const ROADMAP = "roadmap next brief report design impl review steering".split(" ").map((verb) => `sdd_${verb}`);
const HANDOVER = ["sdd_handover", "sdd_decide", "sdd_knowledge"];
const GATE = ["sdd_gate", "sdd_evidence", "sdd_mutation_check", "sdd_verify"];
const SPEC = ["sdd_spec_validate"];
const STACK = ["sdd_stack"];
const INDEX = ["sdd_index", "sdd_query", "sdd_summarize", "sdd_feed", "sdd_trace", "sdd_drift", "sdd_impact"];
const ALL = [
  ...WORKSPACE,
  ...ADOPT,
  ...EXPLORE,
  ...PROJECT,
  ...CHANGE,
  ...WORKFLOW,
  ...ROADMAP,
  ...HANDOVER,
  ...GATE,
  ...CONTEXT,
  ...SPEC,
  ...STACK,
  ...INDEX,
  ...ADR,
  ...MEMORY,
];
const SELDOM = [
  ...["list", "review", "abandon", "reopen", "resize", "archive"].map((verb) => `sdd_change_${verb}`),
  "sdd_adr_status",
  "sdd_adr_list",
];
const DEFAULT = [
  "sdd_status",
  ...EXPLORE,
  "sdd_init_project",
  ...CHANGE,
  ...STARTS,
  "sdd_context_check",
  ...ADR,
  ...MEMORY.slice(0, 5),
].filter((name) => !SELDOM.includes(name));

test.each([
  [[], []],
  [["default"], DEFAULT],
  [["all"], ALL],
  [["memory"], MEMORY],
  [["adopt"], ADOPT],
  [["explore"], EXPLORE],
  [["project"], PROJECT],
  [["workspace"], WORKSPACE],
  [["change"], CHANGE],
  [["workflow"], WORKFLOW],
  [["context"], CONTEXT],
  [["roadmap"], ROADMAP],
  [["handover"], HANDOVER],
  [["gate"], GATE],
  [["spec"], SPEC],
  [["stack"], STACK],
  [["index"], INDEX],
  [["adr"], ADR],
  [
    ["adr", "change"],
    [...CHANGE, ...ADR],
  ],
  [["adr", "adr"], ADR],
  [
    ["sdd_audit", "adr"],
    ["sdd_audit", ...ADR],
  ],
  [
    ["default", "workspace"],
    [...WORKSPACE, ...DEFAULT.slice(1)],
  ],
  [["all", "default"], ALL],
])("%j offers each tool once, in the order of the catalogue", (names, tools) => {
  expect(selectTools(names).map((tool) => tool.name)).toEqual(tools);
});

test("no two tools share a name or an operation", () => {
  expect(new Set(MCP_TOOLS.map((tool) => tool.name)).size).toBe(MCP_TOOLS.length);
  expect(new Set(MCP_TOOLS.map((tool) => tool.operation)).size).toBe(MCP_TOOLS.length);
});

test.each([
  ["memories", '"memories"'],
  ["", '""'],
  ["Change", '"Change"'],
  ["__proto__", '"__proto__"'],
  ["\u001b[2J", '"\\u001b[2J"'],
])("rejects the toolset %j", (name, shown) => {
  expect(() => selectTools(["change", name])).toThrow(
    expect.objectContaining({
      code: "usage.unknown-toolset",
      what: "The server was not started.",
      why: `Unknown toolset ${shown}. Toolsets: default, all, workspace, adopt, explore, project, change, workflow, roadmap, handover, gate, context, spec, stack, index, adr, memory.`,
      fixes: ["tenon mcp --toolsets default"],
    }),
  );
});
