import type { PlanningEngine } from "../engine.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import {
  abandonChange,
  reopenChange,
  requireChangeCapacity,
  resizeChange,
} from "../../model/change/change-lifecycle.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { StoreOccurrence, StorePlan } from "#store/operations/ports/store.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createFlowOccurrences } from "../stage-end.ts";
import { calculateChangeGrowth, measureChangeGrowth } from "./change-growth.ts";
import {
  chooseActiveChange,
  countUnfinishedWorkflows,
  createChangeRecordStep,
  listActiveChanges,
} from "./change-records.ts";
import { createChangeView, formatChangePage, loadOpenChangeStage } from "./change-page.ts";

const planRecordWrite = (record: ChangeRecord, occurrences: readonly StoreOccurrence[]): StorePlan<ChangeRecord> => ({
  steps: [createChangeRecordStep(record)],
  occurrences,
  result: record,
});

export const reopenChangeOperation = defineOperation({
  id: "change.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeReopen,
  output: async () => (await import("./schema.ts")).ChangeReopened,
  async run(engine: PlanningEngine, { change_id, stage, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const { record: before } = chooseActiveChange(tree, change_id, "change.reopen");
      const [reopened, effects] = reopenChange(before, stage, reason.trim(), engine.clock.now());
      if (before.status !== "active") {
        const workflows = countUnfinishedWorkflows(tree);
        requireChangeCapacity(listActiveChanges(tree), `${before.id} cannot be reopened.`, { workflows });
      }
      return planRecordWrite(
        reopened,
        createFlowOccurrences("change", reopened.id, effects, { "stage-opened": { reason } }),
      );
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
      const [abandoned, effects] = abandonChange(before, reason.trim(), engine.clock.now());
      return planRecordWrite(
        abandoned,
        createFlowOccurrences("change", abandoned.id, effects, { "flow-abandoned": { reason } }),
      );
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
    const measured = await measureChangeGrowth(engine, change_id, true);
    const { record, from, growth } = await commitStoreWrite(engine, (tree) => {
      const change = chooseActiveChange(tree, change_id, "change.resize");
      const { id, size: before } = change.record;
      const grown = calculateChangeGrowth(tree, change, measured);
      const [resized, effects] = resizeChange(change.record, size, reason.trim(), engine.clock.now(), grown);
      const kind = before === size ? "change.size-kept" : "change.resized";
      const decided = { kind, subject: id, data: { from: before, to: size, reason, ...grown } };
      const plan = planRecordWrite(resized, [decided, ...createFlowOccurrences("change", id, effects)]);
      return { ...plan, result: { record: resized, from: before, growth: grown } };
    });
    const next = await loadOpenChangeStage(engine, record);
    return { change: createChangeView(record), from, ...(growth ? { growth } : {}), next };
  },
  page({ change, from, growth, next }) {
    const { id, size, type } = change;
    const isKept = from === size;
    const title = isKept
      ? `${id} stays a ${size} ${type}; that is recorded, and not asked again before it doubles.`
      : `${id} was a ${from} ${type} and is a ${size} one now; stage ${next.stage} is open.`;
    const page = formatChangePage(title, change, isKept ? undefined : next.guide);
    const measured = growth
      ? `${formatCount(growth.files, "file")}, ${formatCount(growth.lines, "line")}, ${formatCount(growth.requirements, "requirement")}`
      : "nothing: there is no commit to measure from";
    return { ...page, facts: [...(page.facts ?? []), ["measured", measured]] };
  },
});
