import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { archiveChange } from "../../model/change/change-lifecycle.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { suggestCommitCommand, formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { MERGE_DECISIONS, type MergeOutcome } from "../../model/living-spec/delta-vocabulary.ts";
import { getChangeFolder, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { createFlowOccurrences } from "../stage-end.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { type DeltaMergePlan, planDeltaMerge } from "./change-deltas.ts";
import type { ChangeArchived } from "./schema.ts";
import { chooseOnlyChange, listCompletedChanges, createChangeRecordStep } from "./change-records.ts";
import { formatChangePage, createChangeView } from "./change-page.ts";

export const archiveChangeOperation = defineOperation({
  id: "change.archive",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeArchive,
  output: async () => (await import("./schema.ts")).ChangeArchived,
  async run(engine: PlanningEngine, { change_id, decisions = [] }) {
    const { record, landing } = await commitStoreWrite(engine, (tree) =>
      planChangeArchive(tree, change_id, decisions, engine.clock),
    );
    return {
      passed: landing.conflicts.length === 0,
      change: createChangeView(record),
      merged: [...landing.merged],
      documents: landing.steps.map(({ path }) => path),
      conflicts: landing.conflicts.map((conflict) => ({ ...conflict, choices: [...conflict.choices] })),
    };
  },
  page: formatChangeArchivePage,
  isRefusal: (output) => !output.passed,
});

function planChangeArchive(
  tree: StoreTree,
  name: string | undefined,
  decisions: readonly string[],
  clock: EngineClock,
): StorePlan<{ record: ChangeRecord; landing: DeltaMergePlan }> {
  const { shelf, record: before } = chooseOnlyChange(tree, name, "archive", () => ({
    candidates: listCompletedChanges(tree),
    none: "No change is completed.",
  }));
  const [from, to] = [getChangeFolder(CHANGES_FOLDER, before.id), getChangeFolder(HISTORY_FOLDER, before.id)];
  if (shelf === CHANGES_FOLDER && tree.has(to)) {
    throw new Fault("change.in-history", {
      what: `${before.id} cannot be archived.`,
      why: `${to} is there already: two branches may have had a change of that name.`,
      fix: `Rename one of them: git mv ${to} ${to}-1`,
    });
  }
  const [moved, effects] = archiveChange(before, clock.now());
  const landing = planDeltaMerge(tree, before, decisions);
  if (landing.conflicts.length > 0) return { steps: [], occurrences: [], result: { record: before, landing } };
  const { merged } = landing;
  const record = merged.length > 0 ? { ...moved, merged } : moved;
  return {
    steps: [...landing.steps, createChangeRecordStep(record), { kind: "move", from, to }],
    occurrences: createFlowOccurrences("change", record.id, effects, {
      "flow-archived": merged.length > 0 ? { merged, documents: landing.steps.map(({ path }) => path) } : {},
    }),
    result: { record, landing },
  };
}

function formatChangeArchivePage({
  passed,
  change,
  merged,
  documents,
  conflicts,
}: z.infer<typeof ChangeArchived>): Page {
  if (passed) {
    const page = formatChangePage(`${change.id} is archived in ${change.path}.`, change);
    const told = [...Map.groupBy(merged, ({ how }) => how)].map(
      ([how, all]) => `${all.map(({ id }) => id).join(", ")}: ${DELTA_OUTCOME_WORDS[how]}.`,
    );
    const isDone = change.stages.every(({ status }) => status === "completed");
    return {
      ...page,
      points: [...(page.points ?? []), ...documents.map((path) => `${path} written.`), ...told],
      next: [...(page.next ?? []), ...(isDone ? [suggestCommitCommand(change.id, change.description)] : [])],
    };
  }
  return {
    title: `${change.id} is not archived: ${formatCount(conflicts.length, "conflict")} with the project's requirements and rules.`,
    quotes: conflicts.flatMap(({ id, was, now, wants }) => [
      { label: `${id} when the change was written:`, text: was || "(nothing)" },
      { label: `${id} in the document now:`, text: now ?? "(nothing)" },
      { label: `${id} as the change wants it:`, text: wants },
    ]),
    points: [...conflicts.map(({ id, why }) => `${id}: ${why}`), "Ask the user whose word holds, for each of them."],
    next: [
      ...MERGE_DECISIONS.filter((word) => conflicts.every(({ choices }) => choices.includes(word))).map((word) => ({
        operation: "change.archive",
        input: { change_id: change.id, decisions: conflicts.map(({ id }) => `${id}=${word}`) },
      })),
      { operation: "change.reopen", input: { change_id: change.id, stage: "spec", reason: "…" } },
    ],
  };
}

const DELTA_OUTCOME_WORDS: Readonly<Record<MergeOutcome, string>> = {
  applied: "applied",
  same: "as the document had it already",
  merged: "joined with what others changed meanwhile",
  document: "the document's text was kept, as decided",
  change: "the change's text was taken, as decided",
};
