import type { StageStatus } from "#domain/flow/flow.ts";
import { sanitizeText } from "#domain/quote.ts";

interface ShownStage {
  readonly name: string;
  readonly status: string;
  readonly stale_because?: string | undefined;
}

const MARKS: Readonly<Record<StageStatus, string>> = {
  pending: "·",
  in_progress: "▸",
  completed: "✓",
  stale: "!",
  skipped: "–",
};

/** `✓ describe  ▸ tasks  · verify` */
export const stagesLine = (stages: readonly ShownStage[]): string =>
  stages.map(({ name, status }) => `${MARKS[status as StageStatus] ?? "?"} ${name}`).join("  ");

export function stalePoints(stages: readonly ShownStage[]): string[] {
  const reasons = [...new Set(stages.flatMap(({ stale_because }) => stale_because ?? []))];
  return reasons.map((reason) => {
    const concerned = stages.filter(({ stale_because }) => stale_because === reason);
    const open = concerned.filter(({ status }) => status !== "stale").map(({ name }) => `${name} is open again`);
    const stale = concerned.filter(({ status }) => status === "stale").map(({ name }) => name);
    const rest = stale.length === 0 ? [] : [`${stale.join(", ")} ${stale.length === 1 ? "is" : "are"} stale`];
    return `${[...open, ...rest].join("; ")}: ${sanitizeText(reason, 200)}`;
  });
}
