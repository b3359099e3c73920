import type { OperationCall, Fault, SuggestedFix } from "#kernel/model/fault.ts";
import { formatPageLine, renderPageMarkdown, type Page } from "#kernel/model/page.ts";
import { escapeUnprintable, quoteShellWord } from "#kernel/model/text-format.ts";
import { type McpTool, MCP_TOOLS } from "./tool-table.ts";

/** Renders a page for a client. It names only tools that are offered. */
export function renderMcpPage(page: Page, offered: readonly McpTool[] = MCP_TOOLS): string {
  return renderPageMarkdown(page, (fix) => renderMcpFix(fix, offered));
}

export function renderMcpFault(fault: Fault, offered: readonly McpTool[] = MCP_TOOLS): string {
  const isInput = fault.code.startsWith("input.");
  const fixes = fault.fixes.map((fix) => {
    const isRetry = isInput && typeof fix !== "string" && !fix.input;
    return `Next: ${isRetry ? `call it again with arguments that fit` : renderMcpFix(fix, offered)}`;
  });
  return [formatPageLine(fault.message), ...fixes].join("\n");
}

/** Renders a call for a client: `sdd_change_status {"change_id":"fix-login"}`. */
export function renderMcpFix(fix: SuggestedFix, offered: readonly McpTool[] = MCP_TOOLS): string {
  if (typeof fix === "string") return formatPageLine(fix);
  const tool = offered.find((candidate) => candidate.operation === fix.operation);
  return tool
    ? `${tool.name} ${escapeUnprintable(JSON.stringify(fix.input ?? {}))}`
    : `ask the user to run: ${formatCommandLine(fix)}`;
}

/** Commands whose words are not `<group> <verb>`. */
const IRREGULAR_OPERATION_COMMANDS: Readonly<Record<string, string>> = {
  "ci.run": "ci",
  "release.notes": "release-notes",
  "feature.design": "design",
  "feature.impl": "impl",
  "review.begin": "review",
  "roadmap.manage": "roadmap",
  "roadmap.next": "next",
  "roadmap.report": "report",
  "setup.clients": "setup",
  "handover.write": "handover",
  "handover.decide": "decide",
  "stack.trust": "trust",
  "adopt.bootstrap": "adopt",
  "stack.detect": "stack",
  "workflow.feature": "feature",
  "workflow.bugfix": "bugfix",
  "workflow.research": "research",
  "workflow.lock": "lock",
  "workflow.conflicts": "conflicts",
  "workflow.stats": "stats",
  "importing.take": "import",
  "indexing.feed": "feed",
  "indexing.query": "query",
  "indexing.summarize": "summarize",
  "gate.run": "gate",
  "gate.evidence": "evidence",
  "gate.bite": "bite",
  "gate.verify": "verify",
  "indexing.update": "index",
  "knowledge.manage": "knowledge",
  "steering.manage": "steering",
  "trace.show": "trace",
  "trace.drift": "drift",
  "trace.impact": "impact",
};

/** The command for an operation. A law test compares this with the command table. */
export function formatOperationCommand(operation: string): string {
  const [room = "", verb = ""] = operation.split(".");
  return IRREGULAR_OPERATION_COMMANDS[operation] ?? (room === "workspace" ? verb : `${room} ${verb}`);
}

function formatCommandLine({ operation, input = {} }: OperationCall): string {
  const flags = Object.entries(input).map(([name, value]) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    return value === true
      ? flag
      : `${flag} ${quoteShellWord(typeof value === "string" ? value : JSON.stringify(value))}`;
  });
  return escapeUnprintable(["tenon", formatOperationCommand(operation), ...flags].join(" "));
}
