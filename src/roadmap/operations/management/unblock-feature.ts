import { Fault } from "#kernel/model/fault.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { LeadEffect, LeadEvent } from "../../model/lead/lead-events.ts";
import type { RoadmapEngine } from "../engine.ts";
import { requireFeatureRecord } from "../feature/feature-access.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./manage-answer.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

type UnblockChoice = NonNullable<ManageRoadmapInput["how"]>;

export async function unblockFeature(
  engine: RoadmapEngine,
  { names = [], how, reason }: ManageRoadmapInput,
): Promise<ManageRoadmapOutput> {
  const [name, second] = names;
  if (name === undefined || second !== undefined || how === undefined) throw createMissingUnblockFault(name);
  const { before, lead } = await commitAllLeadEvents(engine, (_, now) => {
    const record = assertFailedFeature(requireFeatureRecord(now, name));
    return how === "abort" ? createAbortEvents(record, reason) : { events: [createUnblockEvent(record, how)] };
  });
  const freed = [...lead.features.values()].filter(
    ({ feature_name, phase }) => phase !== "blocked" && before.features.get(feature_name)?.phase === "blocked",
  );
  return createManageOutput(lead, {
    action: "unblock",
    said: `${name} ${UNBLOCK_RESULTS[how]}.`,
    preview: freed.map(({ feature_name, phase }) => ({ feature: feature_name, reach: "unblocked", says: phase })),
    next:
      how === "abort" ? [{ operation: "roadmap.manage", input: { action: "run" } }] : [{ operation: "roadmap.next" }],
  });
}

const UNBLOCK_RESULTS: Readonly<Record<UnblockChoice, string>> = {
  fix: "is taken up again, with its counters at 0",
  skip: "is let go: nobody waits for it any more",
  abort: "stays as it is, and the roadmap is stopped",
};

const createUnblockEvent = ({ feature_name: feature }: FeatureRecord, how: "fix" | "skip"): LeadEvent => ({
  kind: "unblocked",
  feature,
  how,
});

function createAbortEvents(
  { feature_name: name, blocked_info: info }: FeatureRecord,
  reason = "The user aborted.",
): { events: LeadEvent[]; effects: LeadEffect[] } {
  const effect: LeadEffect = {
    kind: "decision",
    type: "ESCALATION_RESOLVED",
    summary: `${name}: abort`,
    context: info?.detail ?? "",
    decision: "The roadmap is stopped; every feature stays as it is.",
    reason,
    impact: name,
    source: "user instruction",
  };
  return { events: [{ kind: "run-stopped", why: reason }], effects: [effect] };
}

/** The user decides only about a feature that failed itself. Its dependents follow. */
function assertFailedFeature(record: FeatureRecord): FeatureRecord {
  const { feature_name: name, blocked_info: info } = record;
  if (info?.reason === "retries_exhausted") return record;
  const [failed] = info?.blocked_by ?? [];
  throw new Fault("roadmap.not-blocked", {
    what: `${name} cannot be unblocked.`,
    why: failed === undefined ? "It is not blocked." : `It waits for ${info?.blocked_by.join(", ")}, which failed.`,
    fix:
      failed === undefined
        ? { operation: "workspace.status", input: { feature: name } }
        : { operation: "roadmap.manage", input: { action: "unblock", names: [failed], how: "…" } },
  });
}

function createMissingUnblockFault(name = "user-login"): Fault {
  return new Fault("input.missing", {
    what: "Nothing was unblocked.",
    why: "names has to name one feature, and how has to say fix, skip or abort.",
    fix: { operation: "roadmap.manage", input: { action: "unblock", names: [name], how: "…" } },
  });
}
