import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { deriveFeatureName, isFeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import { getFeatureTasksPath } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { chooseImplMode } from "../../model/feature-progress.ts";
import { createFeatureRecord, type FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead, LeadEvent } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { loadLead } from "../lead/lead-store.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import { createFeatureStart, type FeatureStart } from "../management/roadmap-plan.ts";
import { checkFeaturePhase, createFeatureSummary, formatSummaryFacts, requireFeatureRecord } from "./feature-access.ts";
import type {
  DesignFeatureInputSchema,
  DesignFeatureOutputSchema,
  ImplementFeatureInputSchema,
  ImplementFeatureOutputSchema,
} from "./schema.ts";

type DesignFeatureInput = z.infer<typeof DesignFeatureInputSchema>;
type DesignMode = z.infer<typeof DesignFeatureOutputSchema>["mode"];
type ImplementFeatureOutput = z.infer<typeof ImplementFeatureOutputSchema>;

const DESIGN_TITLES: Readonly<Record<DesignMode, string>> = {
  new: "has started: its design is next",
  first: "will be designed",
  again: "will be redesigned",
};

export const designFeature = defineOperation({
  id: "feature.design",
  effect: "append",
  input: async () => (await import("./schema.ts")).DesignFeatureInputSchema,
  output: async () => (await import("./schema.ts")).DesignFeatureOutputSchema,
  async run(engine: RoadmapEngine, input) {
    const begin = await createFeatureStart(engine);
    const { lead, done } = await decideTwice(engine, (_, now) => decideFeatureDesign(now, input, begin));
    const { record, mode, question } = done;
    const now = lead.features.get(record.feature_name) ?? record;
    return {
      passed: question === undefined,
      feature: createFeatureSummary(now),
      mode,
      ...(question === undefined ? {} : { question }),
      notes: mode === "new" ? [`It is called ${now.feature_name}.`] : [],
      ...summarizePendingWork(lead),
    };
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

/** A decision without events is a question to the user: nothing is written. */
interface FeatureDecision {
  readonly record: FeatureRecord;
  readonly events: readonly LeadEvent[];
}

/** Decides without the lock whether anything is to be written, and decides again with it. */
async function decideTwice<D extends FeatureDecision>(
  engine: RoadmapEngine,
  decide: (tree: StoreTree, lead: Lead) => D,
): Promise<{ readonly lead: Lead; readonly done: D }> {
  await foldJournalIntoLedger(engine);
  const before = await engine.store.read((tree) => {
    const lead = loadLead(tree, engine);
    return { lead, done: decide(tree, lead) };
  });
  if (before.done.events.length === 0) return before;
  let { done } = before;
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    done = decide(tree, now);
    return { events: done.events };
  });
  return { lead, done };
}

/** An existing feature is designed, or designed again. Any other text starts a new feature. */
function decideFeatureDesign(
  lead: Lead,
  { feature: said, description, confirm }: DesignFeatureInput,
  begin: FeatureStart,
): FeatureDecision & { readonly mode: DesignMode; readonly question?: string } {
  const known = isFeatureName(said) ? lead.features.get(said) : undefined;
  if (!known && description === undefined && isFeatureName(said)) requireFeatureRecord(lead, said);
  const name = description === undefined ? deriveFeatureName(said) : parseFeatureName(said);
  const other = known ?? lead.features.get(name);
  if (other && (!known || (description !== undefined && !confirm)))
    throw new Fault("feature.exists", {
      what: "No feature was started.",
      why: `Feature ${other.feature_name} exists already: ${quote(other.description, 100)}.`,
      fix: [
        { operation: "feature.design", input: { feature: other.feature_name } },
        { operation: "feature.design", input: { feature: "another-name", description: "…" } },
      ],
    });
  const wanted = { kind: "wanted", feature: known?.feature_name ?? name, goal: "design" } as const;
  if (!known) {
    const record = createFeatureRecord(name, description ?? said, begin.language, begin.at);
    return { record, mode: "new", events: [{ kind: "feature-added", record }, wanted] };
  }
  const isAgain = known.phase !== "initialized";
  const mode = isAgain ? "again" : "first";
  const asked = checkFeaturePhase(known, "design");
  if (asked !== undefined && !confirm) return { record: known, mode, events: [], question: asked };
  const intent = description === undefined ? {} : { intent: description };
  return { record: known, mode, events: [isAgain ? { ...wanted, isRedesign: true, ...intent } : wanted] };
}

const IMPLEMENT_TITLES: Readonly<Record<ImplementFeatureOutput["mode"], string>> = {
  regenerate: "its tasks are planned, then built",
  resume: "what is left of it is built",
  "re-execute": "these tasks are done again",
  ask: "it is implemented",
};

export const implementFeature = defineOperation({
  id: "feature.impl",
  effect: "change",
  input: async () => (await import("./schema.ts")).ImplementFeatureInputSchema,
  output: async () => (await import("./schema.ts")).ImplementFeatureOutputSchema,
  async run(engine: RoadmapEngine, input) {
    const { lead, done } = await decideTwice(engine, (tree, now) => decideImplementation(tree, now, input));
    const { record, mode, tasks } = done;
    const now = lead.features.get(record.feature_name) ?? record;
    return {
      passed: mode !== "ask",
      feature: createFeatureSummary(now),
      mode,
      tasks,
      choices: mode === "ask" ? listImplementChoices(now) : [],
      ...summarizePendingWork(lead),
    };
  },
  page({ passed, feature, mode, tasks, choices, ...due }) {
    const facts = formatSummaryFacts(feature);
    if (!passed) {
      return {
        title: `${feature.name} is implemented. What do you want to do?`,
        facts,
        points: choices.map(({ choice, summary }) => `${choice}: ${summary}`),
        next: choices.flatMap(({ operation: id, input = {} }) => (id === undefined ? [] : [{ operation: id, input }])),
      };
    }
    const title = `${feature.name}: ${IMPLEMENT_TITLES[mode]}${tasks.length > 0 ? ` (${tasks.join(", ")})` : ""}.`;
    return { title, facts, points: formatPendingPoints(due), next: NEXT_ACTIONS_FIX };
  },
  isRefusal: ({ passed }) => !passed,
});

function decideImplementation(
  tree: StoreTree,
  lead: Lead,
  { feature: said, tasks: asked = [] }: z.infer<typeof ImplementFeatureInputSchema>,
): FeatureDecision & Pick<ImplementFeatureOutput, "mode" | "tasks"> {
  const record = requireFeatureRecord(lead, said);
  checkFeaturePhase(record, "impl");
  const feature = record.feature_name;
  const mode = chooseImplMode(record, tree.has(getFeatureTasksPath(feature)), asked);
  const isPlanned = mode === "regenerate";
  // Tasks that are planned again may have different ids.
  if (!isPlanned) rejectUnknownTasks(record, asked);
  const tasks = isPlanned ? [] : [...new Set(asked)];
  if (mode === "ask") return { record, mode, tasks, events: [] };
  const isReplanned = isPlanned && record.orchestration.last_phase_action !== null;
  const more = { ...(tasks.length > 0 ? { tasks } : {}), ...(isReplanned ? { isReplanned } : {}) };
  return { record, mode, tasks, events: [{ kind: "wanted", feature, goal: "implementation", ...more }] };
}

function rejectUnknownTasks({ feature_name: name, implementation }: FeatureRecord, tasks: readonly string[]): void {
  const known = implementation.groups.flatMap((group) => group.tasks);
  const unknown = tasks.find((task) => !known.includes(task));
  if (unknown === undefined) return;
  const near = findClosestWord(unknown, known) ?? known[0];
  throw new Fault("feature.unknown-task", {
    what: `${name} has no task ${quote(unknown, 40)}.`,
    why: `Its tasks are ${known.join(", ")}.`,
    fix: { operation: "feature.impl", input: { feature: name, tasks: near === undefined ? [] : [near] } },
  });
}

function listImplementChoices({ feature_name: feature, implementation }: FeatureRecord) {
  const [first = "1.1"] = implementation.groups.flatMap(({ tasks }) => tasks);
  const again = { operation: "feature.impl", input: { feature, tasks: [first] } };
  const redesign = { operation: "feature.design", input: { feature, confirm: true } };
  return [
    { choice: "A", summary: "do certain tasks again", ...again },
    { choice: "B", summary: "redesign it", ...redesign },
    { choice: "C", summary: "leave it as it is" },
  ];
}
