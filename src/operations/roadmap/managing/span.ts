import type { Span } from "#domain/roadmap/forecast.ts";

/** `12 to 40`: the best and the worst case. */
export const spanText = ({ best, worst }: Span): string =>
  best === worst ? numberText(best) : `${numberText(best)} to ${numberText(worst)}`;

export const numberText = (n: number): string => n.toLocaleString("en");
