import type { ForecastRange } from "#domain/roadmap/forecast.ts";

/** `12 to 40`: the best and the worst case. */
export const formatForecastRange = ({ best, worst }: ForecastRange): string =>
  best === worst ? formatTokenCount(best) : `${formatTokenCount(best)} to ${formatTokenCount(worst)}`;

export const formatTokenCount = (n: number): string => n.toLocaleString("en");
