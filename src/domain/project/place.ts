import { isHeadingNamed } from "../document/section.ts";

/** The lists that an item may stand in, in the order in which they are written where they are missing. */
const PLACES = ["must", "should", "could", "wont", "qualities", "constraints", "removed"] as const;
export type Place = (typeof PLACES)[number];

/** The headings of the lists, as they are written. */
export const HEADINGS = {
  must: "Must have",
  should: "Should have",
  could: "Could have",
  wont: "Won't have",
  qualities: "Non-functional requirements",
  constraints: "Constraints",
  removed: "Removed",
} as const satisfies Readonly<Record<Place, string>>;

/** What else the headings are called in documents that people wrote. */
const ALSO: Readonly<Partial<Record<Place, readonly string[]>>> = {
  must: ["Must haves"],
  should: ["Should haves"],
  could: ["Could haves"],
  wont: ["Won't haves"],
  qualities: ["Non-functional", "Nonfunctional", "Quality", "Qualities"],
  constraints: ["Constraint"],
};

export const isNamedFor = (place: Place, text: string): boolean =>
  [HEADINGS[place], ...(ALSO[place] ?? [])].some((name) => isHeadingNamed(text, name));

/** The list that a heading is about. */
export const placeNamed = (text: string): Place | undefined => PLACES.find((place) => isNamedFor(place, text));

/** The lists that stand below a list where all of them are written. */
export const placesAfter = (place: Place): readonly Place[] => PLACES.slice(PLACES.indexOf(place) + 1);
