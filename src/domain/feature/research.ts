import { findConflictMarkers } from "../document/conflict.ts";
import { parseProseLines } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { findOpenPlaceholders } from "./open.ts";
import { type RequiredSection, checkRequiredSections } from "./sections.ts";

/** In document order. A section without content contains "None.". */
export const RESEARCH_SECTIONS: readonly RequiredSection[] = [
  { name: "Summary" },
  { name: "Research Log" },
  { name: "Architecture Pattern Evaluation" },
  { name: "Design Decisions" },
  { name: "Risks & Mitigations" },
  { name: "References" },
];

export const DISCOVERY_SCOPES = ["New Feature", "Extension", "Simple Addition", "Complex Integration"] as const;
const DISCOVERY_SCOPE_PATTERN = /^\s{0,3}(?:[-*+]\s+)?\*\*Discovery Scope(?::\*\*|\*\*:)\s*(.*)$/i;

export function checkResearchDocument(text: string): {
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
} {
  const lines = parseProseLines(text);
  const marks = findConflictMarkers(lines);
  if (marks.length > 0) return { problems: marks, notes: [] };
  const { found, problems, notes } = checkRequiredSections(lines, RESEARCH_SECTIONS);
  const summary = found.get("Summary");
  const said = summary?.lines.find((line) => DISCOVERY_SCOPE_PATTERN.test(line.text));
  const scope = DISCOVERY_SCOPE_PATTERN.exec(said?.text ?? "")?.[1]?.trim() ?? "";
  const isKnown = DISCOVERY_SCOPES.some((name) => scope.toLowerCase().startsWith(name.toLowerCase()));
  const how = `write "**Discovery Scope:** …", one of ${DISCOVERY_SCOPES.join(", ")}`;
  return {
    problems: [
      ...problems,
      ...(summary?.heading.hasText && !isKnown
        ? [
            {
              problem: `The summary does not say how much was to be found out: ${how}.`,
              line: said?.number ?? summary.heading.line,
            },
          ]
        : []),
      ...findOpenPlaceholders(lines),
    ],
    notes,
  };
}
