import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { COMMON_ARGUMENTS } from "#doors/cli/command-help.ts";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { findToolCommand } from "#doors/cli/terminal-render.ts";
import { listStageGuides } from "#doors/mcp/stage-guides.ts";
import { MCP_PROMPTS } from "#doors/mcp/mcp-prompts.ts";
import { selectTools, MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { AGENT_ROLES } from "#roadmap/model/agent/agent-roles.ts";
import { CI_EXAMPLES } from "#checking/model/ci/ci-findings.ts";
import { CHANGE_ARTIFACT_HEADINGS } from "#planning/model/change/change-artifact.ts";
import { CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";
import { KNOWLEDGE_TYPES } from "#roadmap/model/knowledge/lesson.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { FAULT_MEANINGS } from "#kernel/model/fault-codes.ts";
import { COMMAND_PAGE_NAMES } from "#onboarding/model/setup/command-pages.ts";
import { COMMAND_GROUPS, loadCatalogueOperation, OPERATION_IDS, type ToolSurface } from "#doors/catalogue.ts";
import { CORE_STEERING_NAMES, STEERING_TOPICS } from "#roadmap/model/steering/steering-name.ts";
import { OWN_REPORTERS } from "#checking/model/stack/stack-check.ts";
import { BUILT_IN_PROFILES } from "#checking/model/stack/stack-profile.ts";
import { WORKFLOW_KINDS } from "#planning/model/workflow/workflow-record.ts";
import { createSurfaceFiles } from "../../scripts/surface-files.ts";
import { filesIn, sources } from "./source.ts";

const tokens = (text: string): number => encode(text).length;
const surfaces = await createSurfaceFiles();
const getSurface = (operation: string): ToolSurface =>
  JSON.parse(surfaces[`assets/surface/${operation}.json`] ?? "{}") as ToolSurface;

/** Rooms whose tools belong together. */
const SHARED_TOOLSETS: Readonly<Record<string, string>> = {
  release: "workspace",
  indexing: "index",
  trace: "index",
  feature: "roadmap",
  review: "roadmap",
  steering: "roadmap",
  knowledge: "handover",
};

/** Names that the seeds fixed before operations had ids, or that a later pipeline needs for itself. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  "explore.record": "sdd_explore",
  "project.init": "sdd_init_project",
  "project.propose": "sdd_create_proposal",
  "project.specify": "sdd_generate_requirements",
  "project.business-rules": "sdd_create_business_rules",
  "project.clarify": "sdd_clarify",
  "project.design": "sdd_create_design",
  "project.tasks": "sdd_create_tasks",
  "project.validate": "sdd_validate",
  "project.context": "sdd_get_context",
  "change.start": "sdd_change",
  "change.quick": "sdd_quick",
  "workflow.feature": "sdd_feature",
  "workflow.bugfix": "sdd_bugfix",
  "workflow.research": "sdd_research",
  "workflow.lock": "sdd_lock",
  "workflow.conflicts": "sdd_conflicts",
  "feature.design": "sdd_design",
  "feature.impl": "sdd_impl",
  "review.begin": "sdd_review",
  "roadmap.manage": "sdd_roadmap",
  "roadmap.next": "sdd_next",
  "roadmap.brief": "sdd_brief",
  "roadmap.report": "sdd_report",
  "release.create": "sdd_release",
  "handover.write": "sdd_handover",
  "handover.decide": "sdd_decide",
  "indexing.feed": "sdd_feed",
  "indexing.query": "sdd_query",
  "gate.run": "sdd_gate",
  "gate.evidence": "sdd_evidence",
  "gate.mutation-check": "sdd_mutation_check",
  "gate.verify": "sdd_verify",
  "indexing.update": "sdd_index",
  "knowledge.manage": "sdd_knowledge",
  "steering.manage": "sdd_steering",
  "trace.show": "sdd_trace",
  "trace.drift": "sdd_drift",
  "trace.impact": "sdd_impact",
  "indexing.summarize": "sdd_summarize",
  "context.suggest": "sdd_suggest_context",
  "context.audit": "sdd_audit",
  "adr.record": "sdd_adr",
  "workspace.status": "sdd_status",
  "workspace.doctor": "sdd_doctor",
  "stack.detect": "sdd_stack",
  "adopt.scan": "sdd_reverse_engineer",
  "adopt.bootstrap": "sdd_bootstrap",
};

/** The tools of these rooms have a family name of their own. */
const PREFIXES: Readonly<Record<string, string>> = { memory: "mem" };

/** What an agent must never do for its user has a command and no tool. */
const WITHOUT_TOOL: Readonly<Record<string, string>> = {
  "ci.run": "It is for CI and hooks of git; an agent has the four checks as tools of their own.",
  "release.notes": "What is released, and when, is the user's to tell.",
  "ci.example": "Which files a repository is checked by is the user's to decide.",
  "run.start": "An agent that could start agents could spend its user's money without end.",
  "worker.start": "Like a run, it starts agents at its user's cost.",
  "run.check": "Each call costs the user's money.",
  "run.stop": "Which agents work is for the user who started them.",
  "run.resume": "As stopping one.",
  "run.show": "What the agents of a run do is for the user who started it.",
  "team.init": "It changes a database and who may see the repository.",
  "team.status": "Who works on what is for people. Tools show what concerns the agent's own work.",
  "team.doctor": "A person fixes a connection.",
  "team.export": "It can take the workspace out of the team.",
  "review.waive": "An agent that could waive a Critical could pass every review it is held to.",
  "approval.answer": "An agent that could answer for the user could approve its own work.",
  "setup.clients": "An agent that could set up clients could choose what they run for their user.",
  "adopt.accept": "An agent that could accept drafts could decide what its user requires.",
  "adopt.undo": "An agent that could undo drafts could remove what its user has not read yet.",
  "knowledge.approve": "An agent that could approve a skill could write the orders that later sessions follow.",
  "workflow.work": "An agent that could exclude files could take its own code out of the gate; sdd_lock claims.",
  "stack.trust": "An agent that could trust a repository for its user could run whatever it wrote there.",
  "importing.take": "What another tool said becomes what this project goes by: that is the user's to decide.",
  "export.openspec": "It writes outside the workspace, where the user says.",
  "memory.export": "All that is remembered leaves memory as one file: that is the user's to decide.",
  "memory.import": "What comes in from a file is taken for remembered: that is the user's to decide.",
  "memory.backup": "As an export.",
  "workspace.documents": "An agent reads files itself; its list of tools stays short.",
  "roadmap.graph": "It is for people and scripts; an agent needs only what is ready.",
};

/** Commands whose words are not `<group> <verb>`. */
const IRREGULAR_COMMANDS: Readonly<Record<string, string>> = {
  "ci.run": "ci",
  "release.notes": "release-notes",
  "feature.design": "design",
  "feature.impl": "impl",
  "review.begin": "review",
  "roadmap.manage": "roadmap",
  "roadmap.next": "next",
  "run.start": "run",
  "worker.start": "worker",
  "roadmap.brief": "brief",
  "roadmap.report": "report",
  "release.create": "release",
  "setup.clients": "setup",
  "handover.write": "handover",
  "handover.decide": "decide",
  "stack.trust": "trust",
  "adopt.bootstrap": "adopt",
  "stack.detect": "stack",
  "change.quick": "quick",
  "workflow.feature": "feature",
  "workflow.bugfix": "bugfix",
  "workflow.research": "research",
  "workflow.lock": "lock",
  "workflow.work": "work",
  "workflow.conflicts": "conflicts",
  "workflow.stats": "stats",
  "importing.take": "import",
  "indexing.feed": "feed",
  "indexing.query": "query",
  "indexing.summarize": "summarize",
  "approval.answer": "approve",
  "gate.run": "gate",
  "gate.evidence": "evidence",
  "gate.mutation-check": "mutation-check",
  "gate.verify": "verify",
  "indexing.update": "index",
  "knowledge.manage": "knowledge",
  "steering.manage": "steering",
  "trace.show": "trace",
  "trace.drift": "drift",
  "trace.impact": "impact",
};

test("every operation has one tool and one command, and there are no others", () => {
  const ids = [...OPERATION_IDS].toSorted();
  expect(MCP_TOOLS.map((tool) => tool.operation).toSorted()).toEqual(ids.filter((id) => !(id in WITHOUT_TOOL)));
  expect(CLI_COMMANDS.map((command) => command.operation).toSorted()).toEqual(ids);
});

test("every group of commands has a description", () => {
  const groups = CLI_COMMANDS.flatMap(({ path }) => (path.includes(" ") ? [path.split(" ")[0] ?? ""] : []));
  expect(Object.keys(COMMAND_GROUPS).toSorted()).toEqual([...new Set(groups)].toSorted());
});

test.each(MCP_TOOLS)("a terminal shows the equal command for the tool $name", ({ name, operation }) => {
  expect(findToolCommand(name)).toBe(CLI_COMMANDS.find((command) => command.operation === operation)?.path);
});

test.each(OPERATION_IDS)("%s has the same stem as a tool and as a command", async (id) => {
  const [room = "", verb = ""] = id.split(".");
  const operation = await loadCatalogueOperation(id);
  const tool = MCP_TOOLS.find((candidate) => candidate.operation === id);
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === id);
  expect({
    id: operation.id,
    tool: tool?.name,
    toolset: tool?.toolset,
    command: command?.path,
  }).toEqual({
    id,
    ...(id in WITHOUT_TOOL
      ? { tool: undefined, toolset: undefined }
      : {
          tool: NAMED_OTHERWISE[id] ?? `${PREFIXES[room] ?? `sdd_${room}`}_${verb.replaceAll("-", "_")}`,
          toolset: SHARED_TOOLSETS[room] ?? room,
        }),
    command: IRREGULAR_COMMANDS[id] ?? (room === "workspace" ? verb : `${room} ${verb}`),
  });
});

test.each(OPERATION_IDS)("%s is offered as in its snapshot", async (id) => {
  // Written by `npm run generate`; a difference here is a change of what clients see.
  await expect(surfaces[`assets/surface/${id}.json`]).toMatchFileSnapshot(`../../assets/surface/${id}.json`);
});

test("every tool describes itself within the limits", async () => {
  const broken = await Promise.all(
    MCP_TOOLS.map(async (tool) => {
      const { description, annotations, inputSchema } = getSurface(tool.operation);
      const { effect } = await loadCatalogueOperation(tool.operation);
      const text = JSON.stringify(inputSchema);
      return {
        tool: tool.name,
        isDescribed: description.length > 20 && tokens(description) <= 60,
        isHonest:
          (annotations["readOnlyHint"] ?? false) === (effect === "read") &&
          (effect === "read" || (annotations["destructiveHint"] ?? true) === (effect === "destroy")),
        isPlain: !/"(?:anyOf|oneOf|allOf|\$ref)"/.test(text),
        areFieldsDescribed: Object.entries(inputSchema.properties ?? {}).every(
          ([name, field]) =>
            name === "workspace" || Object.hasOwn(COMMON_ARGUMENTS, name) || (field.description ?? field.enum),
        ),
      };
    }),
  );
  expect(broken.filter((tool) => Object.values(tool).includes(false))).toEqual([]);
});

test.each([
  [["default"], 3500, 20],
  // What a server lists where there is code and no spec yet.
  [["default", "adopt"], 3500, 20],
  [["all"], 12_000, 90],
])("the tools of %j cost at most %i tokens and number at most %i", (toolsets, budget, most) => {
  const listed = selectTools(toolsets).map((tool) => {
    const { operation: _, toolset: __, ...sent } = getSurface(tool.operation);
    return sent;
  });
  expect(listed.length).toBeLessThanOrEqual(most);
  expect(tokens(JSON.stringify({ tools: listed }))).toBeLessThanOrEqual(budget);
});

test("the server's instructions cost at most 700 tokens, and a guide at most 250", () => {
  expect(tokens(fs.readFileSync("assets/instructions.md", "utf8"))).toBeLessThanOrEqual(700);
  const guides = CHANGE_STAGES.map((stage) => tokens(fs.readFileSync(`assets/guides/change/${stage}.md`, "utf8")));
  expect(guides.filter((cost) => cost > 250)).toEqual([]);
});

test.each(CHANGE_STAGES)("the guide of %s names exactly the headings that its check requires", (stage) => {
  const guide = fs.readFileSync(`assets/guides/change/${stage}.md`, "utf8");
  const shown = [...guide.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
  expect(shown).toEqual(CHANGE_ARTIFACT_HEADINGS[stage]);
});

test("source code throws every fault, and a test covers it", () => {
  const thrown = sources
    .filter((source) => source.path !== "kernel/model/fault-codes.ts")
    .flatMap((source) => source.strings);
  const tests = [
    ...filesIn("src")
      .filter((path) => /\.(?:test|contract)\.ts$/.test(path))
      .map((path) => `src/${path}`),
    ...filesIn("test").map((path) => `test/${path}`),
  ]
    .filter((path) => !path.startsWith("test/laws/"))
    .map((path) => fs.readFileSync(path, "utf8"))
    .join("\n");
  const codes = Object.keys(FAULT_MEANINGS);
  expect(codes.filter((code) => !thrown.includes(code))).toEqual([]);
  expect(codes.filter((code) => !tests.includes(code))).toEqual([]);
});

const REPORTER_ENDINGS: Readonly<Record<string, string>> = { unittest: "py", minitest: "rb" };

test("every asset is used", () => {
  const known = new Set([
    "instructions.md",
    "guides/connect.md",
    "guides/quick.md",
    "templates/config.yaml",
    "templates/docs/feature.md",
    "templates/feature/design.md",
    "templates/feature/research.md",
    "templates/feature/tasks.yaml",
    "cli/intro.md",
    "cli/mcp.md",
    "cli/demo.md",
    "cli/ui.md",
    "cli/hook.md",
    ...["bug", "fares", "reports", "repository", "story", "tickets"].map((name) => `demo/${name}.txt`),
    "cli/queue.md",
    "hooks/session-start.md",
    "hooks/unproven.md",
    "setup/opencode-plugin.js",
    "setup/rules.md",
    "summaries/prompt.md",
    ...Object.keys(CI_EXAMPLES).map((name) => `ci/${name}.${name === "pre-receive" ? "sh" : "yaml"}`),
    ...["bash", "zsh", "fish"].map((shell) => `completion/tenon.${shell}`),
    ...listStageGuides().map((guide) => `guides/${guide.name}.md`),
    ...PROJECT_DOCUMENT_STAGES.map((stage) => `templates/project/${stage}.md`),
    ...[...CORE_STEERING_NAMES, ...STEERING_TOPICS, "topic"].map((name) => `templates/steering/${name}.md`),
    ...WORKFLOW_KINDS.map((kind) => `templates/spec/${kind}.yaml`),
    ...[...KNOWLEDGE_TYPES, "skill"].map((name) => `templates/knowledge/${name}.md`),
    ...BUILT_IN_PROFILES.map((id) => `stacks/${id}.yaml`),
    "stack-profiles.json",
    ...OWN_REPORTERS.map((name) => `reporters/${name}.${REPORTER_ENDINGS[name] ?? "cjs"}`),
    "reporters/sitecustomize.py",
    "doors.json",
    "agents.json",
    ...["again", "check", "continue", "note", "work"].map((name) => `run/${name}.md`),
    ...AGENT_ROLES.map((role) => `roles/${role}.md`),
    ...filesIn("assets/roles/parts").map((part) => `roles/parts/${part}`),
    ...MCP_PROMPTS.map((prompt) => `prompts/${prompt.name}.md`),
    ...COMMAND_PAGE_NAMES.map((page) => `pages/${page}.md`),
    ...["agent", "skill", "readme"].map((name) => `plugin/${name}.md`),
    ...MCP_TOOLS.map((tool) => `tools/${tool.name}.md`),
    ...OPERATION_IDS.map((id) => `surface/${id}.json`),
  ]);
  expect(filesIn("assets").filter((path) => !known.has(path))).toEqual([]);
});
