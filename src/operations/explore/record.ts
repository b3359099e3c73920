import type * as z from "zod";
import { CATEGORIES, mergeSections, readSections, renderSections } from "#domain/explore/sections.ts";
import { suggestChange } from "#domain/explore/suggestion.ts";
import { renderExploration } from "#domain/explore/response.ts";
import { Fault } from "#domain/fault.ts";
import { DEFAULT_SESSION } from "#domain/memory/observation.ts";
import { suggestTopicKey } from "#domain/memory/topic-key.ts";
import { Cleaner, refuseLong } from "../clean.ts";
import { memoryOf, projectOf } from "../ports/memory.ts";
import { operation } from "../operation.ts";
import type { Exploration, Explored } from "./schema.ts";

const EXPLORE = "explore";

export const explore = operation<z.infer<typeof Exploration>, z.infer<typeof Explored>>({
  id: "explore.record",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Exploration,
  output: async () => (await import("./schema.ts")).Explored,
  async run(engine, said) {
    if (CATEGORIES.every((category) => said[category] === undefined)) {
      throw new Fault("input.missing", {
        what: "Nothing was saved.",
        why: `At least one context field (${CATEGORIES.join(", ")}) is required.`,
        fix: { operation: "explore.record", input: { title: said.title, goals: "…" } },
      });
    }
    const memory = await memoryOf(engine);
    const cleaner = new Cleaner(engine);
    const { title, project, scope = "project", session_id = DEFAULT_SESSION, ...sections } = await cleaner.all(said);
    const [saved] = await memory.save(
      [
        {
          project: await projectOf(engine, project),
          scope,
          namespace: "",
          session: session_id,
          type: EXPLORE,
          title,
          topic_key: suggestTopicKey({ type: EXPLORE, title }),
          content: (present) => refuseLong(renderSections(mergeSections(readSections(present ?? ""), sections))),
        },
      ],
      engine.clock.now(),
    );
    if (!saved) throw new Error("A draft was given and nothing was saved.");
    const { id, content, revision, topic_key = "" } = saved.observation;
    const { goals = "", constraints = "", context = "" } = readSections(content);
    const suggestion = suggestChange([goals, constraints, context].join("\n"));
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
  page: (output) => ({ title: "## Exploration Context Saved", guide: renderExploration(output) }),
});
