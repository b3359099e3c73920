import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { FEATURE_LIFE, writeLesson, writePapers } from "../kit/feature-life.ts";
import { PROJECT_LIFE } from "../kit/project.ts";
import { connect, getFault, VERSIONS } from "../kit/client.ts";
import { initialize, openWire, request } from "./wire.ts";

/** Of a repository without specs. */
const DEFAULT = [
  "sdd_status",
  "sdd_reverse_engineer",
  "sdd_bootstrap",
  "sdd_explore",
  "sdd_init_project",
  "sdd_change",
  "sdd_quick",
  "sdd_change_advance",
  "sdd_change_status",
  "sdd_feature",
  "sdd_bugfix",
  "sdd_research",
  "sdd_context_check",
  "sdd_adr",
  "mem_save",
  "mem_search",
  "mem_context",
  "mem_get",
  "mem_session",
];
const ALL = ["--toolsets", "all"];
const WORKSPACE = ["sdd_status", "sdd_workspace_init", "sdd_workspace_validate", "sdd_doctor", "sdd_release"];

test.each(VERSIONS)("offers a %s client the same tools in the same order each time", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  const first = await connection.client.request({ method: "tools/list" });
  const second = await connection.client.request({ method: "tools/list" });
  expect(first.tools.map((tool) => tool.name)).toEqual(DEFAULT);
  expect(second.tools).toEqual(first.tools);
  expect(connection.client.getNegotiatedProtocolVersion()).toBe(version);
});

test.each([
  ["workspace", WORKSPACE],
  ["adr,workspace", [...WORKSPACE, "sdd_adr", "sdd_adr_status", "sdd_adr_list"]],
  ["default, workspace", [...WORKSPACE, ...DEFAULT.slice(1)]],
  ["all", MCP_TOOLS.map((tool) => tool.name)],
])("offers the tools of --toolsets %s", async (toolsets, names) => {
  using repository = temporaryRepository();
  const words = ["--toolsets", toolsets];
  await using connection = await connect("2026-07-28", { cwd: repository.path, words });
  expect((await connection.client.listTools()).tools.map((tool) => tool.name)).toEqual(names);
});

test("rejects an unknown toolset before the server starts", () => {
  using repository = temporaryRepository();
  const { code, out, err } = tenon(["mcp", "--toolsets", "changes"], { cwd: repository.path, input: "" });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatchInlineSnapshot(`
    "error[usage.unknown-toolset]: The server was not started. Unknown toolset "changes". Toolsets: default, all, workspace, adopt, explore, project, change, workflow, roadmap, handover, gate, context, spec, stack, index, adr, memory.
    try: tenon mcp --toolsets default
    "
  `);
});

test("reads the toolsets from sdd/config.yaml, and uses the default ones after a mistake", async () => {
  using repository = temporaryRepository();
  fs.mkdirSync(join(repository.path, "sdd"));
  const wire = openWire({ cwd: repository.path });
  wire.send(initialize());
  const namesWith = async (config: string) => {
    fs.writeFileSync(join(repository.path, "sdd", "config.yaml"), config);
    wire.send(request(config, "tools/list"));
    const { result = {} } = await wire.answer(config);
    return (result["tools"] as { name: string }[]).map((tool) => tool.name);
  };
  expect(await namesWith("mcp:\n  toolsets: [workspace]\n")).toEqual(WORKSPACE);
  const always = DEFAULT.filter((name) => !["sdd_reverse_engineer", "sdd_bootstrap"].includes(name));
  expect(await namesWith("mcp:\n  toolsets: workspace\n")).toEqual(always);
  expect(await namesWith("mcp:\n  toolsets: [workspaces]\n")).toEqual(always);
  await wire.hangUp();
  expect(wire.stderr()).toMatchInlineSnapshot(`
    "note: sdd/config.yaml: mcp.toolsets must be a list of words. The default tools are offered.
    note: sdd/config.yaml: Unknown toolset "workspaces". Toolsets: default, all, workspace, adopt, explore, project, change, workflow, roadmap, handover, gate, context, spec, stack, index, adr, memory. The default tools are offered.
    "
  `);
});

