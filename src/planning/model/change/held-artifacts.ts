import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { outlineSpecItems } from "../living-spec/item-outline.ts";

/** The artifacts that later stages rest on. */
const HELD_STAGES: readonly ChangeStage[] = ["context-check", "spec", "clarify", "design", "tasks"];

export const isHeldStage = (stage: ChangeStage): boolean => HELD_STAGES.includes(stage);

/** Its words; a formatter may change the rest. Of a task only the first line, so that boxes and notes may change. */
export function extractHeldText(stage: ChangeStage, markdown: string): string {
  const held =
    stage === "tasks"
      ? outlineSpecItems(markdown, "tasks")
          .items.map(({ id, text }) => `${id} ${text.split("\n", 1)[0]}`)
          .join("\n")
      : markdown.replace(/\[[ xX]\]/g, " ");
  return held
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}<>=+%-]+/gu, " ")
    .trim();
}
