import { KNOWLEDGE_CATEGORIES } from "./category.ts";
import type { KnowledgeEntry } from "./document.ts";
import { escapeTableCell } from "./safe-line.ts";
import { KNOWLEDGE_PHASES, type KnowledgeType } from "./tag.ts";

interface IndexSection {
  readonly heading: string;
  readonly column: string;
  readonly cell: (each: KnowledgeEntry) => string;
}

const formatPhaseCell = (each: KnowledgeEntry): string => each.phases.join(", ");
const INDEX_SECTIONS: Readonly<Record<KnowledgeType, IndexSection>> = {
  incident: { heading: "Incidents", column: "Should Detect At", cell: formatPhaseCell },
  pattern: { heading: "Patterns", column: "Applicable Phases", cell: formatPhaseCell },
  reference: { heading: "References", column: "Last Verified", cell: ({ verified }) => verified },
};

const INDEX_HEAD = [
  "# Knowledge",
  "",
  "Made by Tenon from the files beside it: an edit here would be lost. The files themselves are yours to edit.",
  "",
  "A file is named `{type}-{category}-{name}.md`; `ls sdd/knowledge/incident-*` or `*-security-*` shows a part.",
];

export function formatKnowledgeIndex(all: readonly KnowledgeEntry[], others: readonly string[]): string {
  const known = all.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  const types = Object.keys(INDEX_SECTIONS) as KnowledgeType[];
  return `${[
    ...INDEX_HEAD,
    ...types.flatMap((type) =>
      formatIndexSection(
        INDEX_SECTIONS[type],
        known.filter((each) => each.type === type),
      ),
    ),
    ...formatIndexList("By category", KNOWLEDGE_CATEGORIES, (category) =>
      known.filter((each) => each.category === category),
    ),
    ...formatIndexList("By phase", KNOWLEDGE_PHASES, (phase) =>
      known.filter((each) => each.phases.some((own) => own === phase)),
    ),
    ...(others.length === 0
      ? []
      : ["", "## Named otherwise", "", ...others.toSorted().map((file) => `- ${formatKnowledgeLink(file)}`)]),
  ].join("\n")}\n`;
}

function formatIndexSection({ heading, column, cell }: IndexSection, own: readonly KnowledgeEntry[]): string[] {
  if (own.length === 0) return ["", `## ${heading}`, "", "None yet."];
  const rows = own.map((each) => {
    const cells = [formatKnowledgeLink(each.file), each.category, each.keywords.join(", "), cell(each)].map(
      escapeTableCell,
    );
    return `| ${cells.join(" | ")} |`;
  });
  return ["", `## ${heading}`, "", `| File | Category | Keywords | ${column} |`, "|---|---|---|---|", ...rows];
}

function formatIndexList(
  heading: string,
  names: readonly string[],
  filesOf: (name: string) => readonly KnowledgeEntry[],
): string[] {
  const lines = names.flatMap((name) => {
    const files = filesOf(name).map(({ file }) => formatKnowledgeLink(file));
    return files.length === 0 ? [] : [`- **${name}**: ${files.join(", ")}`];
  });
  return ["", `## ${heading}`, "", ...(lines.length === 0 ? ["None yet."] : lines)];
}

const formatKnowledgeLink = (file: string): string => {
  const name = file.replaceAll(/[^\w.-]/g, "_");
  return name === file ? `[${file}](${file})` : escapeTableCell(file);
};
