import {
  findConflictMarkers,
  parseProseLines,
  getTableCell,
  hasTableColumn,
  parseMarkdownTables,
  type MarkdownTableRow,
  type MarkdownTable,
} from "#kernel/model/document/markdown-document.ts";
import { findMermaidProblems } from "#kernel/model/document/mermaid-check.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";
import { type DesignSpec, parseCriterionReferences, readDesignSpecifications } from "./design-criteria.ts";
import type { FoundSection, RequiredSection } from "./required-sections.ts";
import { findOpenPlaceholders, checkRequiredSections } from "./required-sections.ts";
import { findFilePathProblem } from "./claimed-path.ts";

export const DESIGN_SECTIONS: readonly RequiredSection[] = [
  { name: "Specifications" },
  { name: "Overview" },
  { name: "Architecture" },
  { name: "System Flows", isOptional: true },
  { name: "Specifications Traceability", isFree: true },
  { name: "Components and Interfaces" },
  { name: "Data Models", isOptional: true },
  { name: "Error Handling" },
  { name: "Testing Strategy" },
  { name: "Security", isOptional: true, isFree: true },
  { name: "Performance", isOptional: true, isFree: true },
  { name: "Migration", isOptional: true, isFree: true },
  { name: "Supporting References", isOptional: true, isFree: true },
  { name: "Revision Notes", isOptional: true, isFree: true },
];

/** A longer design belongs to more than one feature. */
const MAX_DESIGN_LINES = 1_000;

export type CheckedDesign = ReturnType<typeof checkDesign>;

/** Checks structure only. Reviewers judge the content. Notes are for reviewers and block nothing. */
export function checkDesign(text: string) {
  const lines = parseProseLines(text);
  const marks = findConflictMarkers(lines);
  if (marks.length > 0) return { problems: marks, notes: [], specs: [], components: [], files: [] };
  const { found, problems, notes } = checkRequiredSections(lines, DESIGN_SECTIONS);
  // An empty section is reported once, so its content is not checked.
  const filled = new Map([...found].filter(([, { heading }]) => heading.hasText));
  const specified = filled.get("Specifications");
  const specs = specified ? readDesignSpecifications(specified, found.has("Revision Notes"), problems) : [];
  const divided = filled.get("Components and Interfaces");
  const components = divided ? readDesignComponents(divided, specs, problems) : [];
  const covered = new Set(components.flatMap(({ covers }) => covers));
  for (const { id, cited, line } of components.length > 0 ? specs.flatMap(({ criteria }) => criteria) : []) {
    const instead = `name ${cited} under "Req Coverage" of the one that does it`;
    if (!covered.has(id)) problems.push({ problem: `No component carries ${id}: ${instead}.`, line });
  }
  const tracing = filled.get("Specifications Traceability");
  if (tracing) problems.push(...checkTraceabilityMatrix(tracing, specs, components));
  problems.push(...findOpenPlaceholders(lines), ...findMermaidProblems(text));
  notes.push(...findAmbiguousCriteria(specs));
  const length = text.split("\n").length;
  const advice = `a design of over ${MAX_DESIGN_LINES} is too complex for one feature; split it.`;
  if (length > MAX_DESIGN_LINES) notes.push({ problem: `It has ${length} lines: ${advice}`, line: MAX_DESIGN_LINES });
  return {
    problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    notes,
    specs,
    components,
    files: [...new Set(components.flatMap(({ files }) => files))].toSorted(),
  };
}

