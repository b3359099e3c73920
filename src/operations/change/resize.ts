import type * as z from "zod";
import type { Growth } from "#domain/change/classes.ts";
import { resizeChange } from "#domain/change/resize.ts";
import { count } from "#domain/count.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import { growthOf, measureGrowth } from "./growth.ts";
import type { ChangeResize, ChangeResized } from "./schema.ts";
import { chooseChange, occurrences, recordStep } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

export const resize = operation<z.infer<typeof ChangeResize>, z.infer<typeof ChangeResized>>({
  id: "change.resize",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeResize,
  output: async () => (await import("./schema.ts")).ChangeResized,
  async run(engine, { change_id, size, reason }) {
    const measured = await measureGrowth(engine, change_id, true);
    const { before, after, growth } = await commit(engine, (tree) => {
      const change = chooseChange(tree, change_id, "change.resize");
      const grown = growthOf(tree, change, measured);
      const [resized, effects] = resizeChange(change.record, size, reason.trim(), engine.clock.now(), grown);
      const data = { from: change.record.size, to: size, reason, ...grown };
      const kind = change.record.size === size ? "change.size-kept" : "change.resized";
      return {
        steps: [recordStep(resized)],
        occurrences: [{ kind, subject: resized.id, data }, ...occurrences(resized, effects)],
        result: { before: change.record, after: resized, growth: grown },
      };
    });
    return {
      change: viewChange(after),
      from: before.size,
      ...(growth ? { growth } : {}),
      next: await nextStage(engine, after),
    };
  },
  page({ change, from, growth, next }) {
    const page = changePage(titleOf(change.id, from, change.size, change.type, next.stage), change);
    return {
      ...page,
      facts: [...(page.facts ?? []), ["measured", measuredLine(growth)]],
      ...(from === change.size ? {} : { guide: next.guide }),
      next: nextCalls(change),
    };
  },
});

function titleOf(id: string, from: string, to: string, type: string, stage: string): string {
  if (from === to)
    return `${id} stays ${article(to)} ${type}; that is recorded, and not asked again before it doubles.`;
  return `${id} was ${article(from)} ${type} and is ${article(to)} one now; stage ${stage} is open.`;
}

const article = (size: string): string => `a ${size}`;

const measuredLine = (growth: Growth | undefined): string =>
  growth
    ? [count(growth.files, "file"), count(growth.lines, "line"), count(growth.requirements, "requirement")].join(", ")
    : "nothing: there is no commit to measure from";
