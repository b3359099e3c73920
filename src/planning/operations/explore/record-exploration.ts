import type { PlanningEngine } from "../engine.ts";
import {
  EXPLORATION_CATEGORIES,
  mergeExplorationSections,
  parseExplorationSections,
  renderExplorationSections,
  renderSavedExploration,
} from "../../model/explore/exploration-notes.ts";
import { measureChangeOutlook } from "../change/change-outlook.ts";
import { suggestTypeAndSize } from "../../model/change/change-size.ts";
import { dismissFault, Fault } from "#kernel/model/fault.ts";
import { DEFAULT_MEMORY_SESSION } from "#memory/model/observation.ts";
import { suggestTopicKey } from "#memory/model/topic-key.ts";
import { TextCleaner, rejectLongContent } from "#memory/operations/text-cleaner.ts";
import { openEnabledMemory, resolveMemoryProject } from "#memory/operations/ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";

const EXPLORATION_TYPE = "explore";

export const recordExplorationOperation = defineOperation({
  id: "explore.record",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ExplorationInput,
  output: async () => (await import("./schema.ts")).ExplorationOutput,
  async run(engine: PlanningEngine, said) {
    if (EXPLORATION_CATEGORIES.every((category) => said[category] === undefined)) {
      throw new Fault("input.missing", {
        what: "Nothing was saved.",
        why: `At least one context field (${EXPLORATION_CATEGORIES.join(", ")}) is required.`,
        fix: { operation: "explore.record", input: { title: said.title, goals: "…" } },
      });
    }
    const memory = await openEnabledMemory(engine, said.scope);
    const cleaner = new TextCleaner(engine);
    const {
      title,
      project,
      scope = "project",
      session_id = DEFAULT_MEMORY_SESSION,
      ...sections
    } = await cleaner.all(said);
    const [saved] = await memory.save(
      [
        {
          project: await resolveMemoryProject(engine, project),
          scope,
          namespace: "",
          session: session_id,
          type: EXPLORATION_TYPE,
          title,
          topic_key: suggestTopicKey({ type: EXPLORATION_TYPE, title }),
          content: (present) =>
            rejectLongContent(
              renderExplorationSections(mergeExplorationSections(parseExplorationSections(present ?? ""), sections)),
            ),
        },
      ],
      engine.clock.now(),
    );
    if (!saved) throw new Error("A draft was given and nothing was saved.");
    const { id, content, revision, topic_key = "" } = saved.observation;
    const { goals = "", constraints = "", context = "" } = parseExplorationSections(content);
    const about = [goals, constraints, context].join("\n");
    // Outside a workspace there is nothing to measure.
    const measured = await measureChangeOutlook(engine, about).catch(dismissFault);
    const suggestion = suggestTypeAndSize(about, measured?.outlook);
    return {
      id,
      title,
      topic_key,
      action: saved.action,
      revision,
      content,
      ...(suggestion ? { suggestion } : {}),
      notes: cleaner.notes(),
    };
  },
  page: (output) => ({ title: "## Exploration Context Saved", guide: renderSavedExploration(output) }),
});
