import type { PlanningEngine } from "../engine.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import {
  abandonChange,
  archiveChange,
  type ChangeTransition,
  reopenChange,
  requireChangeCapacity,
  resizeChange,
} from "../../model/change/change-lifecycle.ts";
import { formatCount, suggestCommitCommand } from "#kernel/model/text-format.ts";
import { Fault, ignoreFault } from "#kernel/model/fault.ts";
import { MERGE_DECISIONS, type MergeOutcome } from "../../model/living-spec/delta-vocabulary.ts";
import { getChangeFolder, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { foldJournalIntoLedger } from "../workflow/fold-journal.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createFlowOccurrences } from "../stage-end.ts";
import { loadArtifactForms, planArtifactTemplates } from "./artifact-templates.ts";
import { findUncarriedRequirements, isOwing } from "./carried-requirements.ts";
import { planDeltaMerge } from "./change-deltas.ts";
import { calculateChangeGrowth, countsRequirementsLater, measureChangeGrowth } from "./change-growth.ts";
import {
  chooseActiveChange,
  chooseChangeToReopen,
  chooseOnlyChange,
  countUnfinishedWorkflows,
  createChangeRecordStep,
  listActiveChanges,
  type StoredChange,
} from "./change-records.ts";
import { listEditedArtifacts } from "./change-inspection.ts";
import { createChangeView, formatChangePage, loadOpenChangeStage } from "./change-page.ts";

/** `more` adds data to the events of a kind. */
const planTransition = (
  [record, effects]: ChangeTransition,
  more?: Parameters<typeof createFlowOccurrences>[3],
): StorePlan<ChangeRecord> => ({
  steps: [createChangeRecordStep(record)],
  occurrences: createFlowOccurrences("change", record.id, effects, more),
  result: record,
});

export const reopenChangeOperation = defineOperation({
  id: "change.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeReopen,
  output: async () => (await import("./schema.ts")).ChangeReopened,
  async run(engine: PlanningEngine, { change_id, stage, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const { record: before } = chooseChangeToReopen(tree, change_id);
      const reopened = reopenChange(before, stage, reason.trim(), engine.clock.now());
      if (before.status !== "active") {
        const workflows = countUnfinishedWorkflows(tree);
        requireChangeCapacity(listActiveChanges(tree), `${before.id} cannot be reopened.`, workflows);
      }
      return planTransition(reopened, { "stage-opened": { reason } });
    });
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { change: createChangeView(record), stale, next: await loadOpenChangeStage(engine, record) };
  },
  page: ({ change, next }) =>
    formatChangePage(`Stage ${next.stage} of ${change.id} is open again.`, change, next.guide),
});

export const abandonChangeOperation = defineOperation({
  id: "change.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAbandon,
  output: async () => (await import("./schema.ts")).ChangeClosed,
  async run(engine: PlanningEngine, { change_id, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const { record: before } = chooseActiveChange(tree, change_id, "change.abandon");
      const abandoned = abandonChange(before, reason.trim(), engine.clock.now());
      return planTransition(abandoned, { "flow-abandoned": { reason } });
    });
    return { change: createChangeView(record) };
  },
  page: ({ change }) => formatChangePage(`${change.id} is abandoned. Its folder stays as it was.`, change),
});

export const resizeChangeOperation = defineOperation({
  id: "change.resize",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeResize,
  output: async () => (await import("./schema.ts")).ChangeResized,
  async run(engine: PlanningEngine, { change_id, size, reason }) {
    await foldJournalIntoLedger(engine);
    const measured = await measureChangeGrowth(engine, change_id, true);
    const forms = await loadArtifactForms(engine);
    const { record, from, growth } = await commitStoreWrite(engine, (tree) => {
      const change = chooseActiveChange(tree, change_id, "change.resize");
      const { id, size: before } = change.record;
      const grown = calculateChangeGrowth(tree, change, measured);
      const stored =
        grown && countsRequirementsLater(change.record) ? { files: grown.files, lines: grown.lines } : grown;
      const plan = planTransition(resizeChange(change.record, size, reason.trim(), engine.clock.now(), stored));
      const kind = before === size ? "change.size-kept" : "change.resized";
      const decided = { kind, subject: id, data: { from: before, to: size, reason, ...grown } };
      const result = { record: plan.result, from: before, growth: grown };
      const templates = planArtifactTemplates(tree, plan.result, forms);
      return { steps: [...templates, ...plan.steps], occurrences: [decided, ...plan.occurrences], result };
    });
    const next = await loadOpenChangeStage(engine, record);
    return { change: createChangeView(record), from, ...(growth ? { growth } : {}), next };
  },
  page({ change, from, growth, next }) {
    const { id, size, type } = change;
    const isKept = from === size;
    const title = isKept
      ? `${id} stays a ${size} ${type}; Tenon asks again only after it has doubled.`
      : `${id} was a ${from} ${type} and is now ${size}; stage ${next.stage} is open.`;
    const page = formatChangePage(title, change, isKept ? undefined : next.guide);
    const measured = growth
      ? `${formatCount(growth.files, "file")}, ${formatCount(growth.lines, "line")}, ${formatCount(growth.requirements, "requirement")}`
      : "nothing: there is no commit to measure from";
    return { ...page, facts: [...(page.facts ?? []), ["measured", measured]] };
  },
});

const DELTA_OUTCOME_WORDS: Readonly<Record<MergeOutcome, string>> = {
  applied: "applied",
  same: "already in the document",
  merged: "merged with changes of others",
  document: "the document's text was kept, as you decided",
  change: "the change's text was used, as you decided",
};

