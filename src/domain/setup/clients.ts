import {
  HOOKS_OF_CLAUDE,
  HOOKS_OF_CODEX,
  HOOKS_OF_COPILOT,
  HOOKS_OF_CURSOR,
  HOOKS_OF_GEMINI,
  HOOKS_OF_WINDSURF,
} from "./hooks.ts";
import type { Hooks } from "./hooks.ts";
import { withFrontMatter } from "../plugin/page.ts";
import type { CommandForm } from "./command-file.ts";

export const CLIENT_IDS = [
  "claude",
  "codex",
  "gemini",
  "cursor",
  "vscode",
  "opencode",
  "windsurf",
  "zed",
  "kiro",
  "agents",
] as const;

export type ClientId = (typeof CLIENT_IDS)[number];

export type Scope = "project" | "user";

/** A value per scope; absent where a client has no such location. */
type Places<T> = Readonly<Partial<Record<Scope, T>>>;

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** Files and folders that only users of this client have. */
  readonly signs: Readonly<Record<Scope, readonly string[]>>;
  readonly server?: {
    readonly form: "json" | "toml";
    /** The first that exists, else the last. */
    readonly files: Places<readonly string[]>;
    readonly way: readonly string[];
    readonly value: unknown;
  };
  readonly rules?: {
    /** Text above the rules in a file of their own; undefined where the rules are a part of the user's file. */
    readonly head: string | undefined;
    readonly files: Places<readonly string[]>;
  };
  readonly commands?: { readonly form: CommandForm; readonly folder: Places<string> };
  readonly hooks?: Hooks & { readonly files: Places<string> };
  readonly notes: Places<readonly string[]>;
}

const STDIO = { command: "tenon", args: ["mcp"] };
const server = (way: readonly string[], project: readonly string[], user: readonly string[], value: unknown = STDIO) =>
  ({
    form: "json",
    way,
    value,
    files: { ...(project.length > 0 ? { project } : {}), ...(user.length > 0 ? { user } : {}) },
  }) as const;
const both = (path: string) => ({ project: path, user: path });
const frontMatter = (...lines: string[]): string => withFrontMatter(lines, "");
const SKILLS = { form: "skill", folder: both(".agents/skills") } as const;

