import { Fault } from "#kernel/model/fault.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import type { RoadmapEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { addKnowledge, reviewPendingLesson, showKnowledge, reviewSkillCandidate } from "./knowledge-actions.ts";
import {
  type KnowledgeResult,
  type ManageKnowledgeInput,
  EMPTY_KNOWLEDGE_RESULT,
  type ManageKnowledgeOutput,
  type ManageKnowledgeCall,
  formatKnowledgePage,
  createKnowledgeOutput,
} from "./knowledge-answer.ts";

const KNOWLEDGE_ACTION_FIELDS: Readonly<
  Record<ManageKnowledgeInput["action"], readonly (keyof ManageKnowledgeInput)[]>
> = {
  list: ["type", "category"],
  show: ["name"],
  add: ["name", "type", "category", "text", "why", "phases"],
  review: ["name", "answer", "type", "category", "text", "phases"],
  skills: ["name", "answer", "why"],
};

const KNOWLEDGE_ACTIONS: Readonly<
  Record<
    ManageKnowledgeInput["action"],
    (engine: RoadmapEngine, input: ManageKnowledgeInput) => Promise<KnowledgeResult>
  >
> = {
  list: async () => EMPTY_KNOWLEDGE_RESULT,
  show: showKnowledge,
  add: addKnowledge,
  review: reviewPendingLesson,
  skills: reviewSkillCandidate,
};

export const manageKnowledge = defineOperation<ManageKnowledgeCall, ManageKnowledgeOutput, RoadmapEngine>({
  id: "knowledge.manage",
  effect: "change",
  input: async () => (await import("./schema.ts")).ManageKnowledgeInputSchema,
  mayBePlain: true,
  output: async () => (await import("./schema.ts")).ManageKnowledgeOutputSchema,
  async run(engine: RoadmapEngine, { action = "list", ...said }) {
    const input = { ...said, action };
    rejectUnusedKnowledgeFields(input);
    const cleaner = new TextCleaner(engine);
    const done = await KNOWLEDGE_ACTIONS[action](engine, await cleaner.all(input));
    return createKnowledgeOutput(engine, input, { ...done, notes: [...done.notes, ...cleaner.notes()] });
  },
  page: formatKnowledgePage,
});

/** A field that the action ignores would be lost silently. */
function rejectUnusedKnowledgeFields(input: ManageKnowledgeInput): void {
  const { action } = input;
  const given = Object.entries(input).filter(([name, value]) => name !== "action" && value !== undefined);
  const strange = given
    .map(([name]) => name)
    .filter((name) => !KNOWLEDGE_ACTION_FIELDS[action].some((each) => each === name));
  if (strange.length === 0) return;
  throw new Fault("input.invalid", {
    what: "Nothing was done.",
    why: `${action} takes no ${strange.join(", ")}; it takes ${KNOWLEDGE_ACTION_FIELDS[action].join(", ")}.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
