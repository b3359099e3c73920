import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { isFeatureName, nameFrom, parseFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { beginFeature } from "#domain/feature/versions.ts";
import { quote } from "#domain/quote.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { defineOperation } from "../operation.ts";
import { commitAllLeadEvents } from "../roadmap/managing/whole.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../roadmap/managing/due.ts";
import { type FeatureStart, createFeatureStart } from "../roadmap/managing/planned.ts";
import { loadLead } from "../roadmap/shelf.ts";
import { summarizePendingWork } from "../roadmap/view.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { chooseFeature } from "./choose.ts";
import { passPhase } from "./gate.ts";
import type { Design, DesignBegun } from "./schema.ts";
import { standingFacts, standingOf } from "./view.ts";

type Input = z.infer<typeof Design>;
type Output = z.infer<typeof DesignBegun>;

export const design = defineOperation<Input, Output>({
  id: "feature.design",
  effect: "append",
  input: async () => (await import("./schema.ts")).Design,
  output: async () => (await import("./schema.ts")).DesignBegun,
  async run(engine, input) {
    await foldJournalIntoLedger(engine);
    const begin = await createFeatureStart(engine);
    const before = await engine.store.read((tree) => loadLead(tree, engine));
    const asked = decideDesign(before, input, begin);
    if (asked.question !== undefined) return shown(asked, before);
    let done = asked;
    const { lead } = await commitAllLeadEvents(engine, (_, now) => {
      done = decideDesign(now, input, begin);
      return { events: done.question === undefined ? done.events : [] };
    });
    return shown(done, lead);
  },
  page({ passed, feature, mode, question, notes, ...due }) {
    const facts = standingFacts(feature);
    if (!passed) {
      const again = { operation: "feature.design", input: { feature: feature.name, confirm: true } };
      return { title: question ?? "", facts, points: notes, next: [again] };
    }
    const points = [...notes, ...formatPendingPoints(due)];
    return { title: `${feature.name} ${TITLES[mode]}.`, facts, points, next: NEXT_ACTIONS_FIX };
  },
  isRefusal: ({ passed }) => !passed,
});

const TITLES: Readonly<Record<Output["mode"], string>> = {
  new: "has begun: its design is due",
  first: "is to be designed",
  again: "is to be designed anew",
};

interface Decided {
  readonly record: FeatureRecord;
  readonly mode: Output["mode"];
  readonly events: readonly LeadEvent[];
  readonly question?: string;
}

/** An existing feature is designed, or designed again. Any other text starts a new feature. */
function decideDesign(lead: Lead, input: Input, begin: FeatureStart): Decided {
  const known = isFeatureName(input.feature) ? lead.features.get(input.feature) : undefined;
  if (!known) return begun(lead, input, begin);
  if (input.description !== undefined) throw taken(known);
  const question = passPhase(known, "design");
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

function begun(lead: Lead, { feature: said, description }: Input, begin: FeatureStart): Decided {
  if (description === undefined && isFeatureName(said)) chooseFeature(lead, said);
  const name = description === undefined ? nameFrom(said) : parseFeatureName(said);
  const other = lead.features.get(name);
  if (other) throw taken(other);
  const record = beginFeature(name, description ?? said, begin.language, begin.at);
  return {
    record,
    mode: "new",
    events: [
      { kind: "feature-added", record },
      { kind: "wanted", feature: name, goal: "design" },
    ],
  };
}

function taken({ feature_name: name, description }: FeatureRecord): Fault {
  return new Fault("feature.exists", {
    what: "No feature was begun.",
    why: `There is a feature ${name} already: ${quote(description, 100)}.`,
    fix: [
      { operation: "feature.design", input: { feature: name } },
      { operation: "feature.design", input: { feature: "another-name", description: "…" } },
    ],
  });
}

function shown({ record, mode, question }: Decided, lead: Lead): Output {
  const now = lead.features.get(record.feature_name) ?? record;
  return {
    passed: question === undefined,
    feature: standingOf(now),
    mode,
    ...(question === undefined ? {} : { question }),
    notes: mode === "new" ? [`It is called ${now.feature_name}.`] : [],
    ...summarizePendingWork(lead),
  };
}
