import type { PlanningEngine } from "../engine.ts";
import type { ChangeGrowth } from "../../model/change/change-record.ts";
import { resizeChange } from "../../model/change/change-lifecycle.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { calculateChangeGrowth, measureChangeGrowth } from "./change-growth.ts";
import { chooseActiveChange, createChangeOccurrences, createChangeRecordStep } from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./change-page.ts";

export const resizeChangeOperation = defineOperation({
  id: "change.resize",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeResize,
  output: async () => (await import("./schema.ts")).ChangeResized,
  async run(engine: PlanningEngine, { change_id, size, reason }) {
    const measured = await measureChangeGrowth(engine, change_id, true);
    const { before, after, growth } = await commitStoreWrite(engine, (tree) => {
      const change = chooseActiveChange(tree, change_id, "change.resize");
      const grown = calculateChangeGrowth(tree, change, measured);
      const [resized, effects] = resizeChange(change.record, size, reason.trim(), engine.clock.now(), grown);
      const data = { from: change.record.size, to: size, reason, ...grown };
      const kind = change.record.size === size ? "change.size-kept" : "change.resized";
      return {
        steps: [createChangeRecordStep(resized)],
        occurrences: [{ kind, subject: resized.id, data }, ...createChangeOccurrences(resized, effects)],
        result: { before: change.record, after: resized, growth: grown },
      };
    });
    return {
      change: createChangeView(after),
      from: before.size,
      ...(growth ? { growth } : {}),
      next: await loadOpenChangeStage(engine, after),
    };
  },
  page({ change, from, growth, next }) {
    const page = formatChangePage(formatResizeTitle(change.id, from, change.size, change.type, next.stage), change);
    return {
      ...page,
      facts: [...(page.facts ?? []), ["measured", formatMeasuredGrowth(growth)]],
      ...(from === change.size ? {} : { guide: next.guide }),
      next: listNextChangeCalls(change),
    };
  },
});

function formatResizeTitle(id: string, from: string, to: string, type: string, stage: string): string {
  if (from === to)
    return `${id} stays ${addSizeArticle(to)} ${type}; that is recorded, and not asked again before it doubles.`;
  return `${id} was ${addSizeArticle(from)} ${type} and is ${addSizeArticle(to)} one now; stage ${stage} is open.`;
}

const addSizeArticle = (size: string): string => `a ${size}`;

const formatMeasuredGrowth = (growth: ChangeGrowth | undefined): string =>
  growth
    ? [
        formatCount(growth.files, "file"),
        formatCount(growth.lines, "line"),
        formatCount(growth.requirements, "requirement"),
      ].join(", ")
    : "nothing: there is no commit to measure from";
