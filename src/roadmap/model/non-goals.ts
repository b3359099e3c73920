import { parseProseLines, findSectionLines } from "#kernel/model/document/markdown-document.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";

const NON_GOAL_HEADINGS = ["Non-Goals", "Out of scope"];
/** Words too common in feature names to identify one. */
const COMMON_NAME_WORDS = new Set(
  extractSearchTerms("api app base basic core data feature list manager management page service system user view"),
);

/** Finds non-goals that name a feature with all words of its name, or with the last one if that is specific. */
export function findContradictingNonGoals(
  name: FeatureName,
  designs: Iterable<{ readonly feature: FeatureName; readonly text: string }>,
) {
  const words = extractSearchTerms(name);
  const head = words.at(-1) ?? "";
  const isNamed = (text: string): boolean => {
    const said = new Set(extractSearchTerms(text));
    return words.every((word) => said.has(word)) || (!COMMON_NAME_WORDS.has(head) && said.has(head));
  };
  return Array.from(designs)
    .filter(({ feature }) => feature !== name)
    .flatMap(({ feature, text }) => {
      const lines = parseProseLines(text);
      return NON_GOAL_HEADINGS.flatMap((heading) => findSectionLines(lines, heading) ?? [])
        .filter((line) => isNamed(line.text))
        .map(({ number, text: said }) => ({ feature, line: number, text: said.trim() }));
    });
}
