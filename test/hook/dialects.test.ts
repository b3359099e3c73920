import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workflow } from "../kit/at-work.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenon } from "../kit/process.ts";
import { type Payload, SILENT, stageWorkspace } from "./hook-calls.ts";

interface Dialect {
  readonly edit: (root: string, path: string) => Payload;
  readonly edited: (root: string, path: string) => Payload;
  readonly begin: (root: string) => Payload;
  /** What it is told when it may go on. */
  readonly silence: Finished;
}

const common = (root: string) => ({ session_id: "s-1", cwd: root, timestamp: "2026-01-31T12:00:00.000Z" });

/** Payloads as the makers document them. */
const CLIENTS: Readonly<Record<string, Dialect>> = {
  cursor: {
    begin: (root) => ({ conversation_id: "s-1", workspace_roots: [root], hook_event_name: "sessionStart" }),
    edit: (root, path) => ({
      conversation_id: "s-1",
      generation_id: "g-1",
      hook_event_name: "preToolUse",
      workspace_roots: [root],
      tool_name: "Write",
      tool_input: { file_path: `${root}/${path}`, content: "x" },
    }),
    edited: (root, path) => ({
      conversation_id: "s-1",
      hook_event_name: "afterFileEdit",
      workspace_roots: [root],
      file_path: `${root}/${path}`,
      edits: [{ old_string: "a", new_string: "b" }],
    }),
    silence: { ...SILENT, out: '{"permission":"allow"}\n' },
  },
  copilot: {
    begin: (root) => ({ ...common(root), hook_event_name: "SessionStart", source: "new" }),
    edit: (root, path) => ({ ...common(root), tool_name: "Write", tool_input: { path: `${root}/${path}` } }),
    edited: (root, path) => ({ ...common(root), tool_name: "Edit", tool_input: { path: `${root}/${path}` } }),
    silence: SILENT,
  },
  gemini: {
    begin: (root) => ({ ...common(root), hook_event_name: "SessionStart", source: "startup" }),
    edit: (root, path) => ({ ...common(root), tool_name: "write_file", tool_input: { file_path: path } }),
    edited: (root, path) => ({ ...common(root), tool_name: "replace", tool_input: { file_path: path } }),
    silence: SILENT,
  },
  kiro: {
    begin: (root) => ({ ...common(root), hook_event_name: "SessionStart" }),
    edit: (root, path) => ({
      ...common(root),
      tool_name: "fs_write",
      tool_input: { command: "create", path: `${root}/${path}`, file_text: "x" },
    }),
    edited: (root, path) => ({
      ...common(root),
      tool_name: "fs_write",
      tool_input: { command: "str_replace", path: `${root}/${path}` },
    }),
    silence: SILENT,
  },
  windsurf: {
    begin: (root) => ({ trajectory_id: "s-1", cwd: root, agent_action_name: "pre_user_prompt" }),
    edit: (root, path) => ({
      agent_action_name: "pre_write_code",
      trajectory_id: "s-1",
      tool_info: { file_path: `${root}/${path}`, edits: [{ old_string: "a", new_string: "b" }] },
    }),
    edited: (root, path) => ({
      agent_action_name: "post_write_code",
      trajectory_id: "s-1",
      tool_info: { file_path: `${root}/${path}`, edits: [] },
    }),
    silence: SILENT,
  },
};

const asking = (client: string, root: string) => (event: string, payload: Payload) =>
  tenon(["hook", event, client], { cwd: root, input: JSON.stringify(payload) });

/** Why an edit is refused, in whatever form the client reads it. */
function getRefusal(client: string, { code, out, err }: Finished): unknown {
  if (client === "windsurf" || client === "kiro") return code === 2 && out === "" ? err : undefined;
  const said = JSON.parse(out) as Record<string, unknown>;
  if (client === "cursor") return said["permission"] === "deny" ? said["agent_message"] : undefined;
  if (client === "gemini") return said["decision"] === "deny" ? said["reason"] : undefined;
  return said["permissionDecision"] === "deny" ? said["permissionDecisionReason"] : undefined;
}

test.each(Object.keys(CLIENTS))("blocks the same edits in %s and notes its edits", async (client) => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  const { edit, edited, silence } = CLIENTS[client] as Dialect;
  const ask = asking(client, root);
  expect(getRefusal(client, ask("pre-tool-use", edit(root, "sdd/sdd.json")))).toMatch(
    /^sdd\/sdd\.json must not be edited by hand/,
  );
  expect(ask("pre-tool-use", edit(root, "src/a.ts"))).toEqual(silence);
  expect(ask("post-tool-use", edited(root, "src/a.ts")).code).toBe(0);
  const [file = ""] = fs.readdirSync(join(root, ".sdd/journal"));
  expect(fs.readFileSync(join(root, ".sdd/journal", file), "utf8")).toMatch(
    /"session":"s-1".*"paths":\["src\/a\.ts"\]/,
  );
});

test.each(["cursor", "copilot", "gemini", "kiro"])("shows %s the work in progress at its start", async (client) => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
  const { begin } = CLIENTS[client] as Dialect;
  const said = JSON.parse(asking(client, root)("session-start", begin(root)).out) as Record<string, unknown>;
  const inner = said["hookSpecificOutput"] as Record<string, unknown> | undefined;
  const told = {
    cursor: said["additional_context"],
    copilot: said["additionalContext"],
    kiro: said["additionalContext"],
    gemini: inner?.["additionalContext"],
  };
  expect(told[client as keyof typeof told]).toContain("AUTH-001");
});

test.each(["", "{", "null"])("lets Cursor continue for any payload %j", (payload) => {
  using repository = temporaryRepository();
  expect(tenon(["hook", "pre-tool-use", "cursor"], { cwd: repository.path, input: payload })).toEqual({
    ...SILENT,
    out: '{"permission":"allow"}\n',
  });
});

/** Clients that also run the hooks of Claude Code, how they show themselves, and their own hook file. */
const READERS_OF_CLAUDE_HOOKS = [
  ["Copilot CLI", ".github/hooks/tenon.json", (root: string) => ({ COPILOT_PROJECT_DIR: root }), {}],
  ["Cursor", ".cursor/hooks.json", () => ({}), { cursor_version: "2.4.0" }],
] as const;

test.each(READERS_OF_CLAUDE_HOOKS)(
  "answers %s to a hook of Claude Code only if it has no hooks of its own",
  async (_, file, environment, more) => {
    using repository = temporaryRepository();
    const root = repository.path;
    await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature")] });
    const edit = { ...common(root), workspace_roots: [root], tool_name: "Write", tool_input: { path: "sdd/sdd.json" } };
    const input = JSON.stringify({ ...edit, ...more });
    const run = () => tenon(["hook", "pre-tool-use"], { cwd: root, input, env: environment(root) });
    expect(run().out).toContain('"permissionDecision":"deny"');
    fs.mkdirSync(join(root, file, ".."), { recursive: true });
    fs.writeFileSync(join(root, file), '{"hooks":{"preToolUse":[{"command":"lint"}]}}');
    expect(run().out).toContain('"permissionDecision":"deny"');
    fs.writeFileSync(join(root, file), '{"hooks":{"preToolUse":[{"command":"tenon hook pre-tool-use cursor"}]}}');
    expect(run()).toEqual(SILENT);
    expect(tenon(["hook", "pre-tool-use"], { cwd: root, input: JSON.stringify(edit) }).out).toContain("deny");
  },
);
