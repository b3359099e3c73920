import { isPlainObject } from "#kernel/model/plain-object.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { AgentReport } from "../lead/lead-state.ts";
import {
  isJsonReport,
  isRejectedReport,
  parseReportJsonText,
  readReportLines,
  type RejectedReport,
} from "../review/report-form.ts";
import type { InspectionResult } from "../review/review-finding.ts";
import { formatInspectionReport, parseInspectionReport } from "../review/review-report.ts";
import { getInspectorRole, getViewName, type RoadmapRole } from "./agent-roles.ts";

const VIEW_LINE =
  /^[\s>*#_`-]*(?:view|perspective|inspector)[*_`]*\s*:[*_`\s]*(?:inspector-)?([a-z-]+)(?:@\d+)?[*_`.:\s]*$/i;

/** One report for each view, each below a line that names it: `VIEW:rulebase`. */
export function parsePanelReport(
  role: RoadmapRole,
  text: string,
  views: readonly string[],
): AgentReport | RejectedReport {
  const parts = splitViewReports(text, views);
  const lacking = views.filter((view) => !parts.has(getViewName(view)));
  if (lacking.length > 0) {
    const lines = lacking.map((view) => `VIEW:${getViewName(view)}`).join(", ");
    return { problems: [{ problem: `The report lacks a view. Begin the part of each view with its line: ${lines}.` }] };
  }
  const found = new Map<string, InspectionResult>();
  const problems: Problem[] = [];
  const corrected = views.map((view) => {
    const { text: part = "", offset = 0 } = parts.get(getViewName(view)) ?? {};
    const read = parseInspectionReport(part, getViewName(view));
    const head = `VIEW:${getViewName(view)}\n`;
    if (isRejectedReport(read)) {
      for (const { problem, line } of read.problems)
        problems.push(line === undefined ? { problem: `${view}: ${problem}` } : { problem, line: line + offset });
      return read.corrected && `${head}${read.corrected}`;
    }
    found.set(view, read);
    return `${head}${formatInspectionReport(read)}`;
  });
  if (problems.length > 0)
    return { problems, ...(corrected.includes(undefined) ? {} : { corrected: corrected.join("") }) };
  const lead = views.find((view) => getInspectorRole(view) === role) ?? views[0] ?? "";
  const { [lead]: inspection, ...others } = Object.fromEntries(found);
  return inspection ? { kind: "inspection", inspection, others } : { problems: [] };
}

/** Lines before the first view count for none, and neither do fences. A JSON report has a key for each view. */
function splitViewReports(text: string, views: readonly string[]) {
  const parts = new Map<string, { text: string; offset: number }>();
  const whole = readReportLines(text);
  if (!isRejectedReport(whole) && isJsonReport(whole.lines)) {
    const read = parseReportJsonText(whole.lines);
    if (!isRejectedReport(read) && isPlainObject(read.value))
      for (const [view, value] of Object.entries(read.value))
        parts.set(view, { text: JSON.stringify(value), offset: 0 });
    return parts;
  }
  const names = views.map(getViewName);
  let open: { text: string; offset: number } | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    const named = VIEW_LINE.exec(line)?.[1]?.toLowerCase();
    if (named !== undefined && names.includes(named)) {
      open = parts.get(named) ?? { text: "", offset: i + 1 };
      parts.set(named, open);
    } else if (open && !/^\s*(?:`{3,}|~{3,})\w*\s*$/.test(line)) open.text += `${line}\n`;
  }
  return parts;
}