/** Every supported client, as data; docs/guide/clients.md shows it as a table. */
export const CLIENTS: Readonly<Record<ClientId, Client>> = {
  claude: {
    id: "claude",
    title: "Claude Code",
    signs: { project: [".claude", "CLAUDE.md"], user: [".claude"] },
    server: server(["mcpServers", "tenon"], [".mcp.json"], []),
    rules: { head: undefined, files: { project: ["CLAUDE.md"] } },
    commands: { form: "claude", folder: { project: ".claude/commands" } },
    hooks: { ...HOOKS_OF_CLAUDE, files: { project: ".claude/settings.json" } },
    notes: {
      project: ["The plugin brings all of this by itself. Use one of the two, or every hook runs twice."],
      user: ["Install the plugin instead (docs/guide/plugin.md): it brings the server, the commands and the hooks."],
    },
  },
  codex: {
    id: "codex",
    title: "Codex",
    signs: { project: [".codex"], user: [".codex"] },
    server: {
      form: "toml",
      way: ["mcp_servers", "tenon"],
      value: STDIO,
      files: { project: [".codex/config.toml"], user: [".codex/config.toml"] },
    },
    rules: { head: undefined, files: { project: ["AGENTS.md"], user: [".codex/AGENTS.md"] } },
    commands: SKILLS,
    hooks: { ...HOOKS_OF_CODEX, files: both(".codex/hooks.json") },
    notes: {
      project: [
        "Codex reads .codex/ only in a project that you trust, and runs a hook once you have agreed to it: type /hooks.",
      ],
      user: ["Codex runs a hook once you have agreed to it: type /hooks."],
    },
  },
  gemini: {
    id: "gemini",
    title: "Gemini CLI",
    signs: { project: [".gemini", "GEMINI.md"], user: [".gemini"] },
    server: server(["mcpServers", "tenon"], [".gemini/settings.json"], [".gemini/settings.json"]),
    rules: { head: undefined, files: { project: ["GEMINI.md"], user: [".gemini/GEMINI.md"] } },
    commands: { form: "gemini", folder: both(".gemini/commands/sdd") },
    hooks: { ...HOOKS_OF_GEMINI, files: both(".gemini/settings.json") },
    notes: {},
  },
  cursor: {
    id: "cursor",
    title: "Cursor",
    signs: { project: [".cursor", ".cursorrules"], user: [".cursor"] },
    server: server(["mcpServers", "tenon"], [".cursor/mcp.json"], [".cursor/mcp.json"]),
    rules: {
      head: frontMatter("description: Work through Tenon where a repository has a folder sdd/", "alwaysApply: true"),
      files: { project: [".cursor/rules/tenon.mdc"] },
    },
    commands: { form: "cursor", folder: both(".cursor/commands") },
    hooks: { ...HOOKS_OF_CURSOR, files: both(".cursor/hooks.json") },
    notes: { user: ["Cursor keeps your own rules in its settings, and not in a file: set them up for each project."] },
  },
  vscode: {
    id: "vscode",
    title: "VS Code with Copilot",
    signs: { project: [".vscode", ".github/copilot-instructions.md"], user: [".vscode"] },
    server: server(["servers", "tenon"], [".vscode/mcp.json"], [], { type: "stdio", ...STDIO }),
    rules: { head: undefined, files: { project: [".github/copilot-instructions.md"] } },
    commands: { form: "copilot", folder: { project: ".github/prompts" } },
    hooks: { ...HOOKS_OF_COPILOT, files: { project: ".github/hooks/tenon.json" } },
    notes: {
      user: ["VS Code keeps your own servers in its profile: MCP: Add Server, with command tenon and argument mcp."],
    },
  },
  opencode: {
    id: "opencode",
    title: "OpenCode",
    signs: { project: ["opencode.json", "opencode.jsonc", ".opencode"], user: [".config/opencode"] },
    server: server(
      ["mcp", "tenon"],
      [".opencode/opencode.json", ".opencode/opencode.jsonc", "opencode.jsonc", "opencode.json"],
      [".config/opencode/opencode.jsonc", ".config/opencode/opencode.json"],
      { type: "local", command: ["tenon", "mcp"], enabled: true },
    ),
    rules: { head: undefined, files: { project: ["AGENTS.md"], user: [".config/opencode/AGENTS.md"] } },
    commands: { form: "opencode", folder: { project: ".opencode/commands", user: ".config/opencode/commands" } },
    hooks: {
      shape: "plugin",
      events: [],
      files: { project: ".opencode/plugins/tenon.js", user: ".config/opencode/plugins/tenon.js" },
    },
    notes: {},
  },
  windsurf: {
    id: "windsurf",
    title: "Windsurf",
    signs: { project: [".windsurf", ".windsurfrules"], user: [".codeium/windsurf"] },
    server: server(["mcpServers", "tenon"], [], [".codeium/windsurf/mcp_config.json"]),
    rules: {
      head: frontMatter("trigger: always_on"),
      files: { project: [".windsurf/rules/tenon.md"] },
    },
    commands: {
      form: "windsurf",
      folder: { project: ".windsurf/workflows", user: ".codeium/windsurf/global_workflows" },
    },
    hooks: { ...HOOKS_OF_WINDSURF, files: { project: ".windsurf/hooks.json", user: ".codeium/windsurf/hooks.json" } },
    notes: { project: ["Windsurf reads servers from your home alone: tenon setup windsurf --user"] },
  },
  zed: {
    id: "zed",
    title: "Zed",
    signs: { project: [".zed", ".rules"], user: [".config/zed"] },
    server: server(["context_servers", "tenon"], [".zed/settings.json"], [".config/zed/settings.json"]),
    rules: { head: undefined, files: { project: [".rules", "AGENTS.md"] } },
    commands: SKILLS,
    notes: {},
  },
  kiro: {
    id: "kiro",
    title: "Kiro",
    signs: { project: [".kiro"], user: [".kiro"] },
    server: server(["mcpServers", "tenon"], [".kiro/settings/mcp.json"], [".kiro/settings/mcp.json"]),
    rules: {
      head: frontMatter("inclusion: always"),
      files: { project: [".kiro/steering/tenon.md"], user: [".kiro/steering/tenon.md"] },
    },
    commands: { form: "skill", folder: both(".kiro/skills") },
    notes: {},
  },
  agents: {
    id: "agents",
    title: "AGENTS.md and Agent Skills",
    signs: { project: ["AGENTS.md", ".agents"], user: [".agents"] },
    rules: { head: undefined, files: { project: ["AGENTS.md"] } },
    commands: SKILLS,
    notes: { project: ["Any MCP client: a stdio server with command tenon and argument mcp."] },
  },
};

/** `--all` leaves out Claude Code, because its plugin would do everything twice. */
export const ALL_CLIENTS: readonly ClientId[] = CLIENT_IDS.filter((id) => id !== "claude");
