import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { GUIDED_STAGES, listStageGuides } from "#doors/mcp/stage-guides.ts";
import { renderPrompt, MCP_PROMPTS } from "#doors/mcp/mcp-prompts.ts";
import { MCP_TOOLS, selectTools } from "#doors/mcp/tool-table.ts";
import { CHANGE_STAGES, buildChangeFlow, CHANGE_TYPES, DOCUMENTED_SIZES } from "#kernel/model/stages/change-stages.ts";
import { MAX_ITEMS_PER_COMPONENT, SCATTERED_COMPONENT_COUNT } from "#planning/model/project/design-coverage.ts";
import { PROJECT_STAGES, PROJECT_STAGE_CALLS, PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { WORKFLOW_KINDS, getWorkflowFlow, type WorkflowKind } from "#planning/model/workflow/workflow-record.ts";
import type { ToolSurface } from "#doors/catalogue.ts";

const asset = (path: string): string => fs.readFileSync(`assets/${path}`, "utf8");
const tokens = (text: string): number => encode(text).length;
const guides = listStageGuides().map(({ name }) => `guides/${name}.md`);
const prompts = MCP_PROMPTS.map(({ name }) => `prompts/${name}.md`);

const getTool = (operation: string) => MCP_TOOLS.find((tool) => tool.operation === operation);

test("every stage has a guide and every guide a stage", () => {
  const stages = (kind: WorkflowKind) => getWorkflowFlow(kind).stages.map(({ name }) => name);
  expect(GUIDED_STAGES).toEqual({
    project: PROJECT_STAGES.slice(1),
    change: CHANGE_STAGES,
    ...Object.fromEntries(WORKFLOW_KINDS.map((kind) => [`workflow/${kind}`, stages(kind)])),
  });
  expect(guides.filter((path) => !fs.existsSync(`assets/${path}`))).toEqual([]);
});

test("a guide of a project costs at most 400 tokens, of a change 250, and a prompt 450", () => {
  const most = (path: string): number =>
    path.startsWith("prompts/") ? 450 : path.startsWith("guides/project/") ? 400 : 250;
  expect([...guides, ...prompts].filter((path) => tokens(asset(path)) > most(path))).toEqual([]);
});

test("every guide begins with its stage, and ends with a good example before a poor one", () => {
  const broken = guides.filter((path) => {
    const stage = path.split("/").at(-1)?.replace(".md", "");
    return !new RegExp(`^# Stage: ${stage}\n\n[^\n]+\n\n[\\s\\S]+\nGood:[\\s\\S]+\nPoor: [^\n]+\n$`).test(asset(path));
  });
  expect(broken).toEqual([]);
});

test.each(PROJECT_DOCUMENT_STAGES)("the guide of %s describes exactly the arguments of its tool", (stage) => {
  const guide = asset(`guides/project/${stage}.md`);
  const tool = getTool(PROJECT_STAGE_CALLS[stage].operation);
  const { inputSchema } = JSON.parse(asset(`surface/${tool?.operation}.json`)) as ToolSurface;
  const required = new Set(inputSchema.required);
  const taken = Object.keys(inputSchema.properties ?? {})
    .filter((name) => name !== "workspace")
    .map((name) => `${name}${required.has(name) ? "" : " (optional)"}`);
  const named = [...guide.matchAll(/^- `(\w+)`( \(optional\))?/gm)].map(
    ([, name, optional = ""]) => `${name}${optional}`,
  );
  expect(guide).toContain(`Call \`${tool?.name}\``);
  expect(named.toSorted()).toEqual(taken.toSorted());
});

test("texts name only existing tools and prompts", () => {
  const known = new Set([...MCP_TOOLS.map((tool) => tool.name), ...MCP_PROMPTS.map((prompt) => prompt.name)]);
  const unknown = ["instructions.md", ...guides, ...prompts].flatMap((path) =>
    [...asset(path).matchAll(/(?<![/.\w-])(?:sdd|mem)[_-][a-z][a-z_-]*/g)]
      .filter(([name]) => !known.has(name))
      .map(([name]) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("the help of the server lists exactly the existing toolsets", () => {
  const [, list = ""] = /^Toolsets:\n([\s\S]*?)\n\n/m.exec(asset("cli/mcp.md")) ?? [];
  const listed = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  expect(listed).toEqual(["default", "all", ...new Set(MCP_TOOLS.map((tool) => tool.toolset))]);
});

test("a page names the toolset of each tool beyond the default", () => {
  const usual = new Set(selectTools(["default"]).map((tool) => tool.name));
  const pages = ["README.md", ...fs.readdirSync("docs/guide").map((name) => `docs/guide/${name}`)];
  const unsaid = pages.flatMap((path) => {
    const text = fs.readFileSync(path, "utf8");
    return MCP_TOOLS.filter(({ name }) => !usual.has(name) && new RegExp(`\\b${name}\\b`).test(text))
      .filter(({ toolset }) => !text.includes(`--toolsets default,${toolset}`))
      .map(({ name }) => `${path}: ${name}`);
  });
  expect(unsaid).toEqual([]);
});

test("the guides of a design name the smells that validation reports", () => {
  for (const path of ["guides/project/design.md", "guides/change/design.md"]) {
    expect(asset(path)).toContain(`requirement in ${SCATTERED_COMPONENT_COUNT} or more components`);
    expect(asset(path)).toContain(`component with more than ${MAX_ITEMS_PER_COMPONENT} requirements`);
  }
});

const SOURCES = {
  asset: async (path: string) => asset(path),
  status: async () => ({ status: "No change is active." }),
};

test.each([
  ["all its arguments", true, SOURCES],
  ["nothing", false, { ...SOURCES, status: async () => ({ absence: "There is no workspace here." }) }],
])("every prompt works with %s", async (_, isGiven, sources) => {
  for (const { name, arguments: all } of MCP_PROMPTS) {
    const given = all.map((argument) => [argument.name, argument.values?.[0] ?? "Night ward"] as const);
    const { messages } = await renderPrompt(name, isGiven ? Object.fromEntries(given) : {}, sources);
    const text = messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("");
    expect({ name, isText: text.length > 100, isFilled: !/\{\{|undefined/.test(text) }).toEqual({
      name,
      isText: true,
      isFilled: true,
    });
  }
});

test("the lists of stages match the flows", () => {
  const rows = (path: string): string[][] =>
    [...asset(path).matchAll(/^\| (.*) \|$/gm)].slice(1).map(([, row]) => row?.split(" | ") ?? []);
  expect(rows("prompts/sdd-stage-guide.md").map(([stage, , tool]) => [stage, tool])).toEqual([
    ["init", "sdd_init_project"],
    ...PROJECT_DOCUMENT_STAGES.map((stage) => [stage, getTool(PROJECT_STAGE_CALLS[stage].operation)?.name]),
  ]);
  const shown = Object.fromEntries(
    rows("prompts/sdd-change-guide.md").flatMap(([types = "", ...flows]) =>
      types.split(", ").map((type) => [type, flows]),
    ),
  );
  const flow = (type: (typeof CHANGE_TYPES)[number]): string[] =>
    DOCUMENTED_SIZES.map((size) =>
      buildChangeFlow(type, size)
        .stages.map((stage) => stage.name)
        .join(", "),
    );
  expect(shown).toEqual(Object.fromEntries(CHANGE_TYPES.map((type) => [type, flow(type)])));
});
