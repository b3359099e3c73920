import { type AgentRole, formatAllowedTools, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import type { ToolKind, WriteScope } from "#roadmap/model/agent/role-schema.ts";
import { renderTemplate } from "#kernel/model/template.ts";

const AGENT_WRITE_LIMITS: Readonly<Record<WriteScope | "nothing", string>> = {
  nothing: "You do not write files in the repository.",
  spec: "You write only the spec in `sdd/specs/` that you were given.",
  tests: "You write tests and their fixtures. You do not write product code or files under `sdd/`.",
  implementation: "You write product code. You do not write tests or files under `sdd/`.",
  design: "You write only `design.md` and `research.md` of your feature.",
  tasks: "You write only `tasks.yaml` of your feature.",
  code: "You write the files of your group, including tests. You do not write files under `sdd/`.",
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

export type PluginAgentPage = ReturnType<typeof createAgentPage>;

/** Most agents have a brief with the rest. The Lead has none. `report` shows the form of the role's report. */
type AgentPageTexts = Readonly<Record<"common" | "lead" | "report", string>>;

/** `tool` converts an engine tool to the client's name for it. */
export function createAgentPage(role: AgentRole, texts: AgentPageTexts, tool: (name: string) => string) {
  const facts = ROLE_FACTS[role];
  const { engine } = facts;
  const common = { purpose: facts.purpose, tools: formatAllowedTools(facts) };
  const body =
    role === "lead"
      ? renderTemplate(texts.lead, { ...common, prefix: "sdd:" })
      : renderTemplate(texts.common, {
          ...common,
          engine: engine.map((name) => `\`${name}\``).join(", "),
          limits: AGENT_WRITE_LIMITS[facts.writes ?? "nothing"],
          report: texts.report,
          handing:
            facts.report === null
              ? "Your last message is the report, in exactly this form and with nothing around it."
              : "Send the report with `sdd_report`, under your action and no other, in exactly this form. Then end with one line.",
          source:
            facts.report === null ? "`sdd_workflow_status`" : "`sdd_brief`, with the action that you were started for",
        });
  return {
    name: role,
    description: facts.description,
    model: CLAUDE_MODELS[facts.model],
    tools: [...facts.tools.flatMap((kind) => CLAUDE_TOOL_NAMES[kind]), ...engine.map(tool)],
    body,
  };
}
