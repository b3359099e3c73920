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
import {
  findOpenPlaceholders,
  type FoundSection,
  type RequiredSection,
  checkRequiredSections,
} from "./required-sections.ts";
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

export interface CheckedDesign {
  readonly problems: readonly Problem[];
  /** Notes for reviewers. They block nothing. */
  readonly notes: readonly Problem[];
  readonly specs: readonly DesignSpec[];
  readonly components: readonly DesignComponent[];
  readonly files: readonly string[];
}

/** Checks structure only. Reviewers judge the content. */
export function checkDesign(text: string): CheckedDesign {
  const lines = parseProseLines(text);
  const marks = findConflictMarkers(lines);
  if (marks.length > 0) return { problems: marks, notes: [], specs: [], components: [], files: [] };
  const sections = checkRequiredSections(lines, DESIGN_SECTIONS);
  const isRevised = sections.found.has("Revision Notes");
  const { specs, problems: ofSpecs } =
    readNonEmptySection(sections.found.get("Specifications"), (found) => readDesignSpecifications(found, isRevised)) ??
    NO_SPECS;
  const { components, problems: ofComponents } =
    readNonEmptySection(sections.found.get("Components and Interfaces"), (found) =>
      readDesignComponents(found, specs),
    ) ?? NO_COMPONENTS;
  const tracing = sections.found.get("Specifications Traceability");
  const problems = [
    ...sections.problems,
    ...ofSpecs,
    ...ofComponents,
    ...(components.length > 0 ? findUncoveredDesignCriteria(specs, components) : []),
    ...(tracing ? checkTraceabilityMatrix(tracing, specs, components) : []),
    ...findOpenPlaceholders(lines),
    ...findMermaidProblems(text),
  ];
  return {
    problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    notes: [...sections.notes, ...findAmbiguousCriteria(specs), ...noteOversizedDesign(text)],
    specs,
    components,
    files: [...new Set(components.flatMap(({ files }) => files))].toSorted(),
  };
}

const NO_SPECS = { specs: [], problems: [] };
const NO_COMPONENTS = { components: [], problems: [] };

/** An empty section is reported once, so its content is not checked. */
const readNonEmptySection = <T>(found: FoundSection | undefined, read: (found: FoundSection) => T): T | undefined =>
  found?.heading.hasText ? read(found) : undefined;

function findUncoveredDesignCriteria(specs: readonly DesignSpec[], components: readonly DesignComponent[]): Problem[] {
  const covered = new Set(components.flatMap(({ covers }) => covers));
  return specs.flatMap(({ criteria }) =>
    criteria.flatMap(({ id, cited, line }): Problem[] => {
      const instead = `name ${cited} under "Req Coverage" of the one that does it`;
      return covered.has(id) ? [] : [{ problem: `No component carries ${id}: ${instead}.`, line }];
    }),
  );
}

function checkTraceabilityMatrix(
  { heading, lines }: FoundSection,
  specs: readonly DesignSpec[],
  components: readonly DesignComponent[],
): Problem[] {
  const table = parseMarkdownTables(lines).find((candidate) => hasTableColumn(candidate, "Specification"));
  const line = table?.line ?? heading.line;
  if (!heading.hasText) return [];
  if (!table)
    return [{ problem: "There is no matrix: write a table, | Specification | Summary | Components |.", line }];
  const rows = table.rows.map((row) => ({
    row,
    named: parseCriterionReferences(getTableCell(table, row, "Specification") ?? "", specs),
  }));
  const traced = new Set(rows.flatMap(({ named }) => named.criteria));
  const left = specs.flatMap(({ criteria }) => criteria.filter(({ id }) => !traced.has(id)));
  return [
    ...rows.flatMap(({ row, named }) => named.problems.map((problem) => ({ problem, line: row.line }))),
    ...rows.flatMap(({ row }) =>
      listUnknownComponents(getTableCell(table, row, "Components") ?? "", components).map((name) => ({
        problem: `${quote(name, 60)} is not in the table of components: name it as it is there.`,
        line: row.line,
      })),
    ),
    ...left.map(({ id, cited }) => ({ problem: `${id} is not in the matrix: write a row for ${cited}.`, line })),
  ];
}

