import { Fault } from "#domain/fault.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { add } from "./acting/add.ts";
import { review } from "./acting/review.ts";
import { show } from "./acting/show.ts";
import { skills } from "./acting/skills.ts";
import { type Done, type Input, NOTHING, type Output, type Said } from "./done.ts";
import { pageOf } from "./page.ts";
import { viewOf } from "./view.ts";

const TAKES: Readonly<Record<Input["action"], readonly (keyof Input)[]>> = {
  list: ["type", "category"],
  show: ["name"],
  add: ["name", "type", "category", "text", "why", "phases"],
  review: ["name", "answer", "type", "category", "text", "phases"],
  skills: ["name", "answer", "why"],
};

const ACT: Readonly<Record<Input["action"], (engine: Engine, input: Input) => Promise<Done>>> = {
  list: async () => NOTHING,
  show,
  add,
  review,
  skills,
};

export const manage = defineOperation<Said, Output>({
  id: "knowledge.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).Manage,
  mayBePlain: true,
  output: async () => (await import("./schema.ts")).Managed,
  async run(engine, { action = "list", ...said }) {
    const input = { ...said, action };
    refuseStrange(input);
    const cleaner = new TextCleaner(engine);
    const done = await ACT[action](engine, await cleaner.all(input));
    return viewOf(engine, input, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: pageOf,
});

/** A field that the action ignores would be lost silently. */
function refuseStrange(input: Input): void {
  const { action } = input;
  const given = Object.entries(input).filter(([name, value]) => name !== "action" && value !== undefined);
  const strange = given.map(([name]) => name).filter((name) => !TAKES[action].some((each) => each === name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${action} takes no ${strange.join(", ")}; it takes ${TAKES[action].join(", ")}.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
