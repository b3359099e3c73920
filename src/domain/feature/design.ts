import { findConflictMarkers } from "../document/conflict.ts";
import { findMermaidProblems } from "../document/mermaid.ts";
import { parseProseLines } from "../document/prose.ts";
import { getTableCell, hasTableColumn, parseMarkdownTables } from "../document/table.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { findAmbiguousCriteria } from "./ambiguous.ts";
import { readDesignComponents, type DesignComponent } from "./components.ts";
import { type DesignSpec, parseCriterionReferences } from "./criteria.ts";
import { findOpenPlaceholders } from "./open.ts";
import { type FoundSection, type RequiredSection, checkRequiredSections } from "./sections.ts";
import { readDesignSpecifications } from "./specifications.ts";

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