function checkTraceabilityMatrix(
  { heading, lines }: FoundSection,
  specs: readonly DesignSpec[],
  components: readonly DesignComponent[],
): Problem[] {
  const table = parseMarkdownTables(lines).find((candidate) => hasTableColumn(candidate, "Specification"));
  const line = table?.line ?? heading.line;
  if (!table)
    return [{ problem: "There is no matrix: write a table, | Specification | Summary | Components |.", line }];
  const known = new Set(components.map(({ name }) => name.toLowerCase()));
  const traced = new Set<string>();
  const problems = table.rows.flatMap((row): Problem[] => {
    const named = parseCriterionReferences(getTableCell(table, row, "Specification") ?? "", specs);
    for (const id of named.criteria) traced.add(id);
    const cell = (getTableCell(table, row, "Components") ?? "").split(/[,;]|<br ?\/?>/);
    const unknown = cell
      .map((name) => name.replace(/[`*_]/g, "").trim())
      .filter((name) => name !== "" && !/^(?:[-–—]|none|n\/a)$/i.test(name) && !known.has(name.toLowerCase()));
    const strange = known.size === 0 ? [] : unknown;
    return [
      ...named.problems,
      ...strange.map((name) => `${quote(name, 60)} is not in the table of components: name it as it is there.`),
    ].map((problem) => ({ problem, line: row.line }));
  });
  const left = specs.flatMap(({ criteria }) => criteria.filter(({ id }) => !traced.has(id)));
  return [
    ...problems,
    ...left.map(({ id, cited }) => ({ problem: `${id} is not in the matrix: write a row for ${cited}.`, line })),
  ];
}

export type DesignComponent = ReturnType<typeof readComponentRow>;

export const COMPONENT_COLUMNS = ["Component", "Req Coverage", "Files"] as const;

function readDesignComponents(
  { heading: { line }, lines }: FoundSection,
  specs: readonly DesignSpec[],
  problems: Problem[],
): DesignComponent[] {
  const table = parseMarkdownTables(lines).find((candidate) => hasTableColumn(candidate, "Component"));
  const columns = COMPONENT_COLUMNS.join(" | ");
  const missing = COMPONENT_COLUMNS.filter((name) => table && !hasTableColumn(table, name));
  if (!table) {
    problems.push({ problem: `There is no table of components: write one, | ${columns} |.`, line });
    return [];
  }
  if (missing.length > 0) {
    const problem = `The table of components has no column ${quote(missing.join('", "'))}: it needs | ${columns} |.`;
    problems.push({ problem, line: table.line });
    return [];
  }
  if (table.rows.length === 0)
    problems.push({ problem: "The table names no component: write a row for each.", line: table.line });
  const components = table.rows.map((row) => readComponentRow(table, row, specs, problems));
  const first = new Map<string, number>();
  for (const { name, line: at } of components) {
    const before = first.get(name.toLowerCase());
    if (before === undefined) first.set(name.toLowerCase(), at);
    else if (name !== "")
      problems.push({ problem: `${name} is there twice, first on line ${before}: join them.`, line: at });
  }
  return components;
}

function readComponentRow(
  table: MarkdownTable,
  row: MarkdownTableRow,
  specs: readonly DesignSpec[],
  problems: Problem[],
) {
  const cell = (name: (typeof COMPONENT_COLUMNS)[number]): string => getTableCell(table, row, name) ?? "";
  const name = cell("Component").replace(/[`*_]/g, "").trim();
  const { criteria, problems: strays } = parseCriterionReferences(cell("Req Coverage"), specs);
  const { files, problems: paths } = readComponentFiles(cell("Files"));
  const said = name === "" ? "A component" : name;
  const tell = (problem: string): void => void problems.push({ problem, line: row.line });
  if (name === "") tell("A component has no name: give it one.");
  for (const problem of strays) tell(`${said}: ${problem}`);
  if (criteria.length === 0 && strays.length === 0)
    tell(`${said} carries no criterion: name those it is for under "Req Coverage", as 1.2, or leave it out.`);
  for (const problem of paths) tell(`${said}: ${problem}`);
  if (files.length === 0 && paths.length === 0)
    tell(`${said} names no file: write at least one path in backticks under "Files", as \`src/login.ts\`.`);
  return { name, covers: criteria, files, line: row.line };
}

/** Paths are in backticks. Any other text in the cell may only separate them. */
function readComponentFiles(cell: string): { files: string[]; problems: string[] } {
  const said = [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path.trim());
  const rest = cell
    .replace(/`[^`]*`/g, " ")
    .replace(/<br ?\/?>|\([^()]*\)|\band\b|[,;–—-]/g, " ")
    .trim();
  const wrong = said.flatMap((path) => {
    const problem = findFilePathProblem(path);
    return problem === undefined ? [] : [`${quote(path, 80)} ${problem}.`];
  });
  return {
    files: [...new Set(said.filter((path) => findFilePathProblem(path) === undefined))],
    problems: [...wrong, ...(rest === "" ? [] : [`put each path in backticks, and not ${quote(rest, 60)}.`])],
  };
}

const VAGUE_WORD_PATTERN =
  /\b(?:appropriate(?:ly)?|proper(?:ly)?|suitabl[ey]|as needed|if necessary|as necessary|as required|etc\b|and so on|basically|usually|normally|typically|generally|mostly|sometimes|as much as possible|if possible|as far as possible|user-friendly|intuitive(?:ly)?|easy|easily|seamless(?:ly)?|robust(?:ly)?|reasonabl[ey]|sufficient(?:ly)?|various|correctly|as expected)\b|適切|適宜|必要に応じ|など|等の|基本的に|通常|可能な限り|できるだけ|なるべく/iu;
/** Checked only in a criterion without a number. */
const VAGUE_AMOUNT_PATTERN =
  /\b(?:fast(?:er)?|quick(?:ly)?|slow(?:ly)?|many|few|several|some|large|small|big|long|short|high|low|often|rarely|soon|recent(?:ly)?|immediately|real-time)\b|高速|迅速|すぐに|多く|少な|大量|大き|小さ/iu;

function findAmbiguousCriteria(specs: readonly DesignSpec[]): Problem[] {
  const all = specs.flatMap(({ criteria }) => criteria);
  return all.flatMap(({ id, text, line }): Problem[] => {
    const loose = VAGUE_WORD_PATTERN.exec(text)?.[0];
    const amount = /\d/.test(text) ? undefined : VAGUE_AMOUNT_PATTERN.exec(text)?.[0];
    const word = loose ?? amount;
    if (word === undefined) return [];
    const instead = loose === undefined ? "say how much" : "say what is seen";
    return [{ problem: `${id} says ${quote(word, 40)}, which may be read in two ways: ${instead}.`, line }];
  });
}

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

export function checkResearchDocument(text: string) {
  const lines = parseProseLines(text);
  const marks = findConflictMarkers(lines);
  if (marks.length > 0) return { problems: marks, notes: [] };
  const { found, problems, notes } = checkRequiredSections(lines, RESEARCH_SECTIONS);
  const summary = found.get("Summary");
  const said = summary?.lines.find((line) => DISCOVERY_SCOPE_PATTERN.test(line.text));
  const scope = DISCOVERY_SCOPE_PATTERN.exec(said?.text ?? "")?.[1]?.trim() ?? "";
  const isKnown = DISCOVERY_SCOPES.some((name) => scope.toLowerCase().startsWith(name.toLowerCase()));
  const how = `write "**Discovery Scope:** …", one of ${DISCOVERY_SCOPES.join(", ")}`;
  const problem = `The summary lacks the discovery scope: ${how}.`;
  if (summary?.heading.hasText && !isKnown) problems.push({ problem, line: said?.number ?? summary.heading.line });
  return { problems: [...problems, ...findOpenPlaceholders(lines)], notes };
}
