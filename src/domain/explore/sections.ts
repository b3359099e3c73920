/** What an exploration captures, in the order in which it is written down. */
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

/** Only the sections that say something, always in the same order. */
export function renderSections(sections: Sections): string {
  return CATEGORIES.flatMap((category) => {
    const text = sections[category]?.trim();
    return text ? [`## ${HEADING[category]}\n${text.split("\n").map(shelter).join("\n")}`] : [];
  }).join("\n\n");
}

/** The sections of what `renderSections` wrote; nothing where a text is none of its. */
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

/** What is said anew holds; what is not mentioned stays. */
export function mergeSections(before: Sections, said: Sections): Sections {
  return Object.fromEntries(
    CATEGORIES.flatMap((category) => {
      const text = said[category]?.trim() ? said[category] : before[category];
      return text === undefined ? [] : [[category, text.trim()]];
    }),
  );
}

/** A line that would read as one of our headings is kept as text. */
const OURS = new RegExp(`^(\\\\*)(## (?:${Object.values(HEADING).join("|")}))$`);
const shelter = (line: string): string => line.replace(OURS, "\\$1$2");
const bare = (line: string): string =>
  line.replace(/^\\(\\*## )/, (whole, rest: string) => (OURS.test(line) ? rest : whole));
