import type { Call, Fault, Fix } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { plain } from "#domain/quote.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./toolsets.ts";

/** A page as markdown, short enough to be read by a model every time. Only tools that are offered are named. */
export function renderMarkdown(page: Page, offered: readonly Tool[] = TOOLS): string {
  const blocks = [
    safe(page.title),
    ...(page.facts?.length ? [page.facts.map(([label, value]) => `- ${label}: ${safe(value)}`).join("\n")] : []),
    ...(page.table
      ? [[row(page.table.columns), row(page.table.columns.map(() => "---")), ...page.table.rows.map(row)].join("\n")]
      : []),
    ...(page.points?.length ? [page.points.map((point) => `- ${safe(point)}`).join("\n")] : []),
    ...(page.guide ? [page.guide] : []),
    ...(page.next?.length ? [page.next.map((fix) => `Next: ${renderFix(fix, offered)}`).join("\n")] : []),
  ];
  return blocks.join("\n\n");
}

export function renderFault(fault: Fault, offered: readonly Tool[] = TOOLS): string {
  const isInput = fault.code.startsWith("input.");
  const fixes = fault.fixes.map((fix) => {
    const isRetry = isInput && typeof fix !== "string" && !fix.input;
    return `Next: ${isRetry ? `call it again with arguments that fit` : renderFix(fix, offered)}`;
  });
  return [safe(fault.message), ...fixes].join("\n");
}

/** A call as a client would make it: `sdd_change_status {"change_id":"fix-login"}`. */
export function renderFix(fix: Fix, offered: readonly Tool[] = TOOLS): string {
  if (typeof fix === "string") return safe(fix);
  const tool = offered.find((candidate) => candidate.operation === fix.operation);
  return tool ? `${tool.name} ${JSON.stringify(fix.input ?? {})}` : `ask the user to run: ${commandLine(fix)}`;
}

/** What a person types for an operation whose tool is not offered here. */
function commandLine({ operation }: Call): string {
  const [room, verb] = operation.split(".");
  return room === "workspace" ? `tenon ${verb}` : `tenon ${room} ${verb}`;
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => safe(cell).replaceAll("|", "\\|")).join(" | ")} |`;

/** Whatever a file or a caller put into it, a line stays one line, and only a guide speaks in more. */
const safe = (text: string): string => plain(text, 4_000);
