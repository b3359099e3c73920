export const CATEGORIES = ["goals", "constraints", "preferences", "unknowns", "decisions", "context"] as const;
export type Category = (typeof CATEGORIES)[number];
export type Sections = { readonly [category in Category]?: string | undefined };

const HEADING: Readonly<Record<Category, string>> = {
  goals: "Goals",
  constraints: "Constraints",
  preferences: "Preferences",
  unknowns: "Unknowns",
  decisions: "Decisions",
  context: "Context",
};

export function renderSections(sections: Sections): string {
  return CATEGORIES.flatMap((category) => {
    const text = sections[category]?.trim();
    return text ? [`## ${HEADING[category]}\n${text.split("\n").map(shelter).join("\n")}`] : [];
  }).join("\n\n");
}

/** Reads text written by `renderExplorationSections`; returns no sections for any other text. */
export function readSections(markdown: string): Sections {
  const sections: Partial<Record<Category, string>> = {};
  let open: Category | undefined;
  for (const line of markdown.split("\n")) {
    const category = CATEGORIES.find((each) => line === `## ${HEADING[each]}`);
    if (category) {
      open = category;
      sections[open] = "";
    } else if (open) {
      sections[open] += `${bare(line)}\n`;
    }
  }
  return Object.fromEntries(
    Object.entries(sections).flatMap(([category, text]) => (text.trim() === "" ? [] : [[category, text.trim()]])),
  );
}

/** A new text replaces the old one. Sections without new text stay. */
export function mergeSections(before: Sections, said: Sections): Sections {
  return Object.fromEntries(
    CATEGORIES.flatMap((category) => {
      const text = said[category]?.trim() ? said[category] : before[category];
      return text === undefined ? [] : [[category, text.trim()]];
    }),
  );
}

/** Escapes lines that look like one of our headings. */
const OURS = new RegExp(`^(\\\\*)(## (?:${Object.values(HEADING).join("|")}))$`);
const shelter = (line: string): string => line.replace(OURS, "\\$1$2");
const bare = (line: string): string =>
  line.replace(/^\\(\\*## )/, (whole, rest: string) => (OURS.test(line) ? rest : whole));
