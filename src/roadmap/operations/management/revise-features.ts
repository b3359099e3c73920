import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { planCrossCuttingRevision, previewFeatureRevision } from "../../model/revision-impact.ts";
import type { RoadmapEngine } from "../engine.ts";
import { requireFeatureRecord } from "../feature/feature-access.ts";
import { readLead } from "../lead/lead-store.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./manage-answer.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

/**
 * The first call returns a preview with a token. The second call needs that token and fails if anything changed in
 * between.
 */
export async function reviseFeatures(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  const planned = planRevision(engine, before, input);
  if (input.confirm === undefined) return createRevisionProposal(before, planned, input);
  const { lead } = await commitAllLeadEvents(engine, (_, now) => {
    const { token, tiers, intent } = planRevision(engine, now, input);
    if (input.confirm !== token) throw createStalePreviewFault(input);
    return { events: tiers.flat().map((feature): LeadEvent => ({ kind: "revised", feature, intent })) };
  });
  return createManageOutput(lead, {
    action: "revise",
    said: `${planned.tiers.flat().join(", ")} ${planned.tiers.flat().length === 1 ? "is" : "are"} revised: the design comes first.`,
    preview: [...planned.preview],
    notes: [
      ...(planned.preview.some(({ reach: how }) => how !== "revised") ? [FOLLOW_UP_NOTE] : []),
      ...(planned.tiers.flat().length > 1 ? [JOINT_REVIEW_NOTE] : []),
    ],
    next: [{ operation: "roadmap.next" }],
  });
}

const FOLLOW_UP_NOTE =
  "What builds on it directly is reviewed again by the run, once this is accepted; without a run that is yours to do.";

const JOINT_REVIEW_NOTE = "When all of them are built, have them reviewed together: an impl review with cross_check.";

interface RevisionPlan {
  readonly intent: string;
  /** The features to rebuild, in tiers. Each tier depends only on earlier ones. */
  readonly tiers: readonly (readonly FeatureName[])[];
  readonly preview: ManageRoadmapOutput["preview"];
  readonly token: string;
}

function planRevision(
  { digest }: Pick<RoadmapEngine, "digest">,
  lead: Lead,
  { names = [], intent }: ManageRoadmapInput,
): RevisionPlan {
  if (names.length === 0 || intent === undefined) throw createMissingRevisionFault(names);
  const chosen = [...new Set(names)].map((name) => requireFeatureRecord(lead, name).feature_name);
  for (const name of chosen) assertRevisable(lead, name);
  const { tiers } = planCrossCuttingRevision(lead, chosen);
  const preview = [
    ...tiers.flatMap((tier, i) => tier.map((feature) => createRevisedRow(feature, i, tiers.length))),
    ...listReachedRows(lead, chosen),
  ];
  const token = digest(JSON.stringify([chosen, intent, preview])).slice(0, 16);
  return { intent, tiers, preview, token };
}

const createRevisedRow = (
  feature: FeatureName,
  tier: number,
  tiers: number,
): ManageRoadmapOutput["preview"][number] => ({
  feature,
  reach: "revised",
  says:
    tiers > 1 ? `design, tasks and code are made anew, in turn ${tier + 1}` : "design, tasks and code are made anew",
});

function listReachedRows(lead: Lead, chosen: readonly FeatureName[]): ManageRoadmapOutput["preview"] {
  const rows = chosen.flatMap((name) => previewFeatureRevision(lead, name).reached);
  const byName = Map.groupBy(
    rows.filter(({ feature }) => !chosen.includes(feature)),
    ({ feature }) => feature,
  );
  return [...byName.values()].flatMap((its) => {
    const first = its.find(({ reach: how }) => how === "direct") ?? its[0];
    return first ? [{ feature: first.feature, reach: first.reach, says: first.says }] : [];
  });
}

function createRevisionProposal(
  lead: Lead,
  { preview, token, tiers, intent }: RevisionPlan,
  { names = [] }: ManageRoadmapInput,
): ManageRoadmapOutput {
  const isMany = tiers.flat().length > 1;
  return createManageOutput(lead, {
    action: "revise",
    said: `${isMany ? `${tiers.flat().length} features` : tiers.flat().join("")} would be revised. Nothing is changed yet.`,
    preview,
    token,
    notes: [`Intent: ${sanitizeText(intent, 300)}`, "Let the user see whom it reaches, and agree."],
    next: [{ operation: "roadmap.manage", input: { action: "revise", names, intent, confirm: token } }],
  });
}

function assertRevisable(lead: Lead, name: FeatureName): void {
  const { problems } = previewFeatureRevision(lead, name);
  if (problems.length === 0) return;
  throw new Fault("roadmap.refused", {
    what: `${name} cannot be revised now.`,
    why: problems.map(({ problem }) => problem).join(" "),
    fix: { operation: "workspace.status", input: { feature: name } },
  });
}

function createStalePreviewFault({ names = [], intent = "…" }: ManageRoadmapInput): Fault {
  return new Fault("roadmap.void", {
    what: "Nothing was revised.",
    why: "What it would mean is not what was agreed to: the roadmap, the features or the intent are others by now.",
    fix: { operation: "roadmap.manage", input: { action: "revise", names, intent } },
  });
}

function createMissingRevisionFault(names: readonly string[]): Fault {
  return new Fault("input.missing", {
    what: "Nothing was revised.",
    why: "names has to name the features, and intent has to say what shall be otherwise.",
    fix: {
      operation: "roadmap.manage",
      input: { action: "revise", names: names.length > 0 ? names : ["user-login"], intent: "…" },
    },
  });
}
