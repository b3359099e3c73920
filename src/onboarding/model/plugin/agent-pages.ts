import {
  AGENTS,
  type AgentRole,
  type ToolKind,
  formatAllowedTools,
  type WriteScope,
} from "#roadmap/model/agent/agent-roles.ts";
import { renderTemplate } from "#kernel/model/template.ts";

/** An agent's line in the client's list. Every session includes it, so each word counts. */
const AGENT_DESCRIPTIONS: Readonly<Record<AgentRole, string>> = {
  lead: "Runs the roadmap",
  "spec-agent": "Writes a spec",
  "test-agent": "Writes a spec's failing tests",
  "impl-agent": "Makes a spec's tests pass",
  architect: "Designs a feature",
  "task-generator": "Plans a feature's tasks",
  builder: "Builds a task group",
  "inspector-rulebase": "Inspects design form",
  "inspector-testability": "Inspects design criteria",
  "inspector-architecture": "Inspects design parts",
  "inspector-consistency": "Inspects design coherence",
  "inspector-best-practices": "Inspects design choices",
  "inspector-impl-rulebase": "Inspects code completeness",
  "inspector-interface": "Inspects code signatures",
  "inspector-test": "Inspects tests",
  "inspector-quality": "Inspects code quality",
  "inspector-impl-consistency": "Inspects features together",
  "inspector-dead-settings": "Finds dead settings",
  "inspector-dead-code": "Finds dead code",
  "inspector-dead-specs": "Finds dead specs",
  "inspector-dead-tests": "Finds dead tests",
  "auditor-design": "Judges design findings",
  "auditor-impl": "Judges code findings",
  "auditor-dead-code": "Judges dead code",
};

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
  const facts = AGENTS[role];
  const engine = facts.engine ?? [];
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
    description: AGENT_DESCRIPTIONS[role],
    model: CLAUDE_MODELS[facts.model],
    tools: [...facts.tools.flatMap((kind) => CLAUDE_TOOL_NAMES[kind]), ...engine.map(tool)],
    body,
  };
}
