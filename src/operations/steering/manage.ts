import { Fault } from "#domain/fault.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { create } from "./create.ts";
import { custom } from "./custom.ts";
import { type Done, type Input, NOTHING, type Output, type Said } from "./done.ts";
import { pageOf } from "./page.ts";
import { profile } from "./profile.ts";
import { remove } from "./remove.ts";
import { update } from "./update.ts";
import { viewOf } from "./view.ts";

const TEXTS = ["purpose", "users", "capabilities", "vision", "success_criteria", "anti_goals"] as const;

const TAKES: Readonly<Record<Input["action"], readonly (keyof Input)[]>> = {
  create: [...TEXTS, "profile", "reason"],
  update: [...TEXTS, "name", "section", "text", "replace", "reason"],
  delete: ["name", "confirm", "reason"],
  custom: ["name", "text", "reason"],
  profile: ["profile", "reason"],
  show: [],
};

const ACT: Readonly<Record<Input["action"], (engine: Engine, input: Input) => Promise<Done>>> = {
  create,
  update,
  delete: remove,
  custom,
  profile,
  show: async () => NOTHING,
};

export const manage = defineOperation<Said, Output>({
  id: "steering.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).Manage,
  output: async () => (await import("./schema.ts")).Managed,
  async run(engine, { action = "show", ...said }) {
    const input = { ...said, action };
    refuseStrange(input);
    if (action !== "show") await foldJournalIntoLedger(engine);
    const cleaner = new TextCleaner(engine);
    const done = await ACT[action](engine, await cleaner.all(input));
    return viewOf(engine, action, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: pageOf,
});

/** A field that the action ignores would be lost silently. */
function refuseStrange(input: Input): void {
  const { action } = input;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const strange = given
    .map(([name]) => name as keyof Input)
    .filter((name) => name !== "action" && !TAKES[action].includes(name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${action} takes no ${strange.join(", ")}; it takes ${TAKES[action].join(", ") || "nothing"}.`,
    fix: { operation: "steering.manage", input: { action } },
  });
}
