import { isMatchingHeading } from "../document/section.ts";

/** In document order. */
const REQUIREMENT_LIST_NAMES = ["must", "should", "could", "wont", "qualities", "constraints", "removed"] as const;
export type RequirementListName = (typeof REQUIREMENT_LIST_NAMES)[number];

export const REQUIREMENT_LIST_HEADINGS = {
  must: "Must have",
  should: "Should have",
  could: "Could have",
  wont: "Won't have",
  qualities: "Non-functional requirements",
  constraints: "Constraints",
  removed: "Removed",
} as const satisfies Readonly<Record<RequirementListName, string>>;

const ALTERNATIVE_LIST_HEADINGS: Readonly<Partial<Record<RequirementListName, readonly string[]>>> = {
  must: ["Must haves"],
  should: ["Should haves"],
  could: ["Could haves"],
  wont: ["Won't haves"],
  qualities: ["Non-functional", "Nonfunctional", "Quality", "Qualities"],
  constraints: ["Constraint"],
};

export const isListHeading = (place: RequirementListName, text: string): boolean =>
  [REQUIREMENT_LIST_HEADINGS[place], ...(ALTERNATIVE_LIST_HEADINGS[place] ?? [])].some((name) =>
    isMatchingHeading(text, name),
  );

export const findListForHeading = (text: string): RequirementListName | undefined =>
  REQUIREMENT_LIST_NAMES.find((place) => isListHeading(place, text));

export const listsAfter = (place: RequirementListName): readonly RequirementListName[] =>
  REQUIREMENT_LIST_NAMES.slice(REQUIREMENT_LIST_NAMES.indexOf(place) + 1);