function listUnknownComponents(cell: string, components: readonly DesignComponent[]): string[] {
  if (components.length === 0) return [];
  const known = new Set(components.map(({ name }) => name.toLowerCase()));
  return cell
    .split(/[,;]|<br ?\/?>/)
    .map((name) => name.replace(/[`*_]/g, "").trim())
    .filter((name) => name !== "" && !/^(?:[-–—]|none|n\/a)$/i.test(name) && !known.has(name.toLowerCase()));
}

function noteOversizedDesign(text: string): Problem[] {
  const length = text.split("\n").length;
  if (length <= MAX_DESIGN_LINES) return [];
  const problem = `It has ${length} lines: a design of over ${MAX_DESIGN_LINES} is too complex for one feature; split it.`;
  return [{ problem, line: MAX_DESIGN_LINES }];
}

export interface DesignComponent {
  readonly name: string;
  readonly covers: readonly string[];
  readonly files: readonly string[];
  readonly line: number;
}

interface DesignComponentTable {
  readonly components: readonly DesignComponent[];
  readonly problems: readonly Problem[];
}

export const COMPONENT_COLUMNS = ["Component", "Req Coverage", "Files"] as const;

function readDesignComponents(
  { heading: { line }, lines }: FoundSection,
  specs: readonly DesignSpec[],
): DesignComponentTable {
  const table = parseMarkdownTables(lines).find((candidate) => hasTableColumn(candidate, "Component"));
  const columns = COMPONENT_COLUMNS.join(" | ");
  if (!table) {
    return {
      components: [],
      problems: [{ problem: `There is no table of components: write one, | ${columns} |.`, line }],
    };
  }
  const missing = COMPONENT_COLUMNS.filter((name) => !hasTableColumn(table, name));
  if (missing.length > 0) {
    const problem = `The table of components has no column ${quote(missing.join('", "'))}: it needs | ${columns} |.`;
    return { components: [], problems: [{ problem, line: table.line }] };
  }
  const read = table.rows.map((row) => readComponentRow(table, row, specs));
  const components = read.map(({ component }) => component);
  return {
    components,
    problems: [
      ...(read.length === 0
        ? [{ problem: "The table names no component: write a row for each.", line: table.line }]
        : []),
      ...read.flatMap(({ problems }) => problems),
      ...findDuplicateComponents(components),
    ],
  };
}

function readComponentRow(
  table: MarkdownTable,
  row: MarkdownTableRow,
  specs: readonly DesignSpec[],
): { component: DesignComponent; problems: Problem[] } {
  const cell = (name: (typeof COMPONENT_COLUMNS)[number]): string => getTableCell(table, row, name) ?? "";
  const name = cell("Component").replace(/[`*_]/g, "").trim();
  const { criteria, problems: strays } = parseCriterionReferences(cell("Req Coverage"), specs);
  const { files, problems: paths } = readComponentFiles(cell("Files"));
  const said = name === "" ? "A component" : name;
  const problems = [
    ...(name === "" ? ["A component has no name: give it one."] : []),
    ...strays.map((problem) => `${said}: ${problem}`),
    ...(criteria.length === 0 && strays.length === 0
      ? [`${said} carries no criterion: name those it is for under "Req Coverage", as 1.2, or leave it out.`]
      : []),
    ...paths.map((problem) => `${said}: ${problem}`),
    ...(files.length === 0 && paths.length === 0
      ? [`${said} names no file: write at least one path in backticks under "Files", as \`src/login.ts\`.`]
      : []),
  ];
  return {
    component: { name, covers: criteria, files, line: row.line },
    problems: problems.map((problem) => ({ problem, line: row.line })),
  };
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

function findDuplicateComponents(components: readonly DesignComponent[]): Problem[] {
  const first = new Map<string, number>();
  return components.flatMap(({ name, line }): Problem[] => {
    const key = name.toLowerCase();
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    return before === undefined || name === ""
      ? []
      : [{ problem: `${name} is there twice, first on line ${before}: join them.`, line }];
  });
}

const VAGUE_WORD_PATTERN =
  /\b(?:appropriate(?:ly)?|proper(?:ly)?|suitabl[ey]|as needed|if necessary|as necessary|as required|etc\b|and so on|basically|usually|normally|typically|generally|mostly|sometimes|as much as possible|if possible|as far as possible|user-friendly|intuitive(?:ly)?|easy|easily|seamless(?:ly)?|robust(?:ly)?|reasonabl[ey]|sufficient(?:ly)?|various|correctly|as expected)\b|適切|適宜|必要に応じ|など|等の|基本的に|通常|可能な限り|できるだけ|なるべく/iu;
/** Checked only in a criterion without a number. */
const VAGUE_AMOUNT_PATTERN =
  /\b(?:fast(?:er)?|quick(?:ly)?|slow(?:ly)?|many|few|several|some|large|small|big|long|short|high|low|often|rarely|soon|recent(?:ly)?|immediately|real-time)\b|高速|迅速|すぐに|多く|少な|大量|大き|小さ/iu;

function findAmbiguousCriteria(specs: readonly DesignSpec[]): Problem[] {
  return specs.flatMap(({ criteria }) =>
    criteria.flatMap(({ id, text, line }): Problem[] => {
      const loose = VAGUE_WORD_PATTERN.exec(text)?.[0];
      const amount = /\d/.test(text) ? undefined : VAGUE_AMOUNT_PATTERN.exec(text)?.[0];
      const word = loose ?? amount;
      if (word === undefined) return [];
      const instead = loose === undefined ? "say how much" : "say what is seen";
      return [{ problem: `${id} says ${quote(word, 40)}, which may be read in two ways: ${instead}.`, line }];
    }),
  );
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
