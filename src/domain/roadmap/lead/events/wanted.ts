import type { FeatureRecord } from "../../../feature/record.ts";
import { quote } from "../../../quote.ts";
import { withCountersReset } from "../changes/counters.ts";
import { decided } from "../changes/decision.ts";
import { dismissFeature } from "../changes/dismissal.ts";
import type { Draft } from "../draft.ts";
import { setGoal } from "../changes/goal.ts";
import { AFTER_COMPLETION } from "../impl-mode.ts";
import { reopenWave, withDesignAnew, withGroupsWoken, withPlanAnew } from "../changes/mending.ts";
import { isDesignFix } from "../../standing.ts";
import { phaseGate } from "../phase-gate.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";

export function takeWish(draft: Draft, event: EventOf<"wanted">): Taken {
  const { feature, goal, isRedesign = false } = event;
  const record = draft.feature(feature);
  if (!record) return refuse(`Spec '${feature}' not found. Run \`sdd_design "description"\` first.`);
  const gate = phaseGate(record, goal === "design" || goal === "done" ? "design" : "impl");
  if (gate.kind === "closed") return refuse(gate.problem);
  if (isRedesign && record.phase !== "initialized") return redesign(draft, record, event);
  if (goal === "design" && record.phase !== "initialized") {
    if (gate.kind === "confirm")
      return refuse(`${gate.question} Ask the user; then say that it is to be designed anew.`);
    return refuse(`${feature} has a design. To have it made anew, say so.`);
  }
  if (event.isReplanned && record.orchestration.last_phase_action !== null) return replan(draft, record, event);
  if (event.tasks && event.tasks.length > 0) return redo(draft, record, event.tasks, event);
  if (goal === "tasks" && record.orchestration.last_phase_action !== null) {
    return refuse(`${feature} has its tasks. Run \`sdd_impl ${feature}\` to build them.`);
  }
  if (record.phase === "implementation-complete" && goal === "implementation" && !isUnfinished(record)) {
    return refuse(`All tasks of ${feature} are done. Choose: ${AFTER_COMPLETION.join(", ")}.`);
  }
  setGoal(draft, feature, goal);
  return draft.run === draft.base.run ? REPEATED : APPLIED;
}

const isUnfinished = ({ fix, implementation }: FeatureRecord): boolean => fix !== null || implementation.hash === null;

function redesign(draft: Draft, known: FeatureRecord, { feature, goal }: EventOf<"wanted">): Taken {
  const isMeant = known.fix?.source === "revise" && isDesignFix(known.fix);
  setGoal(draft, feature, goal);
  if (isMeant) return draft.run === draft.base.run ? REPEATED : APPLIED;
  dismissFeature(draft, feature);
  const record = draft.feature(feature) ?? known;
  // A finding of a review still needs its own fix.
  const fix = { source: "revise", batch: null, detail: "The user wants the design made anew.", groups: [] } as const;
  draft.keep(withDesignAnew(record, isDesignFix(record.fix) ? record.fix : fix));
  reopenWave(draft, record);
  return APPLIED;
}

function replan(draft: Draft, known: FeatureRecord, { feature, goal }: EventOf<"wanted">): Taken {
  setGoal(draft, feature, goal);
  dismissFeature(draft, feature);
  const fix = { source: "blocker", batch: null, detail: "The tasks are gone: plan them anew.", groups: [] } as const;
  draft.keep(withPlanAnew(draft.feature(feature) ?? known, fix));
  reopenWave(draft, known);
  return APPLIED;
}

function redo(
  draft: Draft,
  record: FeatureRecord,
  tasks: readonly string[],
  { feature, goal }: EventOf<"wanted">,
): Taken {
  const { groups } = record.implementation;
  if (record.orchestration.last_phase_action === null) {
    return refuse(`${feature} has no tasks yet. Run \`sdd_impl ${feature}\` without task numbers.`);
  }
  const unknown = tasks.find((task) => !groups.some((group) => group.tasks.includes(task)));
  if (unknown !== undefined) {
    const known = groups.flatMap((group) => group.tasks).join(", ");
    return refuse(`${feature} has no task ${quote(unknown, 20)}. It has ${known}.`);
  }
  if (draft.reviewKeys().some((key) => key.startsWith(`${feature}/`))) {
    return refuse(`A review of ${feature} is under way. Its tasks can be done again when it is over.`);
  }
  if (record.fix)
    return refuse(`${feature} is being mended: ${record.fix.detail} Its tasks can be done again after that.`);
  setGoal(draft, feature, goal === "done" ? goal : "implementation");
  const done = groups.filter((group) => group.status === "done" && group.tasks.some((task) => tasks.includes(task)));
  if (done.length === 0) return draft.run === draft.base.run ? REPEATED : APPLIED;
  dismissFeature(draft, feature);
  const detail = `The user wants these tasks done again: ${tasks.join(", ")}.`;
  const fix = { source: "revise", batch: null, detail, groups: done.map(({ id }) => id), tasks } as const;
  draft.keep(withGroupsWoken(draft.feature(feature) ?? record, fix));
  reopenWave(draft, record);
  return APPLIED;
}

export function takeRevision(draft: Draft, { feature, intent }: EventOf<"revised">): Taken {
  const known = draft.feature(feature);
  if (!known) return refuse(`Spec '${feature}' not found. Run \`sdd_design "description"\` first.`);
  const gate = phaseGate(known, "impl");
  if (gate.kind === "closed") return refuse(gate.problem);
  const wish = intent.trim();
  if (wish === "") return refuse(`Say what shall become of ${feature}.`);
  dismissFeature(draft, feature);
  const record = draft.feature(feature) ?? known;
  const fix = { source: "revise", batch: null, detail: wish.slice(0, 2_000), groups: [] } as const;
  draft.keep(withDesignAnew(withCountersReset(record), fix));
  reopenWave(draft, record);
  setGoal(draft, feature, "done");
  decided(draft, {
    type: "USER_DECISION",
    summary: `${feature} is revised`,
    context: `${feature} ${known.version} was ${known.phase}.`,
    decision: wish.slice(0, 2_000),
    said: "",
    impact: feature,
  });
  return APPLIED;
}
