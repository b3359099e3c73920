import { Fault } from "#domain/fault.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { crossCutting, revisePreview } from "#domain/roadmap/revise.ts";
import type { Engine } from "../../engine.ts";
import { chooseFeature } from "../../feature/choose.ts";
import { readLead } from "../shelf.ts";
import { answer, type Input, type Output } from "./answer.ts";
import { feedWhole } from "./whole.ts";

/**
 * The first call returns a preview with a token. The second call needs that token and fails if anything changed in
 * between.
 */
export async function revise(engine: Engine, input: Input): Promise<Output> {
  const before = await readLead(engine);
  const planned = revisionOf(engine, before, input);
  if (input.confirm === undefined) return proposed(before, planned, input);
  const { lead } = await feedWhole(engine, (_, now) => {
    const { token, tiers, intent } = revisionOf(engine, now, input);
    if (input.confirm !== token) throw changed(input);
    return { events: tiers.flat().map((feature): LeadEvent => ({ kind: "revised", feature, intent })) };
  });
  return answer(lead, {
    action: "revise",
    said: `${planned.tiers.flat().join(", ")} ${planned.tiers.flat().length === 1 ? "is" : "are"} revised: the design comes first.`,
    preview: [...planned.preview],
    notes: [
      ...(planned.preview.some(({ reach: how }) => how !== "revised") ? [FOLLOW_UP] : []),
      ...(planned.tiers.flat().length > 1 ? [TOGETHER] : []),
    ],
    next: [{ operation: "roadmap.next" }],
  });
}

const FOLLOW_UP =
  "What builds on it directly is reviewed again by the run, once this is accepted; without a run that is yours to do.";

const TOGETHER = "When all of them are built, have them reviewed together: an impl review with cross_check.";

interface Revision {
  readonly intent: string;
  /** The features to rebuild, in tiers. Each tier depends only on earlier ones. */
  readonly tiers: readonly (readonly FeatureName[])[];
  readonly preview: Output["preview"];
  readonly token: string;
}

function revisionOf({ digest }: Pick<Engine, "digest">, lead: Lead, { names = [], intent }: Input): Revision {
  if (names.length === 0 || intent === undefined) throw unsaid(names);
  const chosen = [...new Set(names)].map((name) => chooseFeature(lead, name).feature_name);
  for (const name of chosen) refuseUnfit(lead, name);
  const { tiers } = crossCutting(lead, chosen);
  const preview = [
    ...tiers.flatMap((tier, i) => tier.map((feature) => row(feature, i, tiers.length))),
    ...reach(lead, chosen),
  ];
  const token = digest(JSON.stringify([chosen, intent, preview])).slice(0, 16);
  return { intent, tiers, preview, token };
}

const row = (feature: FeatureName, tier: number, tiers: number): Output["preview"][number] => ({
  feature,
  reach: "revised",
  says:
    tiers > 1 ? `design, tasks and code are made anew, in turn ${tier + 1}` : "design, tasks and code are made anew",
});

function reach(lead: Lead, chosen: readonly FeatureName[]): Output["preview"] {
  const rows = chosen.flatMap((name) => revisePreview(lead, name).reached);
  const byName = Map.groupBy(
    rows.filter(({ feature }) => !chosen.includes(feature)),
    ({ feature }) => feature,
  );
  return [...byName.values()].flatMap((its) => {
    const first = its.find(({ reach: how }) => how === "direct") ?? its[0];
    return first ? [{ feature: first.feature, reach: first.reach, says: first.says }] : [];
  });
}

function proposed(lead: Lead, { preview, token, tiers, intent }: Revision, { names = [] }: Input): Output {
  const isMany = tiers.flat().length > 1;
  return answer(lead, {
    action: "revise",
    said: `${isMany ? `${tiers.flat().length} features` : tiers.flat().join("")} would be revised. Nothing is changed yet.`,
    preview,
    token,
    notes: [`Intent: ${sanitizeText(intent, 300)}`, "Let the user see whom it reaches, and agree."],
    next: [{ operation: "roadmap.manage", input: { action: "revise", names, intent, confirm: token } }],
  });
}

function refuseUnfit(lead: Lead, name: FeatureName): void {
  const { problems } = revisePreview(lead, name);
  if (problems.length === 0) return;
  throw new Fault("roadmap.refused", {
    what: `${name} cannot be revised now.`,
    why: problems.map(({ problem }) => problem).join(" "),
    fix: { operation: "workspace.status", input: { feature: name } },
  });
}

function changed({ names = [], intent = "…" }: Input): Fault {
  return new Fault("roadmap.void", {
    what: "Nothing was revised.",
    why: "What it would mean is not what was agreed to: the roadmap, the features or the intent are others by now.",
    fix: { operation: "roadmap.manage", input: { action: "revise", names, intent } },
  });
}

function unsaid(names: readonly string[]): Fault {
  return new Fault("input.missing", {
    what: "Nothing was revised.",
    why: "names has to name the features, and intent has to say what shall be otherwise.",
    fix: {
      operation: "roadmap.manage",
      input: { action: "revise", names: names.length > 0 ? names : ["user-login"], intent: "…" },
    },
  });
}
