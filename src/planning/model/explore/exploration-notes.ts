import { sanitizeText, escapeUnprintable } from "#kernel/model/text-format.ts";
import type { ChangeSuggestion } from "../change/change-size.ts";

export const EXPLORATION_CATEGORIES = [
  "goals",
  "constraints",
  "preferences",
  "unknowns",
  "decisions",
  "context",
] as const;
export type ExplorationCategory = (typeof EXPLORATION_CATEGORIES)[number];
export type ExplorationSections = { readonly [category in ExplorationCategory]?: string | undefined };

const formatCategoryHeading = (category: string): string => `## ${category[0]?.toUpperCase()}${category.slice(1)}`;

export const renderExplorationSections = (sections: ExplorationSections): string =>
  EXPLORATION_CATEGORIES.flatMap((category) => {
    const text = sections[category]?.trim();
    if (!text) return [];
    const lines = text.split("\n").map((line) => line.replace(OWN_HEADING_PATTERN, "\\$1$2"));
    return [[formatCategoryHeading(category), ...lines].join("\n")];
  }).join("\n\n");

/** Reads text written by `renderExplorationSections`; returns no sections for any other text. */
export function parseExplorationSections(markdown: string): ExplorationSections {
  const sections: Partial<Record<ExplorationCategory, string>> = {};
  let open: ExplorationCategory | undefined;
  for (const line of markdown.split("\n")) {
    const category = EXPLORATION_CATEGORIES.find((each) => line === formatCategoryHeading(each));
    if (category) {
      open = category;
      sections[open] = "";
    } else if (open) sections[open] += `${OWN_HEADING_PATTERN.test(line) ? line.replace(/^\\/, "") : line}\n`;
  }
  return Object.fromEntries(
    Object.entries(sections).flatMap(([category, text]) => (text.trim() === "" ? [] : [[category, text.trim()]])),
  );
}

/** A new text replaces the old one. Sections without new text stay. */
export const mergeExplorationSections = (before: ExplorationSections, said: ExplorationSections): ExplorationSections =>
  Object.fromEntries(
    EXPLORATION_CATEGORIES.flatMap((category) => {
      const text = said[category]?.trim() ? said[category] : before[category];
      return text === undefined ? [] : [[category, text.trim()]];
    }),
  );

/** Lines that look like one of our headings. They are escaped with a backslash. */
const OWN_HEADING_PATTERN = new RegExp(`^(\\\\*)(${EXPLORATION_CATEGORIES.map(formatCategoryHeading).join("|")})$`);

export interface SavedExploration {
  readonly id: number;
  readonly title: string;
  readonly topic_key: string;
  readonly action: string;
  readonly revision: number;
  readonly content: string;
  readonly suggestion?: { readonly [part in keyof ChangeSuggestion]: string } | undefined;
  readonly notes: readonly string[];
}

export function renderSavedExploration(said: SavedExploration): string {
  const action = said.action === "created" ? "Created" : `Updated (revision #${said.revision})`;
  const { suggestion } = said;
  return [
    `**Title:** ${sanitizeText(said.title, 200)}`,
    `**Topic Key:** ${said.topic_key}`,
    `**Action:** ${said.action === "unchanged" ? `Unchanged (revision #${said.revision})` : action}`,
    `**ID:** ${said.id}`,
    "",
    "### Captured Context",
    ...said.content.split("\n").map((line) => `> ${escapeUnprintable(line)}`.trimEnd()),
    "",
    "### Suggested Next Steps",
    "- When ready to start a new project: use `sdd_init_project`",
    "- When ready to modify existing code: use `sdd_change`",
    "- To add more context: call `sdd_explore` again with the same title",
    ...(suggestion
      ? [
          "",
          "### Type/Size Suggestion",
          `- **Suggested type:** ${suggestion.type} — because ${suggestion.type_reason}`,
          `- **Suggested size:** ${suggestion.size} — because ${suggestion.size_reason}`,
        ]
      : []),
    ...(said.notes.length > 0 ? ["", ...said.notes.map((note) => `- ${note}`)] : []),
  ].join("\n");
}
