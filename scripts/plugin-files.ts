import fs from "node:fs";
import { AGENT_ROLES } from "#domain/agent/agents.ts";
import { type AgentPage, agentPage } from "#domain/plugin/agent.ts";
import { HOOKS } from "#domain/plugin/hooks.ts";
import { type CommandPage, PAGES, parsePage, withFrontMatter } from "#domain/plugin/page.ts";
import { renderTemplate } from "#domain/template.ts";

const PLUGIN = "sdd";
const SERVER = "tenon";
/** Token limit for text in every session: `test/plugin/budget.test.ts`. */
export const MOST_RESIDENT = 600;

const asset = (name: string): string => fs.readFileSync(`assets/${name}.md`, "utf8");
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function pluginFiles(): Record<string, string> {
  const pages = PAGES.map((name) => ({ name, ...parsePage(asset(`pages/${name}`)) }));
  const texts = { common: asset("plugin/agent"), lead: asset("roles/lead") };
  const agents = AGENT_ROLES.map((role) =>
    agentPage(role, texts, (name) => `mcp__plugin_${PLUGIN}_${SERVER}__${name}`),
  );
  const files = {
    ".claude-plugin/plugin.json": json(manifest()),
    ".claude-plugin/marketplace.json": json(marketplace()),
    ".mcp.json": json(servers()),
    "hooks/hooks.json": json({ description: "Keeps sessions, files and roles apart.", hooks: HOOKS }),
    "README.md": readme(pages, agents),
    "skills/specs/SKILL.md": asset("plugin/skill"),
    ...Object.fromEntries(pages.map((page) => [`commands/${page.name}.md`, commandFile(page)])),
    ...Object.fromEntries(agents.map((agent) => [`agents/${agent.name}.md`, agentFile(agent)])),
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugin/${path}`, text]));
}

interface Package {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

const ours = (): Package => JSON.parse(fs.readFileSync("package.json", "utf8")) as Package;

function manifest(): object {
  const { version, description, license, keywords } = ours();
  return { name: PLUGIN, displayName: "Tenon", version, description, author: { name: "Tenon" }, license, keywords };
}

/** The folder is its own marketplace, so users can add it from any location of the package. */
function marketplace(): object {
  const { version, description } = ours();
  return {
    name: SERVER,
    owner: { name: "Tenon" },
    description: "Tenon's own plugin, as it comes with the package.",
    plugins: [{ name: PLUGIN, source: "./", version, description }],
  };
}

/** Clients copy the plugin, so it can only call commands on the PATH. */
const servers = (): object => ({
  mcpServers: { [SERVER]: { command: "tenon", args: ["mcp", "--toolsets", "${TENON_TOOLSETS:-all}"] } },
});

/** Only users run these commands. The model has the skill and the server's instructions instead of the list. */
const commandFile = ({ description, argumentHint, body }: CommandPage): string =>
  frontMatter(
    {
      description,
      ...(argumentHint === "" ? {} : { "argument-hint": JSON.stringify(argumentHint) }),
      "disable-model-invocation": "true",
    },
    body,
  );

const agentFile = ({ name, description, model, tools, body }: AgentPage): string =>
  frontMatter({ name, description, model, tools: tools.join(", ") }, body);

const frontMatter = (fields: Readonly<Record<string, string>>, body: string): string =>
  withFrontMatter(
    Object.entries(fields).map(([key, value]) => `${key}: ${value}`),
    body,
  );

function readme(pages: readonly (CommandPage & { readonly name: string })[], agents: readonly AgentPage[]): string {
  const typed = ({ name, argumentHint }: { readonly name: string; readonly argumentHint: string }): string =>
    `\`/${PLUGIN}:${name}${argumentHint === "" ? "" : ` ${argumentHint.replaceAll("|", "\\|")}`}\``;
  return renderTemplate(asset("plugin/readme"), {
    commandCount: String(pages.length),
    agentCount: String(agents.length),
    commands: table(pages.map((page) => [typed(page), page.description])),
    agents: table(agents.map(({ name, description, model }) => [`\`${PLUGIN}:${name}\``, description, model])),
    resident: String(MOST_RESIDENT),
  });
}

const table = (rows: readonly (readonly string[])[]): string => {
  const columns = rows[0]?.length ?? 0;
  return [
    `|${" |".repeat(columns)}`,
    `|${"---|".repeat(columns)}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
};
