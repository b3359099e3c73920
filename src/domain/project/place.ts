import { isHeadingNamed } from "../document/section.ts";

/** In document order. */
const PLACES = ["must", "should", "could", "wont", "qualities", "constraints", "removed"] as const;
export type Place = (typeof PLACES)[number];

export const HEADINGS = {
  must: "Must have",
  should: "Should have",
  could: "Could have",
  wont: "Won't have",
  qualities: "Non-functional requirements",
  constraints: "Constraints",
  removed: "Removed",
} as const satisfies Readonly<Record<Place, string>>;

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

export const placeNamed = (text: string): Place | undefined => PLACES.find((place) => isNamedFor(place, text));

export const placesAfter = (place: Place): readonly Place[] => PLACES.slice(PLACES.indexOf(place) + 1);
