import type { Call, Fault, Fix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { TOOLS } from "./toolsets.ts";

/** A page as markdown, short enough to be read by a model every time. */
export function renderMarkdown(page: Page): string {
  const blocks = [
    page.title,
    ...(page.facts?.length ? [page.facts.map(([label, value]) => `- ${label}: ${value}`).join("\n")] : []),
    ...(page.table
      ? [[row(page.table.columns), row(page.table.columns.map(() => "---")), ...page.table.rows.map(row)].join("\n")]
      : []),
    ...(page.points?.length ? [page.points.map((point) => `- ${point}`).join("\n")] : []),
    ...(page.guide ? [page.guide] : []),
    ...(page.next?.length ? [page.next.map((fix) => `Next: ${renderFix(fix)}`).join("\n")] : []),
  ];
  return blocks.join("\n\n");
}

export function renderFault(fault: Fault): string {
  const isInput = fault.code.startsWith("input.");
  const fixes = fault.fixes.map(
    (fix) =>
      `Next: ${isInput && typeof fix !== "string" && !fix.input ? `${toolName(fix)} with other arguments` : renderFix(fix)}`,
  );
  return [fault.message, ...fixes].join("\n");
}

/** A call as a client would make it: `sdd_change_status {"change_id":"fix-login"}`. */
export function renderFix(fix: Fix): string {
  if (typeof fix === "string") return fix;
  return `${toolName(fix)} ${JSON.stringify(fix.input ?? {})}`;
}

const toolName = (call: Call): string =>
  TOOLS.find((candidate) => candidate.operation === call.operation)?.name ?? call.operation;

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
