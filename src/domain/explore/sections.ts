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

const EXPLORATION_HEADINGS: Readonly<Record<ExplorationCategory, string>> = {
  goals: "Goals",
  constraints: "Constraints",
  preferences: "Preferences",
  unknowns: "Unknowns",
  decisions: "Decisions",
  context: "Context",
};

export function renderExplorationSections(sections: ExplorationSections): string {
  return EXPLORATION_CATEGORIES.flatMap((category) => {
    const text = sections[category]?.trim();
    return text ? [`## ${EXPLORATION_HEADINGS[category]}\n${text.split("\n").map(escapeOwnHeading).join("\n")}`] : [];
  }).join("\n\n");
}

/** Reads text written by `renderExplorationSections`; returns no sections for any other text. */
export function parseExplorationSections(markdown: string): ExplorationSections {
  const sections: Partial<Record<ExplorationCategory, string>> = {};
  let open: ExplorationCategory | undefined;
  for (const line of markdown.split("\n")) {
    const category = EXPLORATION_CATEGORIES.find((each) => line === `## ${EXPLORATION_HEADINGS[each]}`);
    if (category) {
      open = category;
      sections[open] = "";
    } else if (open) {
      sections[open] += `${unescapeOwnHeading(line)}\n`;
    }
  }
  return Object.fromEntries(
    Object.entries(sections).flatMap(([category, text]) => (text.trim() === "" ? [] : [[category, text.trim()]])),
  );
}

/** A new text replaces the old one. Sections without new text stay. */
export function mergeExplorationSections(before: ExplorationSections, said: ExplorationSections): ExplorationSections {
  return Object.fromEntries(
    EXPLORATION_CATEGORIES.flatMap((category) => {
      const text = said[category]?.trim() ? said[category] : before[category];
      return text === undefined ? [] : [[category, text.trim()]];
    }),
  );
}

/** Escapes lines that look like one of our headings. */
const OWN_HEADING_PATTERN = new RegExp(`^(\\\\*)(## (?:${Object.values(EXPLORATION_HEADINGS).join("|")}))$`);
const escapeOwnHeading = (line: string): string => line.replace(OWN_HEADING_PATTERN, "\\$1$2");
const unescapeOwnHeading = (line: string): string =>
  line.replace(/^\\(\\*## )/, (whole, rest: string) => (OWN_HEADING_PATTERN.test(line) ? rest : whole));
