import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import type { ClientId } from "#onboarding/model/setup/client-catalog.ts";
import { type Finished, finished } from "../kit/process.ts";
import { machine, type Machine } from "../plugin/client.ts";
import type { Said, ScriptedModel } from "../plugin/model.ts";

/** How a test installs, configures and starts one client. */
export interface RealClient {
  readonly id: ClientId;
  /** A client whose files this one reads too. Both are set up, and each hook still counts once. */
  readonly also?: ClientId;
  /** The program, and the folder in `test/fixtures` that pins its version. */
  readonly program: string;
  readonly fixture: string;
  /** Approvals that a user gives once, and the address of the model. */
  readonly prepare: (own: Machine, url: string) => void;
  /** Lists the configured servers and their state. */
  readonly list: { readonly words: readonly string[]; readonly connected: RegExp };
  readonly session: (prompt: string) => readonly string[];
  /** Tenon's tool as the client names it. */
  readonly nameTool: (tool: string) => string;
  /** Writes a new file, by default of JSON. */
  readonly edit: (path: string, text?: string) => Said;
}

function writeJson(path: string, value: unknown): void {
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, JSON.stringify(value));
}

const claude: RealClient = {
  id: "claude",
  program: "claude",
  fixture: "claude-code",
  prepare(own, url) {
    writeJson(join(own.home, ".claude/settings.json"), { enabledMcpjsonServers: ["tenon"] });
    Object.assign(own.environment, { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-scripted" });
  },
  list: { words: ["mcp", "list"], connected: /tenon: .*Connected/ },
  session: (prompt) => ["-p", prompt, "--permission-mode", "acceptEdits", "--allowedTools", "mcp__tenon"],
  nameTool: (tool) => `mcp__tenon__${tool}`,
  edit: (path, content = "{}") => ({ tool: "Write", input: { file_path: path, content } }),
};

const codex: RealClient = {
  id: "codex",
  program: "codex",
  fixture: "clients",
  prepare(own, url) {
    fs.mkdirSync(join(own.home, ".codex"));
    const lines = [
      // A model that Codex knows: others get a different set of tools.
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      "[model_providers.scripted]",
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      "request_max_retries = 0",
      "stream_max_retries = 0",
      `[projects."${own.repository}"]`,
      'trust_level = "trusted"',
    ];
    fs.writeFileSync(join(own.home, ".codex/config.toml"), `${lines.join("\n")}\n`);
  },
  list: { words: ["mcp", "list"], connected: /tenon .*enabled/ },
  session: (prompt) => ["exec", "-s", "workspace-write", "--dangerously-bypass-hook-trust", prompt],
  nameTool: (tool) => `mcp__tenon/${tool}`,
  edit(path, text = "{}") {
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => `+${line}`);
    return {
      tool: "apply_patch",
      input: ["*** Begin Patch", `*** Add File: ${path}`, ...lines, "*** End Patch"].join("\n"),
    };
  },
};

const gemini: RealClient = {
  id: "gemini",
  program: "gemini",
  fixture: "clients",
  prepare(own, url) {
    writeJson(join(own.home, ".gemini/trustedFolders.json"), { [own.repository]: "TRUST_FOLDER" });
    writeJson(join(own.home, ".gemini/settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    });
    // Without a terminal Gemini CLI offers only tools that a policy allows. The guide shows this one.
    const [, policy = ""] =
      /```toml\n(\[\[rule\]\][^`]*)```/.exec(fs.readFileSync("docs/guide/clients.md", "utf8")) ?? [];
    fs.mkdirSync(join(own.home, ".gemini/policies"));
    fs.writeFileSync(join(own.home, ".gemini/policies/tenon.toml"), policy);
    Object.assign(own.environment, { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: url });
  },
  list: { words: ["mcp", "list"], connected: /tenon: .*Connected/ },
  session: (prompt) => ["-p", prompt, "--approval-mode", "auto_edit", "-m", "gemini-2.5-flash"],
  nameTool: (tool) => `mcp_tenon_${tool}`,
  edit: (path, content = "{}") => ({ tool: "write_file", input: { file_path: path, content } }),
};

const qwen: RealClient = {
  id: "qwen",
  program: "qwen",
  fixture: "clients",
  prepare(own, url) {
    writeJson(join(own.home, ".qwen/settings.json"), {
      security: { auth: { selectedType: "openai" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    });
    Object.assign(own.environment, {
      OPENAI_API_KEY: "scripted",
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "scripted",
    });
    own.run("qwen", ["mcp", "approve", "tenon"]);
  },
  list: { words: ["mcp", "list"], connected: /tenon: .*Connected/ },
  session: (prompt) => ["-p", prompt, "--approval-mode", "yolo"],
  nameTool: (tool) => `mcp__tenon__${tool}`,
  edit: (path, content = "{}") => ({ tool: "write_file", input: { file_path: path, content } }),
};

const opencode: RealClient = {
  id: "opencode",
  program: "opencode",
  fixture: "clients",
  prepare(own, url) {
    const models = { one: { name: "one", tool_call: true, limit: { context: 100_000, output: 1000 } } };
    const options = { baseURL: `${url}/v1`, apiKey: "scripted" };
    writeJson(join(own.home, ".config/opencode/opencode.json"), {
      autoupdate: false,
      share: "disabled",
      // A user who wants to be asked. Without a terminal, only a flag or an answer over ACP lets an edit through.
      permission: { edit: "ask" },
      model: "scripted/one",
      small_model: "scripted/one",
      provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "scripted", options, models } },
    });
    Object.assign(own.environment, {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      // OpenCode installs types for plugins at each start. Tenon's plugin does not need them.
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
    });
  },
  list: { words: ["mcp", "list"], connected: /tenon .*connected/ },
  session: (prompt) => ["run", "--auto", prompt],
  nameTool: (tool) => `tenon_${tool}`,
  edit: (path, content = "{}") => ({ tool: "write", input: { filePath: path, content } }),
};

const copilot: RealClient = {
  id: "copilot",
  also: "claude",
  program: "copilot",
  fixture: "clients",
  prepare(own, url) {
    writeJson(join(own.home, ".copilot/config.json"), { trusted_folders: [own.repository] });
    Object.assign(own.environment, {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    });
  },
  list: { words: ["mcp", "list"], connected: /tenon \(local\)/ },
  session: (prompt) => ["-p", prompt, "--allow-all-tools", "--trust-folder"],
  nameTool: (tool) => `tenon-${tool}`,
  edit: (path, file_text = "{}") => ({ tool: "create", input: { path, file_text } }),
};

export const REAL_CLIENTS: readonly RealClient[] = [claude, codex, gemini, qwen, opencode, copilot];

/** Names a client that is not installed, so that its test can be skipped with a message. */
export function findClientProblem({ program, fixture }: RealClient): string | undefined {
  const isThere = fs.existsSync(join("test/fixtures", fixture, "node_modules/.bin", program));
  return isThere ? undefined : `missing: the packages of ${fixture} (scripts/install-fixture-tools)`;
}

export function readVersion({ program }: RealClient, own: Machine): string {
  const { out } = own.run(program, ["--version"]);
  return /\d+\.\d+\.\d+/.exec(out)?.[0] ?? out;
}

/** A machine with a repository that Tenon manages and that is set up for the named clients. */
export function machineWithSetup(...ids: readonly ClientId[]): Machine {
  const own = machine();
  // Clients keep caches there. They belong to this test alone.
  own.environment["XDG_CACHE_HOME"] = join(own.home, ".cache");
  for (const words of [["init"], ["setup", ...ids], ["bugfix", "The sum is wrong", "--id", "BUG-001"]]) {
    const { code, out, err } = own.run("tenon", words);
    if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${out}${err}`);
  }
  return own;
}

/** Milliseconds. A client that waits for input is stopped. */
const SESSION_TIMEOUT = 90_000;

export function runSession(client: RealClient, own: Machine, prompt: string): Promise<Finished> {
  const child = spawn(client.program, client.session(prompt), {
    cwd: own.repository,
    env: own.environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: SESSION_TIMEOUT,
    killSignal: "SIGKILL",
  });
  return finished(child);
}

/** The hook events that a session left in the journal, in order, without those already folded into the ledger. */
export function listJournalEvents(own: Machine): string[] {
  const folder = join(own.repository, ".sdd/journal");
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).toSorted() : [];
  const lines = files.flatMap((name) => fs.readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return lines.filter((line) => line !== "").map((line) => (JSON.parse(line) as { event: string }).event);
}

/** The questions of the session itself, without those for a title. */
export const listAgentQuestions = ({ asked }: ScriptedModel) => asked.filter(({ tools }) => tools.length > 0);