/** An abandoned change merges nothing, so its artifacts may be edited. */
function requireHeldArtifacts(engine: PlanningEngine, tree: StoreTree, change: StoredChange): void {
  const [edited] = change.record.status === "completed" ? listEditedArtifacts(engine, tree, change) : [];
  if (!edited) return;
  const { stage, path } = edited;
  throw new Fault("change.spec-edited", {
    what: `${change.record.id} cannot be archived.`,
    why: `${path} changed since it was accepted.`,
    fix: [
      { operation: "change.reopen", input: { change_id: change.record.id, stage, reason: "…" } },
      `Or undo the edit: git checkout -- ${path}`,
    ],
  });
}

/** Only a completed change merges anything. One that began before there was a gate owes nothing. */
async function findUncarriedOf(engine: PlanningEngine, name: string | undefined, decisions: readonly string[]) {
  const change = await engine.store.read((tree) => ignoreFault(() => chooseOnlyChange(tree, name, "archive")));
  if (!change || !isOwing(change.record)) return undefined;
  const isMerged = (id: string): boolean => !decisions.includes(`${id}=document`);
  const problems = await findUncarriedRequirements(engine, change, isMerged);
  return { rev: change.record.rev, problems };
}

export const archiveChangeOperation = defineOperation({
  id: "change.archive",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeArchive,
  output: async () => (await import("./schema.ts")).ChangeArchived,
  isLong: true,
  async run(engine: PlanningEngine, { change_id, decisions = [] }) {
    const uncarried = await findUncarriedOf(engine, change_id, decisions);
    const { record, merged, documents, conflicts, problems } = await commitStoreWrite(engine, (tree) => {
      const { shelf, record: before } = chooseOnlyChange(tree, change_id, "archive");
      const [from, to] = [getChangeFolder(CHANGES_FOLDER, before.id), getChangeFolder(HISTORY_FOLDER, before.id)];
      if (shelf === CHANGES_FOLDER && tree.has(to)) {
        throw new Fault("change.in-history", {
          what: `${before.id} cannot be archived.`,
          why: `${to} exists already: two branches may have had a change of that name.`,
          fix: `Rename one of them: git mv ${to} ${to}-1`,
        });
      }
      const [moved, effects] = archiveChange(before, engine.clock.now());
      requireHeldArtifacts(engine, tree, { shelf, record: before });
      const landing = planDeltaMerge(tree, before, decisions);
      const isCurrent = !isOwing(before) || uncarried?.rev === before.rev;
      const missing = isCurrent
        ? (uncarried?.problems ?? [])
        : [{ problem: "It changed meanwhile. Archive it again." }];
      const result = { ...landing, problems: missing, documents: landing.steps.map(({ path }) => path) };
      if (landing.conflicts.length + missing.length > 0) {
        const refused = missing.length > 0 ? { merged: [], documents: [] } : {};
        return { steps: [], occurrences: [], result: { ...result, ...refused, record: before } };
      }
      const landed = landing.merged.length > 0 ? { merged: landing.merged } : {};
      const data = landed.merged ? { merged: landed.merged, documents: result.documents } : {};
      const plan = planTransition([{ ...moved, ...landed }, effects], { "flow-archived": data });
      const steps = [...landing.steps, ...plan.steps, { kind: "move" as const, from, to }];
      return { ...plan, steps, result: { ...result, record: plan.result } };
    });
    return {
      passed: conflicts.length + problems.length === 0,
      problems: problems.map(({ problem }) => problem),
      change: createChangeView(record),
      merged: [...merged],
      documents,
      conflicts: conflicts.map((conflict) => ({ ...conflict, choices: [...conflict.choices] })),
    };
  },
  page({ passed, change, problems, merged, documents, conflicts }) {
    const reopen = (stage: string) => ({
      operation: "change.reopen",
      input: { change_id: change.id, stage, reason: "…" },
    });
    if (!passed && conflicts.length === 0)
      return {
        title: `${change.id} is not archived: ${formatCount(problems.length, "requirement")} without code and a test.`,
        points: problems,
        next: [{ operation: "change.archive", input: { change_id: change.id } }, reopen("verify")],
      };
    if (passed) {
      const page = formatChangePage(`${change.id} is archived in ${change.path}.`, change);
      const outcomes = [...Map.groupBy(merged, ({ how }) => how)].map(
        ([how, all]) => `${all.map(({ id }) => id).join(", ")}: ${DELTA_OUTCOME_WORDS[how]}.`,
      );
      const isDone = change.stages.every(({ status }) => status === "completed");
      return {
        ...page,
        points: [...(page.points ?? []), ...documents.map((path) => `${path} written.`), ...outcomes],
        next: [...(page.next ?? []), ...(isDone ? [suggestCommitCommand(change.id, change.description)] : [])],
      };
    }
    return {
      title: `${change.id} is not archived: ${formatCount(conflicts.length, "conflict")} with the project's requirements and rules.`,
      quotes: conflicts.flatMap(({ id, was, now, wants }) => [
        { label: `${id} when the change was written:`, text: was || "(nothing)" },
        { label: `${id} in the document now:`, text: now ?? "(nothing)" },
        { label: `${id} in the change:`, text: wants },
      ]),
      points: [
        ...conflicts.map(({ id, why }) => `${id}: ${why}`),
        "Ask the user which text to keep, for each of them.",
      ],
      next: [
        ...MERGE_DECISIONS.filter((word) => conflicts.every(({ choices }) => choices.includes(word))).map((word) => ({
          operation: "change.archive",
          input: { change_id: change.id, decisions: conflicts.map(({ id }) => `${id}=${word}`) },
        })),
        reopen(change.stages.some(({ name }) => name === "spec") ? "spec" : "tasks"),
      ],
    };
  },
  isRefusal: (output) => !output.passed,
});
