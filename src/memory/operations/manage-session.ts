import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { SESSION_SUMMARY_TYPE } from "../model/observation.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";
import { type ObservationDraft, openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { MemorySessionInputSchema, MemorySessionOutputSchema } from "./schema.ts";
import { formatSessionSummary, createSessionView } from "./observation-view.ts";

export const manageMemorySession = defineOperation<
  z.infer<typeof MemorySessionInputSchema>,
  z.infer<typeof MemorySessionOutputSchema>,
  MemoryEngine
>({
  id: "memory.session",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).MemorySessionInputSchema,
  output: async () => (await import("./schema.ts")).MemorySessionOutputSchema,
  async run(engine: MemoryEngine, said) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const { action, id, directory, summary, project: named } = await cleaner.all(said);
    const project = await resolveMemoryProject(engine, named);
    const at = engine.clock.now();
    if (action === "start") {
      const { isNew, ...started } = await memory.startSession(project, { id, directory }, at);
      return { action: "started", session: createSessionView(started), is_new: isNew, notes: cleaner.notes() };
    }
    const name = await memory.projectName(project);
    const draft: ObservationDraft | undefined =
      summary === undefined
        ? undefined
        : {
            project,
            session: id,
            type: SESSION_SUMMARY_TYPE,
            title: `Session summary: ${sanitizeText(name, 100)}`,
            content: rejectLongContent(summary),
            scope: "project",
            namespace: "",
            // The exact name: "Build 1" and "build-1" are two sessions.
            topic_key: `session/${id}`,
          };
    const ended = await memory.endSession(project, id, draft, at);
    return { action: "ended", session: createSessionView(ended), is_new: false, notes: cleaner.notes() };
  },
  page: ({ action, session: shown, is_new, notes }) => ({
    title: `The session ${action === "started" && !is_new ? "goes on" : `is ${action}`}.`,
    quotes: [{ label: `session ${formatSessionSummary(shown)}`, text: "" }],
    points: notes,
  }),
});