const LIFE: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ["sdd_workspace_init", {}],
  ["sdd_reverse_engineer", {}],
  ["sdd_bootstrap", {}],
  ["sdd_change", { type: "fix", size: "small", description: "Fix login" }],
  ["sdd_change_advance", { content: "Login fails with an empty password.", title: "Empty password" }],
  ["sdd_change_advance", { content: "This says nothing of what was found." }],
  ["sdd_context_check", { detail_level: "full" }],
  ["sdd_suggest_context", { task_description: "Log in with a blank password" }],
  ["sdd_audit", {}],
  ["sdd_change_reopen", { stage: "describe", reason: "The password is not empty but blank" }],
  ["sdd_change_status", {}],
  ["sdd_change_advance", { keep: true }],
  ["sdd_change", { description: "Fix the blank password" }],
  ["sdd_change_resize", { size: "medium", reason: "It grew" }],
  ["sdd_change_review", { detail_level: "full" }],
  ["sdd_adr", { title: "Trim it", context: "Blanks", decision: "Trim", rationale: "Nobody means them" }],
  ["sdd_adr", { title: "Do not", context: "C", decision: "D", rationale: "R", supersedes: "ADR-001" }],
  ["sdd_adr_status", { adr: "fix-login/ADR-002", status: "deprecated", reason: "Nobody needs it" }],
  ["sdd_adr_list", { status: "superseded" }],
  ["sdd_change_list", { limit: 1 }],
  ["sdd_change_abandon", { reason: "Solved upstream" }],
  ["sdd_change_status", { change_id: "fix-login" }],
  ["sdd_change_archive", { change_id: "fix-login" }],
  ["sdd_quick", { description: "Fix a typo in the title" }],
  ["sdd_quick", { done: true }],
  ["sdd_change_abandon", { reason: "The title is gone" }],
  ["sdd_feature", { description: "Log in with a passkey", id: "AUTH-001", files: ["src/login.ts"] }],
  ["sdd_bugfix", { description: "Login fails" }],
  ["sdd_research", { description: "Which provider", timebox: "1h" }],
  ["sdd_workflow_status", { all: true }],
  ["sdd_workflow_switch", { id: "AUTH-001" }],
  ["sdd_workflow_advance", { check: true }],
  ["sdd_gate", {}],
  ["sdd_evidence", {}],
  ["sdd_mutation_check", { id: "AUTH-001" }],
  ["sdd_workflow_advance", { id: "RES-001", extend: "30m", reason: "One is left" }],
  ["sdd_workflow_prioritize", { id: "AUTH-001", priority: 1 }],
  ["sdd_lock", { action: "list" }],
  ["sdd_conflicts", { a: "AUTH-001", b: "BUG-001" }],
  ["sdd_workflow_snapshot", {}],
  ["sdd_workflow_rollback", { snapshot: 1 }],
  ["sdd_workflow_resume", {}],
  ["sdd_workflow_status", { id: "AUTH-001" }],
  ["sdd_workflow_abandon", { id: "AUTH-001", reason: "Solved upstream" }],
  ["sdd_workflow_stats", { kind: "change" }],
  ["sdd_workspace_validate", {}],
  ["sdd_spec_validate", {}],
  ["sdd_trace", {}],
  ["sdd_trace", { id: "AUTH-001" }],
  ["sdd_drift", {}],
  ["sdd_drift", { id: "AUTH-001", level: "high" }],
  ["sdd_impact", { of: "src/login.ts" }],
  ["sdd_query", { question: "how does one log in?" }],
  ["sdd_verify", { run: true }],
  ["sdd_stack", {}],
  ["sdd_stack", { profile: "go" }],
  ["sdd_steering", {}],
  ["sdd_steering", { action: "create", vision: "Nobody copies a table by hand" }],
  ["sdd_steering", { action: "update", success_criteria: "Fast", reason: "Asked for" }],
  ["sdd_steering", { action: "profile", profile: "go" }],
  ["sdd_steering", { action: "custom", name: "ui" }],
  ["sdd_steering", { action: "delete", name: "ui" }],
  ["sdd_decide", { summary: "Keep state in SQLite", reason: "Two stores drift" }],
  ["sdd_handover", {}],
  ["sdd_handover", { accomplished: "Passkeys work", next: "Review them" }],
  ["sdd_handover", { resume: true, max_tokens: 300 }],
  ["sdd_knowledge", {}],
  ["sdd_knowledge", { action: "add", type: "incident", text: "The tide came early", why: "The clock was local" }],
  ["sdd_knowledge", { action: "show", name: "utc" }],
  ["sdd_knowledge", { action: "review" }],
  ["sdd_knowledge", { action: "skills", name: "utc", answer: "reject", why: "Too plain" }],
  ["sdd_index", {}],
  ["sdd_feed", { limit: 5 }],
  ["sdd_index", { full: true }],
  ["sdd_doctor", {}],
  ["sdd_summarize", { type: "components" }],
  ["sdd_status", {}],
  ["sdd_explore", { title: "Login", goals: "Fix it" }],
  ...[...PROJECT_LIFE, ...FEATURE_LIFE.filter(([id]) => id !== "review.waive")].map(
    ([id, input]) => [MCP_TOOLS.find((tool) => tool.operation === id)?.name ?? id, input] as const,
  ),
  ["sdd_release", {}],
  ["mem_save", { title: "Blanks are trimmed", content: "Nobody means them." }],
  ["mem_save", { save_type: "passive", content: "## Key Learnings\n\n- Blanks are not passwords at all" }],
  ["mem_search", { query: "what happens to blanks?" }],
  ["mem_context", { detail_level: "full" }],
  ["mem_get", { id: 1 }],
  ["mem_session", { action: "start", id: "monday" }],
  ["mem_session", { action: "end", id: "monday", summary: "Done." }],
  ["mem_timeline", { observation_id: 1 }],
  ["mem_update", { id: 1, title: "Changed" }],
  ["mem_relate", { from_id: 1, to_id: 2, relation_type: "depends_on" }],
  ["mem_history", { id: 1 }],
  ["mem_progress", { content: "[1]" }],
  ["mem_progress", {}],
  ["mem_compact", { older_than_days: 1 }],
  ["mem_suggest_topic_key", { title: "Login" }],
  ["mem_stats", {}],
  ["mem_delete", { id: 1 }],
];

