import { Fault } from "#kernel/model/fault.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import { createSteeringFiles, fillSteeringProfile } from "./create-steering.ts";
import { addSteeringTopic, removeSteering, updateSteering } from "./update-steering.ts";
import {
  type SteeringResult,
  type ManageSteeringInput,
  EMPTY_STEERING_RESULT,
  type ManageSteeringOutput,
  type ManageSteeringCall,
} from "./steering-plan.ts";
import { formatSteeringPage, createSteeringOutput } from "./steering-page.ts";

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
  Record<ManageSteeringInput["action"], (engine: RoadmapEngine, input: ManageSteeringInput) => Promise<SteeringResult>>
> = {
  create: createSteeringFiles,
  update: updateSteering,
  delete: removeSteering,
  custom: addSteeringTopic,
  profile: fillSteeringProfile,
  show: async () => EMPTY_STEERING_RESULT,
};

export const manageSteering = defineOperation<ManageSteeringCall, ManageSteeringOutput, RoadmapEngine>({
  id: "steering.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageSteeringInputSchema,
  output: async () => (await import("./schema.ts")).ManageSteeringOutputSchema,
  async run(engine: RoadmapEngine, { action = "show", ...said }) {
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
