import type * as z from "zod";
import type { Decision } from "#domain/handover/decisions.ts";
import type { StorePlan } from "../ports/store.ts";
import type { SteeringDraft } from "./draft.ts";
import type { Manage, Managed } from "./schema.ts";

export type Said = z.infer<typeof Manage>;
export type Output = z.infer<typeof Managed>;
export type Input = Said & Pick<Output, "action">;

export type Done = Pick<Output, "written" | "kept" | "aside" | "notes"> & Pick<Output, "decision" | "profile">;

export const NOTHING: Done = { written: [], kept: [], aside: [], notes: [] };

interface Told {
  readonly type?: Decision["type"];
  readonly summary: string;
  readonly decision?: string;
  readonly reason: string | undefined;
}

export function planned(
  draft: SteeringDraft,
  action: Input["action"],
  { type = "STEERING_UPDATE", summary, decision = summary, reason }: Told,
  done: Partial<Done> = {},
): StorePlan<Done> {
  const aside = [...draft.asides()];
  const touched = [...new Set([...draft.changed(), ...aside.map(({ from }) => from)])];
  const number = draft.decide({
    type,
    summary,
    context: `steering ${action}`,
    decision,
    reason: reason ?? "Asked for by the user.",
    impact: touched.join(", "),
    source: "user instruction",
  });
  return {
    steps: draft.steps(),
    keeps: draft.keeps(),
    occurrences: [{ kind: `steering.${PAST[action]}`, subject: `D${number}`, data: { summary, paths: touched } }],
    result: { ...NOTHING, written: draft.changed(), aside, decision: `D${number}`, ...done },
  };
}

export const unchanged = (done: Partial<Done>): StorePlan<Done> => ({
  steps: [],
  occurrences: [],
  result: { ...NOTHING, ...done },
});

const PAST = {
  create: "created",
  update: "updated",
  delete: "deleted",
  custom: "added",
  profile: "filled",
  show: "shown",
} as const satisfies Record<Input["action"], string>;