test.each(VERSIONS)("answers a %s client with the operation's own result", async (version) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const env = { TENON_HOME: home.path };
  git(repository.path, "commit", "-q", "--allow-empty", "-m", "Begin");
  fs.mkdirSync(join(repository.path, "src"));
  fs.writeFileSync(join(repository.path, "src/login.ts"), "export const login = 1;\n");
  writePapers(repository.path);
  writeLesson(repository.path);
  await using connection = await connect(version, { cwd: repository.path, words: ALL, env });
  for (const [name, input] of LIFE) {
    const result = await connection.call(name, input);
    const tool = MCP_TOOLS.find((candidate) => candidate.name === name);
    const schema = await (await loadCatalogueOperation(tool?.operation ?? "workspace.status")).output();
    expect([name, result.isError, schema.parse(result.structuredContent)]).toEqual([
      name,
      undefined,
      result.structuredContent,
    ]);
    expect(result.content).toEqual([{ type: "text", text: expect.stringMatching(/\S/) }]);
  }
});

test("answers with text alone, which names the next call", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path, isStructured: false });
  const status = await connection.call("sdd_status");
  expect(status).toEqual({ content: [{ type: "text", text: expect.stringContaining("Next: sdd_change {") }] });
  const started = await connection.call("sdd_change", { description: "Fix login", type: "fix", size: "small" });
  expect(started).toEqual({ content: [{ type: "text", text: expect.stringContaining("Next: sdd_change_advance {") }] });
  const refused = await connection.call("sdd_change_advance", { content: "" });
  expect(refused.structuredContent).toBeUndefined();
  expect(JSON.stringify(refused.content)).toContain("Next: ");
  const words = ["--toolsets", "roadmap"];
  await using roadmap = await connect("2025-11-25", { cwd: repository.path, isStructured: false, words });
  const planned = await roadmap.call("sdd_roadmap", {
    action: "create",
    features: [{ name: "cart", description: "A cart" }],
  });
  expect(planned).toEqual({ content: [{ type: "text", text: expect.stringContaining("Next: sdd_roadmap {") }] });
  await roadmap.call("sdd_roadmap", { action: "run" });
  const ready = await roadmap.call("sdd_next", {});
  expect(ready).toEqual({ content: [{ type: "text", text: expect.stringContaining("cart/architect/1") }] });
  expect(JSON.stringify(ready.content)).toContain("sdd_brief");
});

test("declares that every tool is local, and whether it only reads or may destroy", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path, words: ALL });
  const { tools } = await connection.client.listTools();
  expect(tools.filter(({ annotations }) => annotations?.openWorldHint !== false).map(({ name }) => name)).toEqual([]);
  const hinted = new Map(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hinted.get("sdd_status")).toEqual({ readOnlyHint: true, openWorldHint: false });
  expect(hinted.get("sdd_change")).toEqual({ destructiveHint: false, openWorldHint: false });
  expect(hinted.get("sdd_workflow_rollback")).toEqual({ openWorldHint: false });
});

test("the session above calls every tool", () => {
  const called = new Set(LIFE.map(([name]) => name));
  expect(MCP_TOOLS.map((tool) => tool.name).filter((name) => !called.has(name))).toEqual([]);
});

