import { type AgentRole, formatAllowedTools, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import type { ToolKind, WriteScope } from "#roadmap/model/agent/role-schema.ts";
import { renderTemplate } from "#kernel/model/template.ts";

const AGENT_WRITE_LIMITS: Readonly<Record<WriteScope | "nothing", string>> = {
  nothing: "You write nothing in the repository.",
  spec: "You write the spec in `sdd/specs/` that you were given, and nothing else.",
  tests: "You write tests and what they need, no code of the product, and nothing under `sdd/`.",
  implementation: "You write code of the product, no tests, and nothing under `sdd/`.",
  design: "You write `design.md` and `research.md` of your feature, and nothing else.",
  tasks: "You write `tasks.yaml` of your feature, and nothing else.",
  code: "You write the files of your group, tests among them, and nothing under `sdd/`.",
};

const CLAUDE_TOOL_NAMES: Readonly<Record<ToolKind, readonly string[]>> = {
  read: ["Read"],
  search: ["Glob", "Grep"],
  write: ["Write", "Edit"],
  run: ["Bash"],
  web: ["WebSearch", "WebFetch"],
  spawn: ["Agent"],
};
const CLAUDE_MODELS = { deep: "opus", swift: "sonnet" } as const;

export interface PluginAgentPage {
  readonly name: AgentRole;
  readonly description: string;
  readonly model: string;
  readonly tools: readonly string[];
  readonly body: string;
}

export interface AgentPageTexts {
  /** For most agents; their brief has the rest. */
  readonly common: string;
  /** For the Lead, which has no brief. */
  readonly lead: string;
}

/** `tool` converts an engine tool to the client's name for it. */
export function createAgentPage(
  role: AgentRole,
  texts: AgentPageTexts,
  tool: (name: string) => string,
): PluginAgentPage {
  const facts = ROLE_FACTS[role];
  const { engine } = facts;
  const body =
    role === "lead"
      ? renderTemplate(texts.lead, { purpose: facts.purpose, tools: formatAllowedTools(facts), prefix: "sdd:" })
      : renderTemplate(texts.common, {
          purpose: facts.purpose,
          tools: formatAllowedTools(facts),
          engine: engine.map((name) => `\`${name}\``).join(", "),
          limits: AGENT_WRITE_LIMITS[facts.writes ?? "nothing"],
          source: engine.length > 0 ? "`sdd_workflow_status`" : "`sdd_next`",
        });
  return {
    name: role,
    description: facts.description,
    model: CLAUDE_MODELS[facts.model],
    tools: [...facts.tools.flatMap((kind) => CLAUDE_TOOL_NAMES[kind]), ...engine.map(tool)],
    body,
  };
}
