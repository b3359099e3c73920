import {
  CLAUDE_HOOKS,
  CODEX_HOOKS,
  COPILOT_HOOKS,
  CURSOR_HOOKS,
  GEMINI_HOOKS,
  WINDSURF_HOOKS,
  type ClientHooks,
} from "./client-hooks.ts";
import { addFrontMatter, type CommandFormat } from "./command-pages.ts";

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

export type SetupScope = "project" | "user";

/** A value per scope; absent where a client has no such location. */
type PerScope<T> = Readonly<Partial<Record<SetupScope, T>>>;

export interface SetupClient {
  readonly id: ClientId;
  readonly title: string;
  /** Files and folders that only users of this client have. */
  readonly signs: Readonly<Record<SetupScope, readonly string[]>>;
  readonly server?: {
    readonly form: "json" | "toml";
    /** The first that exists, else the last. */
    readonly files: PerScope<readonly string[]>;
    readonly way: readonly string[];
    readonly value: unknown;
  };
  readonly rules?: {
    /** Text above the rules in a file of their own; undefined where the rules are a part of the user's file. */
    readonly head: string | undefined;
    readonly files: PerScope<readonly string[]>;
  };
  readonly commands?: { readonly form: CommandFormat; readonly folder: PerScope<string> };
  readonly hooks?: ClientHooks & { readonly files: PerScope<string> };
  readonly notes: PerScope<readonly string[]>;
}

const STDIO_SERVER = { command: "tenon", args: ["mcp"] };
const createServerEntry = (
  way: readonly string[],
  project: readonly string[],
  user: readonly string[],
  value: unknown = STDIO_SERVER,
) =>
  ({
    form: "json",
    way,
    value,
    files: { ...(project.length > 0 ? { project } : {}), ...(user.length > 0 ? { user } : {}) },
  }) as const;
const useInBothScopes = (path: string) => ({ project: path, user: path });
const formatRulesHead = (...lines: string[]): string => addFrontMatter(lines, "");
const SKILL_COMMANDS = { form: "skill", folder: useInBothScopes(".agents/skills") } as const;

/** Every supported client, as data; docs/guide/clients.md shows it as a table. */
export const SETUP_CLIENTS: Readonly<Record<ClientId, SetupClient>> = {
  claude: {
    id: "claude",
    title: "Claude Code",
    signs: { project: [".claude", "CLAUDE.md"], user: [".claude"] },
    server: createServerEntry(["mcpServers", "tenon"], [".mcp.json"], []),
    rules: { head: undefined, files: { project: ["CLAUDE.md"] } },
    commands: { form: "claude", folder: { project: ".claude/commands" } },
    hooks: { ...CLAUDE_HOOKS, files: { project: ".claude/settings.json" } },
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
      value: STDIO_SERVER,
      files: { project: [".codex/config.toml"], user: [".codex/config.toml"] },
    },
    rules: { head: undefined, files: { project: ["AGENTS.md"], user: [".codex/AGENTS.md"] } },
    commands: SKILL_COMMANDS,
    hooks: { ...CODEX_HOOKS, files: useInBothScopes(".codex/hooks.json") },
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
    server: createServerEntry(["mcpServers", "tenon"], [".gemini/settings.json"], [".gemini/settings.json"]),
    rules: { head: undefined, files: { project: ["GEMINI.md"], user: [".gemini/GEMINI.md"] } },
    commands: { form: "gemini", folder: useInBothScopes(".gemini/commands/sdd") },
    hooks: { ...GEMINI_HOOKS, files: useInBothScopes(".gemini/settings.json") },
    notes: {},
  },
  cursor: {
    id: "cursor",
    title: "Cursor",
    signs: { project: [".cursor", ".cursorrules"], user: [".cursor"] },
    server: createServerEntry(["mcpServers", "tenon"], [".cursor/mcp.json"], [".cursor/mcp.json"]),
    rules: {
      head: formatRulesHead(
        "description: Work through Tenon where a repository has a folder sdd/",
        "alwaysApply: true",
      ),
      files: { project: [".cursor/rules/tenon.mdc"] },
    },
    commands: { form: "cursor", folder: useInBothScopes(".cursor/commands") },
    hooks: { ...CURSOR_HOOKS, files: useInBothScopes(".cursor/hooks.json") },
    notes: { user: ["Cursor keeps your own rules in its settings, and not in a file: set them up for each project."] },
  },
  vscode: {
    id: "vscode",
    title: "VS Code with Copilot",
    signs: { project: [".vscode", ".github/copilot-instructions.md"], user: [".vscode"] },
    server: createServerEntry(["servers", "tenon"], [".vscode/mcp.json"], [], { type: "stdio", ...STDIO_SERVER }),
    rules: { head: undefined, files: { project: [".github/copilot-instructions.md"] } },
    commands: { form: "copilot", folder: { project: ".github/prompts" } },
    hooks: { ...COPILOT_HOOKS, files: { project: ".github/hooks/tenon.json" } },
    notes: {
      user: ["VS Code keeps your own servers in its profile: MCP: Add Server, with command tenon and argument mcp."],
    },
  },
  opencode: {
    id: "opencode",
    title: "OpenCode",
    signs: { project: ["opencode.json", "opencode.jsonc", ".opencode"], user: [".config/opencode"] },
    server: createServerEntry(
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
    server: createServerEntry(["mcpServers", "tenon"], [], [".codeium/windsurf/mcp_config.json"]),
    rules: {
      head: formatRulesHead("trigger: always_on"),
      files: { project: [".windsurf/rules/tenon.md"] },
    },
    commands: {
      form: "windsurf",
      folder: { project: ".windsurf/workflows", user: ".codeium/windsurf/global_workflows" },
    },
    hooks: { ...WINDSURF_HOOKS, files: { project: ".windsurf/hooks.json", user: ".codeium/windsurf/hooks.json" } },
    notes: { project: ["Windsurf reads servers from your home alone: tenon setup windsurf --user"] },
  },
  zed: {
    id: "zed",
    title: "Zed",
    signs: { project: [".zed", ".rules"], user: [".config/zed"] },
    server: createServerEntry(["context_servers", "tenon"], [".zed/settings.json"], [".config/zed/settings.json"]),
    rules: { head: undefined, files: { project: [".rules", "AGENTS.md"] } },
    commands: SKILL_COMMANDS,
    notes: {},
  },
  kiro: {
    id: "kiro",
    title: "Kiro",
    signs: { project: [".kiro"], user: [".kiro"] },
    server: createServerEntry(["mcpServers", "tenon"], [".kiro/settings/mcp.json"], [".kiro/settings/mcp.json"]),
    rules: {
      head: formatRulesHead("inclusion: always"),
      files: { project: [".kiro/steering/tenon.md"], user: [".kiro/steering/tenon.md"] },
    },
    commands: { form: "skill", folder: useInBothScopes(".kiro/skills") },
    notes: {},
  },
  agents: {
    id: "agents",
    title: "AGENTS.md and Agent Skills",
    signs: { project: ["AGENTS.md", ".agents"], user: [".agents"] },
    rules: { head: undefined, files: { project: ["AGENTS.md"] } },
    commands: SKILL_COMMANDS,
    notes: { project: ["Any MCP client: a stdio server with command tenon and argument mcp."] },
  },
};

/** `--all` leaves out Claude Code, because its plugin would do everything twice. */
export const DEFAULT_CLIENT_IDS: readonly ClientId[] = CLIENT_IDS.filter((id) => id !== "claude");
