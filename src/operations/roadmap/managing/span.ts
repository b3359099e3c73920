import type { Span } from "#domain/roadmap/forecast.ts";

/** `12 to 40`: if every review says GO, and if each says no for as long as it may. */
export const spanText = ({ best, worst }: Span): string =>
  best === worst ? numberText(best) : `${numberText(best)} to ${numberText(worst)}`;

/** `3,619,000`. */
export const numberText = (n: number): string => n.toLocaleString("en");
