import fs from "node:fs";
import { expect, test } from "vitest";
import { selectTools, MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { AGENT_ROLES, ROADMAP_ROLES, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import type { ToolSurface } from "#doors/catalogue.ts";

const readFrontMatter = (role: string): Record<string, string> => {
  const [, front = ""] = /^---\n([\s\S]*?)\n---\n/.exec(fs.readFileSync(`plugin/agents/${role}.md`, "utf8")) ?? [];
  return Object.fromEntries(front.split("\n").map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
};
const listTools = (role: string): string[] => (readFrontMatter(role)["tools"] ?? "").split(", ");
const WRITERS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
const OURS = "mcp__plugin_sdd_tenon__";

test("lists the tools of each role", () => {
  const others = AGENT_ROLES.filter((role) => !role.startsWith("inspector-"));
  const rows = others.map((role) => {
    const own = listTools(role).map((tool) => tool.replace(OURS, ""));
    return `${role} (tier ${ROLE_FACTS[role].tier}, ${readFrontMatter(role)["model"]}): ${own.join(" ")}`;
  });
  expect(rows.join("\n")).toMatchInlineSnapshot(`
    "lead (tier 1, opus): Read Glob Grep Bash Agent sdd_next sdd_report sdd_roadmap sdd_design sdd_review sdd_impl sdd_status sdd_steering sdd_stack sdd_decide sdd_handover
    spec-agent (tier 2, opus): Read Glob Grep Write Edit sdd_spec_validate sdd_query mem_search
    test-agent (tier 3, sonnet): Read Glob Grep Write Edit Bash sdd_query
    impl-agent (tier 3, sonnet): Read Glob Grep Write Edit Bash sdd_query sdd_impact
    architect (tier 2, opus): Read Glob Grep Write Edit Bash WebSearch WebFetch sdd_brief sdd_report
    task-generator (tier 3, sonnet): Read Glob Grep Write Edit sdd_brief sdd_report
    builder (tier 3, sonnet): Read Glob Grep Write Edit Bash sdd_brief sdd_report
    auditor-design (tier 2, opus): Read Glob Grep sdd_brief sdd_report
    auditor-impl (tier 2, opus): Read Glob Grep sdd_brief sdd_report
    auditor-dead-code (tier 2, opus): Read Glob Grep sdd_brief sdd_report"
  `);
});

const INSPECTOR_TOOLS: Readonly<Record<string, string>> = {
  read: "Read",
  search: "Glob Grep",
  run: "Bash",
  web: "WebSearch WebFetch",
};

test.each(AGENT_ROLES.filter((role) => role.startsWith("inspector-")))(
  "%s has the tools that its asset names",
  (role) => {
    const { tier, tools } = ROLE_FACTS[role];
    expect({
      tier,
      model: readFrontMatter(role)["model"],
      tools: listTools(role).join(" ").replaceAll(OURS, ""),
    }).toEqual({
      tier: 3,
      model: "sonnet",
      tools: [...tools.map((kind) => INSPECTOR_TOOLS[kind]), "sdd_brief", "sdd_report"].join(" "),
    });
  },
);

test("gives a write tool exactly to the roles that write files", () => {
  const writers = AGENT_ROLES.filter((role) => listTools(role).some((tool) => WRITERS.includes(tool)));
  expect(writers).toEqual(AGENT_ROLES.filter((role) => ROLE_FACTS[role].writes !== null));
});

test("names tools of the engine as the client does, and the server offers them", () => {
  const { mcpServers } = JSON.parse(fs.readFileSync("plugin/.mcp.json", "utf8")) as {
    mcpServers: Record<string, { args: string[] }>;
  };
  expect(Object.keys(mcpServers)).toEqual(["tenon"]);
  const [, sets = ""] = /\$\{TENON_TOOLSETS:-(.+)\}/.exec(mcpServers["tenon"]?.args.at(-1) ?? "") ?? [];
  const offered = new Set(selectTools(sets.split(",")).map(({ name }) => name));
  const named = AGENT_ROLES.flatMap(listTools).filter((tool) => tool.startsWith("mcp__"));
  expect(named.filter((tool) => !offered.has(tool.replace(OURS, "")))).toEqual([]);
});

test("lets a role, except the Lead, write only by the report of its own action", () => {
  const isReading = (name: string): boolean => {
    const operation = MCP_TOOLS.find((tool) => tool.name === name)?.operation;
    const surface = JSON.parse(fs.readFileSync(`assets/surface/${operation}.json`, "utf8")) as ToolSurface;
    return surface.annotations.readOnlyHint === true;
  };
  const changing = AGENT_ROLES.flatMap((role) =>
    ROLE_FACTS[role].engine.filter((name) => !isReading(name)).map((name) => `${role}: ${name}`),
  );
  expect(changing.filter((line) => !line.startsWith("lead: "))).toEqual([
    "spec-agent: sdd_spec_validate",
    ...ROADMAP_ROLES.map((role) => `${role}: sdd_report`),
  ]);
});
