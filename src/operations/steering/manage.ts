import { Fault } from "#domain/fault.ts";
import { TextCleaner } from "../clean.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { foldJournalIntoLedger } from "../workflow/fold.ts";
import { createSteeringFiles } from "./create.ts";
import { addSteeringTopic } from "./custom.ts";
import {
  type SteeringResult,
  type ManageSteeringInput,
  EMPTY_STEERING_RESULT,
  type ManageSteeringOutput,
  type ManageSteeringCall,
} from "./done.ts";
import { formatSteeringPage } from "./page.ts";
import { fillSteeringProfile } from "./profile.ts";
import { removeSteering } from "./remove.ts";
import { updateSteering } from "./update.ts";
import { createSteeringOutput } from "./view.ts";

const PRODUCT_TEXT_FIELDS = ["purpose", "users", "capabilities", "vision", "success_criteria", "anti_goals"] as const;

const STEERING_ACTION_FIELDS: Readonly<Record<ManageSteeringInput["action"], readonly (keyof ManageSteeringInput)[]>> =
  {
    create: [...PRODUCT_TEXT_FIELDS, "profile", "reason"],
    update: [...PRODUCT_TEXT_FIELDS, "name", "section", "text", "replace", "reason"],
    delete: ["name", "confirm", "reason"],
    custom: ["name", "text", "reason"],
    profile: ["profile", "reason"],
    show: [],
  };

const STEERING_ACTIONS: Readonly<
  Record<ManageSteeringInput["action"], (engine: Engine, input: ManageSteeringInput) => Promise<SteeringResult>>
> = {
  create: createSteeringFiles,
  update: updateSteering,
  delete: removeSteering,
  custom: addSteeringTopic,
  profile: fillSteeringProfile,
  show: async () => EMPTY_STEERING_RESULT,
};

export const manageSteering = defineOperation<ManageSteeringCall, ManageSteeringOutput>({
  id: "steering.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageSteeringInputSchema,
  output: async () => (await import("./schema.ts")).ManageSteeringOutputSchema,
  async run(engine, { action = "show", ...said }) {
    const input = { ...said, action };
    rejectUnusedSteeringFields(input);
    if (action !== "show") await foldJournalIntoLedger(engine);
    const cleaner = new TextCleaner(engine);
    const done = await STEERING_ACTIONS[action](engine, await cleaner.all(input));
    return createSteeringOutput(engine, action, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: formatSteeringPage,
});

/** A field that the action ignores would be lost silently. */
function rejectUnusedSteeringFields(input: ManageSteeringInput): void {
  const { action } = input;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const strange = given
    .map(([name]) => name as keyof ManageSteeringInput)
    .filter((name) => name !== "action" && !STEERING_ACTION_FIELDS[action].includes(name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${action} takes no ${strange.join(", ")}; it takes ${STEERING_ACTION_FIELDS[action].join(", ") || "nothing"}.`,
    fix: { operation: "steering.manage", input: { action } },
  });
}
