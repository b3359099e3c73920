import { isPlainObject } from "#kernel/model/plain-object.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { AgentReport } from "../lead/lead-state.ts";
import { isRejectedReport, type RejectedReport } from "../review/report-form.ts";
import { findJsonValue } from "../review/report-text.ts";
import type { InspectionResult } from "../review/review-finding.ts";
import { formatInspectionReport, parseInspectionReport } from "../review/review-report.ts";
import { getInspectorRole, getViewName, type RoadmapRole } from "./agent-roles.ts";

const VIEW_LINE =
  /^[\s>*#_`-]*(?:\d+[.)]\s*)?(?:view|perspective|inspector)[*_`]*\s*:[*_`\s]*(?:inspector-)?([a-z-]+)(?:@\d+)?[*_`.:\s]*$/i;
/** A heading or bold line with the name of a view, and maybe its verdict: `### Rulebase view — GO`. */
const VIEW_HEADING =
  /^\s*(?:#+|\*\*|__|\[)[\s*_`]*(?:\d+[.)]\s*)?(?:(?:view|inspector)[\s:-]*)?([a-z -]+?)(?: (?:view|perspective|inspection|report))?[*_`\]]*(?:\s*[-–—:(]+\W*(GO|NO-GO|CONDITIONAL)\)?)?[*_`.:\s]*$/i;

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

interface ViewPart {
  text: string;
  readonly offset: number;
}

/** Lines before the first view count for none, and neither do fences. */
function splitViewReports(text: string, views: readonly string[]): ReadonlyMap<string, ViewPart> {
  const names = views.map(getViewName);
  const json = findJsonValue(text);
  if (json) return new Map(listJsonViews(json.value, names));
  // `## Test` may be a heading inside of a report, so lines with VIEW come first.
  const lines = text.split("\n");
  const parts = splitAtViewLines(lines, names, VIEW_LINE);
  return parts.size === names.length ? parts : splitAtViewLines(lines, names, VIEW_HEADING);
}

function splitAtViewLines(lines: readonly string[], names: readonly string[], pattern: RegExp): Map<string, ViewPart> {
  const parts = new Map<string, ViewPart>();
  let open: ViewPart | undefined;
  for (const [i, line] of lines.entries()) {
    const [, said = "", verdict] = pattern.exec(line) ?? [];
    const named = said.toLowerCase().replaceAll(" ", "-");
    if (names.includes(named)) {
      open = parts.get(named) ?? { text: "", offset: i };
      open.text += verdict === undefined ? "\n" : `VERDICT:${verdict.toUpperCase()}\n`;
      parts.set(named, open);
    } else if (open) open.text += /^\s*(?:`{3,}|~{3,})\w*\s*$/.test(line) ? "\n" : `${line}\n`;
  }
  return parts;
}

/** `{rulebase: {…}}`, `[{view: "rulebase", …}]`, or such a list under one key. */
function listJsonViews(value: unknown, names: readonly string[]): [string, ViewPart][] {
  if (!isPlainObject(value) && !Array.isArray(value)) return [];
  const list = Array.isArray(value) ? (value as unknown[]) : Object.values(value).find((each) => Array.isArray(each));
  const named = Array.isArray(list)
    ? (list as unknown[]).flatMap((each) => {
        if (!isPlainObject(each)) return [];
        const { view, perspective, inspector, ...report } = each;
        return [[String(view ?? perspective ?? inspector).replace(/^inspector-/, ""), report] as const];
      })
    : Object.entries(value);
  return named
    .filter(([name]) => names.includes(name))
    .map(([name, report]) => [name, { text: JSON.stringify(report), offset: 0 }]);
}
