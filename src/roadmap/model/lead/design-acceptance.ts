import { getOfferedHash, hasCurrentPass } from "../feature-progress.ts";
import type { AcceptedDesign, FeatureRecord } from "../feature/feature-record.ts";
import { applyAcceptedDesign } from "../feature/feature-record.ts";
import { measureDesignReach } from "../feature/held-content.ts";
import { reopenTaskGroups, voidDependentDesigns } from "./feature-rework.ts";
import {
  BLOCKED_COUNTER,
  clearLostRuns,
  type LeadDraft,
  PARTITION_COUNTER,
  recordUserDecision,
  updateOrchestration,
} from "./lead-draft.ts";
import { type DesignFacts, EVENT_APPLIED, type EventOf, type EventOutcome, rejectEvent } from "./lead-state.ts";
import { listActiveDependencies } from "./lead-view.ts";

/** Accepts a design, keeps what it does not reach, and voids designs that build on what changed in it. */
export function acceptDesign(
  draft: LeadDraft,
  record: FeatureRecord,
  facts: DesignFacts,
  at: string,
  how?: "edit",
): FeatureRecord {
  const { problems: _problems, components = [], ...content } = facts;
  const basis = listActiveDependencies(record).flatMap((name) => {
    const other = draft.feature(name);
    const hash = other && getOfferedHash(other);
    return hash === undefined ? [] : [[name, hash] as const];
  });
  const design: AcceptedDesign = { ...content, basis: Object.fromEntries(basis) };
  const accepted = clearLostRuns(applyAcceptedDesign(record, design, at, how), BLOCKED_COUNTER, PARTITION_COUNTER);
  const next = carryPlan(accepted, record, design, components);
  draft.keep(next);
  draft.acceptEdits(record.feature_name, "design", "research", "steering");
  const before = getOfferedHash(record);
  const offered = getOfferedHash(next);
  if (offered !== undefined && offered !== before) voidDependentDesigns(draft, record.feature_name, offered);
  return next;
}

/** Keeps the plan and the groups that the new design does not reach. A spec update starts over. */
function carryPlan(
  accepted: FeatureRecord,
  { design: before, fix }: FeatureRecord,
  design: AcceptedDesign,
  components: NonNullable<DesignFacts["components"]>,
): FeatureRecord {
  const { plan_text, tasks_hash, groups, ...implementation } = accepted.implementation;
  const isKnown = tasks_hash !== null && fix?.source !== "spec-update";
  const reach = isKnown ? measureDesignReach(before, design, groups, components) : undefined;
  if (!reach) {
    const unplanned = { ...implementation, tasks_hash: null, groups: [], hash: null, excluded: [] };
    return { ...accepted, implementation: unplanned };
  }
  const left = groups.map((group) =>
    reach.groups.includes(group.id) ? { ...group, status: "pending" as const } : group,
  );
  if (reach.isReplanned)
    return { ...accepted, implementation: { ...implementation, tasks_hash: null, groups: left, hash: null } };
  const plan = { tasks_hash, ...(plan_text === undefined ? {} : { plan_text }), groups: left, hash: null };
  const planned = updateOrchestration(
    { ...accepted, implementation: { ...implementation, ...plan } },
    { last_phase_action: "tasks-generated" },
  );
  if (reach.groups.length === 0) return planned;
  const detail = `The design changed in ${reach.parts.join(", ")}. Bring code and tests in line with it.`;
  return reopenTaskGroups(planned, { source: "revise", batch: null, detail, groups: [...reach.groups] });
}

/** What changed counts as accepted, with its review. Code still has to pass its gate. */
export function applyEditAccepted(draft: LeadDraft, event: EventOf<"edit-accepted">): EventOutcome {
  const { feature, reason, source, design, code } = event;
  const record = draft.feature(feature);
  if (!record?.design) return rejectEvent(`${feature} has no accepted design.`);
  if (design && design.problems.length > 0) return rejectEvent(...design.problems);
  const { problems: _problems, components: _components, ...content } = design ?? { problems: [] };
  const { design: reviewed, implementation: built } = record.reviews;
  const isHeld = hasCurrentPass(reviewed, record.design.hash);
  const isBuilt = hasCurrentPass(built, record.implementation.hash);
  draft.keep({
    ...record,
    design: { ...record.design, ...content },
    reviews: {
      design: reviewed && isHeld && design ? { ...reviewed, of: design.hash } : reviewed,
      implementation: built && isBuilt && code ? { ...built, of: code.hash } : built,
    },
  });
  if (design) draft.acceptEdits(feature, "design", "research", "steering");
  recordUserDecision(draft, {
    summary: `${feature}: an edit was accepted without a new review`,
    context: `${[...(design ? ["the design"] : []), ...(code ? ["the code"] : [])].join(" and ")} of ${feature} changed after review.`,
    decision: "The accepted review stays valid for the edited content.",
    said: reason,
    impact: feature,
    source,
  });
  return EVENT_APPLIED;
}
