import { CATEGORIES } from "./category.ts";
import type { Knowledge } from "./document.ts";
import { safeCell } from "./safe-line.ts";
import { KNOWLEDGE_PHASES, type KnowledgeType } from "./tag.ts";

interface Shelf {
  readonly heading: string;
  readonly column: string;
  readonly cell: (each: Knowledge) => string;
}

const phases = (each: Knowledge): string => each.phases.join(", ");
const SHELVES: Readonly<Record<KnowledgeType, Shelf>> = {
  incident: { heading: "Incidents", column: "Should Detect At", cell: phases },
  pattern: { heading: "Patterns", column: "Applicable Phases", cell: phases },
  reference: { heading: "References", column: "Last Verified", cell: ({ verified }) => verified },
};

const HEAD = [
  "# Knowledge",
  "",
  "Made by Tenon from the files beside it: an edit here would be lost. The files themselves are yours to edit.",
  "",
  "A file is named `{type}-{category}-{name}.md`; `ls sdd/knowledge/incident-*` or `*-security-*` shows a part.",
];

export function indexPage(all: readonly Knowledge[], others: readonly string[]): string {
  const known = all.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  const types = Object.keys(SHELVES) as KnowledgeType[];
  return `${[
    ...HEAD,
    ...types.flatMap((type) =>
      shelf(
        SHELVES[type],
        known.filter((each) => each.type === type),
      ),
    ),
    ...listed("By category", CATEGORIES, (category) => known.filter((each) => each.category === category)),
    ...listed("By phase", KNOWLEDGE_PHASES, (phase) =>
      known.filter((each) => each.phases.some((own) => own === phase)),
    ),
    ...(others.length === 0
      ? []
      : ["", "## Named otherwise", "", ...others.toSorted().map((file) => `- ${linkTo(file)}`)]),
  ].join("\n")}\n`;
}

function shelf({ heading, column, cell }: Shelf, own: readonly Knowledge[]): string[] {
  if (own.length === 0) return ["", `## ${heading}`, "", "None yet."];
  const rows = own.map((each) => {
    const cells = [linkTo(each.file), each.category, each.keywords.join(", "), cell(each)].map(safeCell);
    return `| ${cells.join(" | ")} |`;
  });
  return ["", `## ${heading}`, "", `| File | Category | Keywords | ${column} |`, "|---|---|---|---|", ...rows];
}

function listed(heading: string, names: readonly string[], filesOf: (name: string) => readonly Knowledge[]): string[] {
  const lines = names.flatMap((name) => {
    const files = filesOf(name).map(({ file }) => linkTo(file));
    return files.length === 0 ? [] : [`- **${name}**: ${files.join(", ")}`];
  });
  return ["", `## ${heading}`, "", ...(lines.length === 0 ? ["None yet."] : lines)];
}

const linkTo = (file: string): string => {
  const name = file.replaceAll(/[^\w.-]/g, "_");
  return name === file ? `[${file}](${file})` : safeCell(file);
};
