import {
  getTableCell,
  hasTableColumn,
  type MarkdownTableRow,
  type MarkdownTable,
  parseMarkdownTables,
} from "../document/table.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { type DesignSpec, parseCriterionReferences } from "./criteria.ts";
import { findFilePathProblem } from "./file-path.ts";
import type { FoundSection } from "./sections.ts";

export interface DesignComponent {
  readonly name: string;
  readonly covers: readonly string[];
  readonly files: readonly string[];
  readonly line: number;
}

export interface DesignComponentTable {
  readonly components: readonly DesignComponent[];
  readonly problems: readonly Problem[];
}

export const COMPONENT_COLUMNS = ["Component", "Req Coverage", "Files"] as const;

export function readDesignComponents(
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