test.each(VERSIONS)("answers a %s client with a fault that names the next call", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path, words: ALL });
  const result = await connection.call("sdd_change_status", { change_id: "no-such-change" });
  const { content, isError, structuredContent, _meta } = result;
  expect({ content, isError, structuredContent, fault: _meta?.["tenon/fault"] }).toMatchInlineSnapshot(`
    {
      "content": [
        {
          "text": "Unknown change no-such-change. Neither sdd/changes nor sdd/history has a record of that name.
    Next: sdd_change_list {}",
          "type": "text",
        },
      ],
      "fault": {
        "code": "change.unknown",
        "fix": [
          "sdd_change_list {}",
        ],
        "what": "Unknown change no-such-change.",
        "why": "Neither sdd/changes nor sdd/history has a record of that name.",
      },
      "isError": true,
      "structuredContent": undefined,
    }
  `);
});

const FAULTS: readonly (readonly [tool: string, input: Record<string, unknown>, code: string])[] = [
  ["sdd_change_status", {}, "change.none-active"],
  ["sdd_change_status", { change_id: "../etc" }, "change.bad-id"],
  ["sdd_change_status", { change_id: 7 }, "input.invalid"],
  ["sdd_change_status", { changeid: "fix-login" }, "input.invalid"],
  ["sdd_status", { verbose: true }, "input.invalid"],
  ["sdd_change", {}, "input.invalid"],
  ["sdd_change", { type: "fix", size: "tiny", description: "Fix" }, "input.invalid"],
  ["sdd_change_advance", {}, "change.none-active"],
  ["sdd_change_archive", {}, "change.none-to-archive"],
  ["sdd_change_list", { limit: 0 }, "input.invalid"],
  ["sdd_change_list", { limit: 1e9 }, "input.invalid"],
  ["sdd_adr_status", { adr: "ADR-0009", status: "accepted" }, "adr.unknown"],
  ["sdd_adr_status", { adr: "ADR-0009", status: "superseded" }, "adr.successor"],
];

test("each fault carries its code", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2026-07-28", { cwd: repository.path, words: ALL });
  const found = FAULTS.map(async ([tool, input]) => {
    const result = await connection.call(tool, input);
    return [tool, input, result.isError && getFault(result)];
  });
  expect(await Promise.all(found)).toEqual(FAULTS);
});

test("each fault that needs a history carries its code", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path, words: ALL });
  const codeOf = async (tool: string, input: Record<string, unknown> = {}) =>
    getFault(await connection.call(tool, input));
  const adr = { title: "One", context: "Two", decision: "Three", rationale: "Four" };
  await connection.call("sdd_adr", adr);
  const adrs = join(repository.path, "sdd", "adrs");
  fs.copyFileSync(join(adrs, "ADR-0001-one.md"), join(adrs, "ADR-0001-two.md"));
  expect(await codeOf("sdd_adr_status", { adr: "ADR-0001", status: "deprecated" })).toBe("adr.ambiguous");
  await connection.call("sdd_change", { type: "fix", size: "small", description: "Fix login" });
  expect(await codeOf("sdd_change_advance")).toBe("input.missing");
  expect(await codeOf("sdd_change_advance", { keep: true })).toBe("change.nothing-to-keep");
  await connection.call("sdd_change_abandon", { reason: "Solved upstream" });
  expect(await codeOf("sdd_adr", { ...adr, change_id: "fix-login" })).toBe("adr.change-closed");
});

test("answers a failed gate with a result, not with an error", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2025-11-25", { cwd: repository.path });
  await connection.call("sdd_change", { type: "refactor", size: "small", description: "Split the parser" });
  const refused = await connection.call("sdd_change_advance", { content: "## In scope\n\nThe parser." });
  expect(refused.isError).toBeUndefined();
  expect(refused.structuredContent).toMatchObject({
    passed: false,
    problems: [{ problem: 'The heading "Out of scope" is missing.' }],
    change: { current_stage: "scope", rev: 1 },
  });
});

test.each(VERSIONS)("answers a %s client's unknown tool with a protocol error", async (version) => {
  using repository = temporaryRepository();
  await using connection = await connect(version, { cwd: repository.path });
  const hidden = "is not offered now. It is offered with tenon mcp --toolsets default,workspace";
  for (const [name, shown, why] of [
    ["sdd_changes", "sdd_changes", "does not exist"],
    ["__proto__", "__proto__", "does not exist"],
    ["sdd_workspace_init", "sdd_workspace_init", hidden],
    ["a\u001b[2J\u202e", "a\\u001b[2J\\u202e", "does not exist"],
  ] as const) {
    const error: unknown = await connection.client
      .request({ method: "tools/call", params: { name } })
      .catch((thrown) => thrown);
    const { code, message } = error as { code: number; message: string };
    const tools = DEFAULT.join(", ");
    expect([code, message.replace(/^MCP error -\d+: /, "")]).toEqual([
      -32602,
      `The tool ${shown} ${why}. Tools: ${tools}.`,
    ]);
  }
});
