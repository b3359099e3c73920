import type * as z from "zod";
import { SESSION_SUMMARY } from "#domain/memory/observation.ts";
import { sanitizeText } from "#domain/quote.ts";
import { TextCleaner, rejectLongContent } from "../clean.ts";
import { type ObservationDraft, openEnabledMemory, resolveMemoryProject } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { SessionCall, SessionSaid } from "./schema.ts";
import { sessionLine, viewSession } from "./view.ts";

export const session = defineOperation<z.infer<typeof SessionCall>, z.infer<typeof SessionSaid>>({
  id: "memory.session",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).SessionCall,
  output: async () => (await import("./schema.ts")).SessionSaid,
  async run(engine, said) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const { action, id, directory, summary, project: named } = await cleaner.all(said);
    const project = await resolveMemoryProject(engine, named);
    const at = engine.clock.now();
    if (action === "start") {
      const { isNew, ...started } = await memory.startSession(project, { id, directory }, at);
      return { action: "started", session: viewSession(started), is_new: isNew, notes: cleaner.notes() };
    }
    const name = await memory.projectName(project);
    const draft: ObservationDraft | undefined =
      summary === undefined
        ? undefined
        : {
            project,
            session: id,
            type: SESSION_SUMMARY,
            title: `Session summary: ${sanitizeText(name, 100)}`,
            content: rejectLongContent(summary),
            scope: "project",
            namespace: "",
            // The exact name: "Build 1" and "build-1" are two sessions.
            topic_key: `session/${id}`,
          };
    const ended = await memory.endSession(project, id, draft, at);
    return { action: "ended", session: viewSession(ended), is_new: false, notes: cleaner.notes() };
  },
  page: ({ action, session: shown, is_new, notes }) => ({
    title: `The session ${action === "started" && !is_new ? "goes on" : `is ${action}`}.`,
    quotes: [{ label: `session ${sessionLine(shown)}`, text: "" }],
    points: notes,
  }),
});
