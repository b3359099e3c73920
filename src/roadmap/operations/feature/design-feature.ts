import type { RoadmapEngine } from "../engine.ts";
import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { isFeatureName, deriveFeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { type FeatureRecord, createFeatureRecord } from "../../model/feature/feature-record.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { commitAllLeadEvents } from "../lead/apply-events.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import { type FeatureStart, createFeatureStart } from "../management/requested-features.ts";
import { loadLead } from "../lead/lead-store.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { requireFeatureRecord, checkFeaturePhase, formatSummaryFacts, createFeatureSummary } from "./feature-access.ts";
import type { DesignFeatureInputSchema, DesignFeatureOutputSchema } from "./schema.ts";

type DesignFeatureInput = z.infer<typeof DesignFeatureInputSchema>;
type DesignFeatureOutput = z.infer<typeof DesignFeatureOutputSchema>;

export const designFeature = defineOperation<DesignFeatureInput, DesignFeatureOutput, RoadmapEngine>({
  id: "feature.design",
  effect: "append",
  input: async () => (await import("./schema.ts")).DesignFeatureInputSchema,
  output: async () => (await import("./schema.ts")).DesignFeatureOutputSchema,
  async run(engine: RoadmapEngine, input) {
    await foldJournalIntoLedger(engine);
    const begin = await createFeatureStart(engine);
    const before = await engine.store.read((tree) => loadLead(tree, engine));
    const asked = decideFeatureDesign(before, input, begin);
    if (asked.question !== undefined) return createDesignOutput(asked, before);
    let done = asked;
    const { lead } = await commitAllLeadEvents(engine, (_, now) => {
      done = decideFeatureDesign(now, input, begin);
      return { events: done.question === undefined ? done.events : [] };
    });
    return createDesignOutput(done, lead);
  },
  page({ passed, feature, mode, question, notes, ...due }) {
    const facts = formatSummaryFacts(feature);
    if (!passed) {
      const again = { operation: "feature.design", input: { feature: feature.name, confirm: true } };
      return { title: question ?? "", facts, points: notes, next: [again] };
    }
    const points = [...notes, ...formatPendingPoints(due)];
    return { title: `${feature.name} ${DESIGN_TITLES[mode]}.`, facts, points, next: NEXT_ACTIONS_FIX };
  },
  isRefusal: ({ passed }) => !passed,
});

const DESIGN_TITLES: Readonly<Record<DesignFeatureOutput["mode"], string>> = {
  new: "has begun: its design is due",
  first: "is to be designed",
  again: "is to be designed anew",
};

interface DesignDecision {
  readonly record: FeatureRecord;
  readonly mode: DesignFeatureOutput["mode"];
  readonly events: readonly LeadEvent[];
  readonly question?: string;
}

/** An existing feature is designed, or designed again. Any other text starts a new feature. */
function decideFeatureDesign(lead: Lead, input: DesignFeatureInput, begin: FeatureStart): DesignDecision {
  const known = isFeatureName(input.feature) ? lead.features.get(input.feature) : undefined;
  if (!known) return decideNewFeature(lead, input, begin);
  if (input.description !== undefined) throw createFeatureExistsFault(known);
  const question = checkFeaturePhase(known, "design");
  const feature = known.feature_name;
  const isAgain = known.phase !== "initialized";
  const wanted = { kind: "wanted", feature, goal: "design", ...(isAgain ? { isRedesign: true } : {}) } as const;
  return {
    record: known,
    mode: isAgain ? "again" : "first",
    events: [wanted],
    ...(question === undefined || input.confirm ? {} : { question }),
  };
}

function decideNewFeature(
  lead: Lead,
  { feature: said, description }: DesignFeatureInput,
  begin: FeatureStart,
): DesignDecision {
  if (description === undefined && isFeatureName(said)) requireFeatureRecord(lead, said);
  const name = description === undefined ? deriveFeatureName(said) : parseFeatureName(said);
  const other = lead.features.get(name);
  if (other) throw createFeatureExistsFault(other);
  const record = createFeatureRecord(name, description ?? said, begin.language, begin.at);
  return {
    record,
    mode: "new",
    events: [
      { kind: "feature-added", record },
      { kind: "wanted", feature: name, goal: "design" },
    ],
  };
}

function createFeatureExistsFault({ feature_name: name, description }: FeatureRecord): Fault {
  return new Fault("feature.exists", {
    what: "No feature was begun.",
    why: `There is a feature ${name} already: ${quote(description, 100)}.`,
    fix: [
      { operation: "feature.design", input: { feature: name } },
      { operation: "feature.design", input: { feature: "another-name", description: "…" } },
    ],
  });
}

function createDesignOutput({ record, mode, question }: DesignDecision, lead: Lead): DesignFeatureOutput {
  const now = lead.features.get(record.feature_name) ?? record;
  return {
    passed: question === undefined,
    feature: createFeatureSummary(now),
    mode,
    ...(question === undefined ? {} : { question }),
    notes: mode === "new" ? [`It is called ${now.feature_name}.`] : [],
    ...summarizePendingWork(lead),
  };
}
