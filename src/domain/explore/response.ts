import { sanitizeText, escapeUnprintable } from "../quote.ts";
import type { ChangeSuggestion } from "./suggestion.ts";

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
