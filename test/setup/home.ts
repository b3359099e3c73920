import fs from "node:fs";
import { dirname, join } from "node:path";

/** Files of a person who uses every client, each with something of their own, and in their own style. */
const FILLED: Readonly<Record<string, string>> = {
  "AGENTS.md": "# House rules\r\n\r\n- Tabs.\r\n",
  "CLAUDE.md": "Be brief.",
  "GEMINI.md": "# Gemini\n\n\n",
  ".rules": "Zed rules first.\n",
  ".mcp.json": '{"mcpServers":{"own":{"command":"own"}}}',
  ".claude/settings.json":
    '{\n\t"permissions": { "allow": ["Bash(ls:*)"] },\n\t"hooks": {\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]\n\t}\n}\n',
  ".claude/commands/deploy.md": "Deploy.\n",
  ".codex/config.toml":
    '# mine\nmodel = "gpt-5" # fast\n\n[mcp_servers.own]\ncommand = "own"\nargs = [\n  "a", # [mcp_servers.tenon]\n]\n\n[profiles.x]\nnote = """\n[mcp_servers.tenon]\n"""',
  ".codex/hooks.json": '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] } }\n',
  ".gemini/settings.json":
    '\uFEFF{\r\n    // theme first\r\n    "ui": { "theme": "Dark" },\r\n    "mcpServers": {\r\n        "own": { "command": "own" }, // keep\r\n    },\r\n}\r\n',
  ".gemini/commands/sdd/mine.toml": 'prompt = "mine"\n',
  ".cursor/mcp.json": '{\n  "mcpServers": {}\n}\n',
  ".cursor/hooks.json":
    '{\n  "version": 1,\n  "hooks": {\n    "stop": [\n      { "command": "say done" }\n    ]\n  }\n}\n',
  ".cursor/rules/own.mdc": "---\nalwaysApply: true\n---\nMine.\n",
  ".cursor/commands/deploy.md": "Deploy.\n",
  ".vscode/mcp.json": '{\n  "inputs": [],\n  "servers": {\n    /* none yet */\n  }\n}',
  ".vscode/settings.json": "{}",
  ".github/copilot-instructions.md": "Use British English.\n",
  ".github/prompts/own.prompt.md": "Mine.\n",
  ".github/hooks/own.json": '{ "version": 1, "hooks": {} }\n',
  "opencode.jsonc": '// OpenCode\n{\n  "$schema": "https://opencode.ai/config.json",\n  "theme": "x"\n}\n',
  ".opencode/commands/own.md": "Mine.\n",
  ".windsurf/rules/own.md": "Mine.\n",
  ".windsurf/hooks.json": '{ "hooks": {} }\n',
  ".zed/settings.json": "// Zed\n",
  ".kiro/settings/mcp.json": "",
  ".kiro/steering/product.md": "Ours.\n",
  ".agents/skills/own/SKILL.md": "---\nname: own\ndescription: Mine\n---\nMine.\n",
};

export function fillHome(root: string): void {
  for (const [path, text] of Object.entries(FILLED)) write(root, path, text);
}

export function write(root: string, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

export const read = (root: string, path: string): string => fs.readFileSync(join(root, path), "utf8");

/** Every file and folder, but for git's and what belongs to this machine; folders have no text. */
export function takePicture(root: string): Record<string, string | undefined> {
  const names = fs.readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
  const shown = names.filter((name) => !/^\.(?:git|sdd)(?:\/|$)/.test(name));
  return Object.fromEntries(
    shown.map((name) => [name, fs.statSync(join(root, name)).isDirectory() ? undefined : read(root, name)]),
  );
}

/** What is in one picture and not in the other, as a text to look at. The files of commands are named, not shown. */
export function differenceBetween(before: Record<string, unknown>, after: Record<string, string | undefined>): string {
  const changed = Object.keys(after).filter((name) => after[name] !== undefined && before[name] !== after[name]);
  const isCommand = (name: string): boolean =>
    /\/(?:sdd-[a-z]+(?:\/SKILL)?\.(?:prompt\.)?md|sdd\/[a-z]+\.toml)$/.test(name);
  const commands = changed.filter(isCommand);
  const texts = changed
    .filter((name) => !isCommand(name) && name !== "sdd/setup.json")
    .map((name) => `=== ${name}\n${shownText(after[name] ?? "")}`);
  return [...texts, `=== commands\n${commands.join("\n")}\n`].join("\n");
}

/** Line ends and marks that nobody would see. */
const shownText = (text: string): string => {
  const seen = text.replaceAll("\r", "␍").replaceAll("\uFEFF", "␀BOM");
  return seen.endsWith("\n") ? seen : `${seen}␃\n`;
};
