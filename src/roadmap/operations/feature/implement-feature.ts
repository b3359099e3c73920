import type { RoadmapEngine } from "../engine.ts";
import type * as z from "zod";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { getFeatureTasksPath } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { commitAllLeadEvents } from "../lead/apply-events.ts";
import { formatPendingPoints, NEXT_ACTIONS_FIX } from "../management/manage-answer.ts";
import { loadLead } from "../lead/lead-store.ts";
import { summarizePendingWork } from "../lead/action-view.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { requireFeatureRecord, checkFeaturePhase, formatSummaryFacts, createFeatureSummary } from "./feature-access.ts";
import type { ImplementFeatureInputSchema, ImplementFeatureOutputSchema } from "./schema.ts";
import { type ImplMode, chooseImplMode } from "../../model/feature-progress.ts";

type ImplementFeatureInput = z.infer<typeof ImplementFeatureInputSchema>;
type ImplementFeatureOutput = z.infer<typeof ImplementFeatureOutputSchema>;

export const implementFeature = defineOperation<ImplementFeatureInput, ImplementFeatureOutput, RoadmapEngine>({
  id: "feature.impl",
  effect: "change",
  input: async () => (await import("./schema.ts")).ImplementFeatureInputSchema,
  output: async () => (await import("./schema.ts")).ImplementFeatureOutputSchema,
  async run(engine: RoadmapEngine, input) {
    await foldJournalIntoLedger(engine);
    const before = await engine.store.read((tree) => decideImplementation(tree, loadLead(tree, engine), input));
    if (before.mode === "ask") return createImplementOutput(before, before.lead);
    let done = before;
    const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
      done = decideImplementation(tree, now, input);
      const { feature_name: feature } = done.record;
      const more = {
        ...(done.tasks.length > 0 ? { tasks: done.tasks } : {}),
        ...(done.isReplanned ? { isReplanned: true } : {}),
      };
      return { events: done.mode === "ask" ? [] : [{ kind: "wanted", feature, goal: "implementation", ...more }] };
    });
    return createImplementOutput(done, lead);
  },
  page({ passed, feature, mode, tasks, choices, ...due }) {
    const facts = formatSummaryFacts(feature);
    if (!passed) {
      return {
        title: `${feature.name} is implemented. What shall be done?`,
        facts,
        points: choices.map(({ choice, says }) => `${choice}: ${says}`),
        next: choices.flatMap(({ operation: id, input = {} }) => (id === undefined ? [] : [{ operation: id, input }])),
      };
    }
    return {
      title: `${feature.name}: ${IMPLEMENT_TITLES[mode]}${tasks.length > 0 ? ` (${tasks.join(", ")})` : ""}.`,
      facts,
      points: formatPendingPoints(due),
      next: NEXT_ACTIONS_FIX,
    };
  },
  isRefusal: ({ passed }) => !passed,
});

const IMPLEMENT_TITLES: Readonly<Record<ImplMode, string>> = {
  regenerate: "its tasks are planned, then built",
  resume: "what is left of it is built",
  "re-execute": "these tasks are done again",
  ask: "it is implemented",
};

interface ImplementDecision {
  readonly lead: Lead;
  readonly record: FeatureRecord;
  readonly mode: ImplMode;
  readonly tasks: readonly string[];
  readonly isReplanned: boolean;
}

function decideImplementation(
  tree: StoreTree,
  lead: Lead,
  { feature, tasks = [] }: ImplementFeatureInput,
): ImplementDecision {
  const record = requireFeatureRecord(lead, feature);
  checkFeaturePhase(record, "impl");
  const mode = chooseImplMode(record, tree.has(getFeatureTasksPath(record.feature_name)), tasks);
  // Tasks that are planned again may have different ids.
  if (mode !== "regenerate") rejectUnknownTasks(record, tasks);
  const isReplanned = mode === "regenerate" && record.orchestration.last_phase_action !== null;
  return { lead, record, mode, tasks: mode === "regenerate" ? [] : [...new Set(tasks)], isReplanned };
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

function createImplementOutput({ record, mode, tasks }: ImplementDecision, lead: Lead): ImplementFeatureOutput {
  const now = lead.features.get(record.feature_name) ?? record;
  return {
    passed: mode !== "ask",
    feature: createFeatureSummary(now),
    mode,
    tasks: [...tasks],
    choices: mode === "ask" ? listImplementChoices(now) : [],
    ...summarizePendingWork(lead),
  };
}

function listImplementChoices({
  feature_name: feature,
  implementation,
}: FeatureRecord): ImplementFeatureOutput["choices"] {
  const [first = "1.1"] = implementation.groups.flatMap(({ tasks }) => tasks);
  return [
    {
      choice: "A",
      says: "do certain tasks again",
      operation: "feature.impl",
      input: { feature, tasks: [first] },
    },
    { choice: "B", says: "design it anew", operation: "feature.design", input: { feature, confirm: true } },
    { choice: "C", says: "leave it as it is" },
  ];
}
