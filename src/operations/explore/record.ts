import type * as z from "zod";
import {
  EXPLORATION_CATEGORIES,
  mergeExplorationSections,
  parseExplorationSections,
  renderExplorationSections,
} from "#domain/explore/sections.ts";
import { suggestTypeAndSize } from "#domain/explore/suggestion.ts";
import { renderSavedExploration } from "#domain/explore/response.ts";
import { Fault } from "#domain/fault.ts";
import { DEFAULT_MEMORY_SESSION } from "#domain/memory/observation.ts";
import { suggestTopicKey } from "#domain/memory/topic-key.ts";
import { TextCleaner, rejectLongContent } from "../clean.ts";
import { openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { ExplorationInput, ExplorationOutput } from "./schema.ts";

const EXPLORATION_TYPE = "explore";

export const recordExplorationOperation = defineOperation<
  z.infer<typeof ExplorationInput>,
  z.infer<typeof ExplorationOutput>
>({
  id: "explore.record",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ExplorationInput,
  output: async () => (await import("./schema.ts")).ExplorationOutput,
  async run(engine, said) {
    if (EXPLORATION_CATEGORIES.every((category) => said[category] === undefined)) {
      throw new Fault("input.missing", {
        what: "Nothing was saved.",
        why: `At least one context field (${EXPLORATION_CATEGORIES.join(", ")}) is required.`,
        fix: { operation: "explore.record", input: { title: said.title, goals: "…" } },
      });
    }
    const memory = await openEnabledMemory(engine);
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
    const suggestion = suggestTypeAndSize([goals, constraints, context].join("\n"));
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
