import fs from "node:fs";
import { type AgentRole, AGENT_ROLES } from "#roadmap/model/agent/agent-roles.ts";
import { expandTextParts } from "#roadmap/model/agent/brief-composition.ts";
import { parseRoleAsset } from "#roadmap/model/agent/role-schema.ts";
import { SETUP_CLIENTS } from "#onboarding/model/setup/client-catalog.ts";
import { splitHookFields } from "#onboarding/model/setup/client-hooks.ts";
import { type PluginAgentPage, createAgentPage } from "./agent-pages.ts";
import {
  type CommandPage,
  COMMAND_PAGE_NAMES,
  parseCommandPage,
  addFrontMatter,
} from "#onboarding/model/setup/command-pages.ts";
import { renderTemplate } from "#kernel/model/template.ts";

const PLUGIN_NAME = "sdd";
const SERVER_NAME = "tenon";
/** Token limit for text in every session: `test/plugin/budget.test.ts`. */
export const MAX_RESIDENT_TOKENS = 600;

const readAsset = (name: string): string => fs.readFileSync(`assets/${name}.md`, "utf8");
const formatJsonFile = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function createPluginFiles(): Record<string, string> {
  const pages = COMMAND_PAGE_NAMES.map((name) => ({ name, ...parseCommandPage(readAsset(`pages/${name}`)) }));
  const texts = { common: readAsset("plugin/agent"), lead: parseRoleAsset("lead", readAsset("roles/lead")).text };
  const agents = AGENT_ROLES.map((role) =>
    createAgentPage(
      role,
      { ...texts, report: extractReportForms(role) },
      (name) => `mcp__plugin_${PLUGIN_NAME}_${SERVER_NAME}__${name}`,
    ),
  );
  const files = {
    ".claude-plugin/plugin.json": formatJsonFile(createPluginManifest()),
    ".claude-plugin/marketplace.json": formatJsonFile(createMarketplace()),
    ".mcp.json": formatJsonFile(createServerConfig()),
    "hooks/hooks.json": formatJsonFile({
      description: "Keeps sessions, files and roles apart.",
      hooks: createPluginHooks(),
    }),
    "README.md": formatPluginReadme(pages, agents),
    "skills/specs/SKILL.md": readAsset("plugin/skill"),
    ...Object.fromEntries(pages.map((page) => [`commands/${page.name}.md`, formatCommandFile(page)])),
    ...Object.fromEntries(agents.map((agent) => [`agents/${agent.name}.md`, formatAgentFile(agent)])),
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugin/${path}`, text]));
}

/** The fenced forms of the role's brief. Values that the brief fills in become `{name}`. */
function extractReportForms(role: AgentRole): string {
  const names = fs.readdirSync("assets/roles/parts").map((file) => file.replace(/\.md$/, ""));
  const parts = new Map(names.map((name) => [name, readAsset(`roles/parts/${name}`)]));
  const brief = expandTextParts(parseRoleAsset(role, readAsset(`roles/${role}`)).text, parts);
  return Array.from(brief.matchAll(/^```\n[A-Z_]+[\s\S]*?^```$/gm), ([form]) =>
    form.replaceAll(/^\{\{[#/]\w+\}\}\n/gm, "").replaceAll(/\{\{(\w+)\}\}/g, "{$1}"),
  ).join("\n\nIf you cannot finish:\n\n");
}

interface PackageManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

const readPackageManifest = (): PackageManifest =>
  JSON.parse(fs.readFileSync("package.json", "utf8")) as PackageManifest;

function createPluginManifest(): object {
  const { version, description, license, keywords } = readPackageManifest();
  return {
    name: PLUGIN_NAME,
    displayName: "Tenon",
    version,
    description,
    author: { name: "Tenon" },
    license,
    keywords,
  };
}

/** The folder is its own marketplace, so users can add it from any location of the package. */
function createMarketplace(): object {
  const { version, description } = readPackageManifest();
  return {
    name: SERVER_NAME,
    owner: { name: "Tenon" },
    description: "Tenon's own plugin, as it comes with the package.",
    plugins: [{ name: PLUGIN_NAME, source: "./", version, description }],
  };
}

/** Clients copy the plugin, so it can only call commands on the PATH. */
const createServerConfig = (): object => ({
  mcpServers: { [SERVER_NAME]: { command: "tenon", args: ["mcp", "--toolsets", "${TENON_TOOLSETS:-all}"] } },
});

/** Only users run these commands. The model has the skill and the server's instructions instead of the list. */
const formatCommandFile = ({ description, argumentHint, body }: CommandPage): string =>
  formatFrontMatterFile(
    {
      description,
      ...(argumentHint === "" ? {} : { "argument-hint": JSON.stringify(argumentHint) }),
      "disable-model-invocation": "true",
    },
    body,
  );

const formatAgentFile = ({ name, description, model, tools, body }: PluginAgentPage): string =>
  formatFrontMatterFile({ name, description, model, tools: tools.join(", ") }, body);

const formatFrontMatterFile = (fields: Readonly<Record<string, string>>, body: string): string =>
  addFrontMatter(
    Object.entries(fields).map(([key, value]) => `${key}: ${value}`),
    body,
  );

function formatPluginReadme(
  pages: readonly (CommandPage & { readonly name: string })[],
  agents: readonly PluginAgentPage[],
): string {
  const typed = ({ name, argumentHint }: { readonly name: string; readonly argumentHint: string }): string =>
    `\`/${PLUGIN_NAME}:${name}${argumentHint === "" ? "" : ` ${argumentHint.replaceAll("|", "\\|")}`}\``;
  return renderTemplate(readAsset("plugin/readme"), {
    commandCount: String(pages.length),
    agentCount: String(agents.length),
    commands: formatReadmeTable(pages.map((page) => [typed(page), page.description])),
    agents: formatReadmeTable(
      agents.map(({ name, description, model }) => [`\`${PLUGIN_NAME}:${name}\``, description, model]),
    ),
    resident: String(MAX_RESIDENT_TOKENS),
  });
}

const formatReadmeTable = (rows: readonly (readonly string[])[]): string => {
  const columns = rows[0]?.length ?? 0;
  return [
    `|${" |".repeat(columns)}`,
    `|${" --- |".repeat(columns)}`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
};

/** The plugin has every hook of Claude Code: a program with arguments, without a shell. */
export function createPluginHooks(): Readonly<Record<string, readonly unknown[]>> {
  const { hooks } = SETUP_CLIENTS.claude;
  if (!hooks) return {};
  const entries = hooks.events.map((event) => {
    const { matcher, more } = splitHookFields(event, hooks);
    const hook = { type: "command", command: "tenon", args: ["hook", event.event], ...more };
    return [event.name, [{ ...matcher, hooks: [hook] }]];
  });
  return Object.fromEntries(entries);
}
