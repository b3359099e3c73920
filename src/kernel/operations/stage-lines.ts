import type { StageStatus } from "../model/flow/flow-engine.ts";
import { sanitizeText } from "../model/text-format.ts";

interface StageView {
  readonly name: string;
  readonly status: string;
  readonly stale_because?: string | undefined;
}

const STAGE_MARKS: Readonly<Record<StageStatus, string>> = {
  pending: "·",
  in_progress: "▸",
  completed: "✓",
  stale: "!",
  skipped: "–",
};

/** `✓ describe  ▸ tasks  · verify` */
export const formatStageLine = (stages: readonly StageView[]): string =>
  stages.map(({ name, status }) => `${STAGE_MARKS[status as StageStatus] ?? "?"} ${name}`).join("  ");

export function formatStalePoints(stages: readonly StageView[]): string[] {
  const reasons = [...new Set(stages.flatMap(({ stale_because }) => stale_because ?? []))];
  return reasons.map((reason) => {
    const concerned = stages.filter(({ stale_because }) => stale_because === reason);
    const open = concerned.filter(({ status }) => status !== "stale").map(({ name }) => `${name} is open again`);
    const stale = concerned.filter(({ status }) => status === "stale").map(({ name }) => name);
    const rest = stale.length === 0 ? [] : [`${stale.join(", ")} ${stale.length === 1 ? "is" : "are"} stale`];
    return `${[...open, ...rest].join("; ")}: ${sanitizeText(reason, 200)}`;
  });
}
