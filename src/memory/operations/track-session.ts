import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_MEMORY_SESSION, SESSION_SUMMARY_TYPE } from "../model/observation.ts";
import { defineMemoryOperation } from "./engine.ts";
import { createSessionView, formatSessionSummary } from "./observation-view.ts";
import { openEnabledMemory, resolveMemoryProject } from "./ports/memory.ts";
import { rejectLongContent, TextCleaner } from "./text-cleaner.ts";

export const manageMemorySession = defineMemoryOperation({
  id: "memory.session",
  effect: "change",
  input: async () => (await import("./schema.ts")).MemorySessionInput,
  output: async () => (await import("./schema.ts")).MemorySessionOutput,
  async run(engine, said) {
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
    const draft = summary !== undefined && {
      project,
      session: id,
      type: SESSION_SUMMARY_TYPE,
      title: `Session summary: ${sanitizeText(name, 100)}`,
      content: rejectLongContent(summary),
      scope: "project" as const,
      namespace: "",
      // The exact name: "Build 1" and "build-1" are two sessions.
      topic_key: `session/${id}`,
    };
    const ended = await memory.endSession(project, id, draft || undefined, at);
    return { action: "ended", session: createSessionView(ended), is_new: false, notes: cleaner.notes() };
  },
  page: ({ action, session, is_new, notes }) => ({
    title: `The session ${action === "started" && !is_new ? "goes on" : `is ${action}`}.`,
    quotes: [{ label: `session ${formatSessionSummary(session)}`, text: "" }],
    points: notes,
  }),
});

const PROGRESS_TYPE = "progress";

export const manageProgress = defineMemoryOperation({
  id: "memory.progress",
  effect: "change",
  input: async () => (await import("./schema.ts")).ProgressInput,
  output: async () => (await import("./schema.ts")).ProgressOutput,
  async run(engine, { content, session_id, ...where }) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const { project: named, namespace = "" } = await cleaner.all(where);
    const project = await resolveMemoryProject(engine, named);
    const name = await memory.projectName(project);
    const topic_key = [PROGRESS_TYPE, ...(namespace ? [namespace] : []), name].join("/");
    const topic = { project, scope: "project" as const, namespace, topic_key };
    if (content === undefined) {
      const present = await memory.topic(topic);
      if (!present) return { action: "none", project: name, revision: 0, notes: [] };
      const { revision, updated_at } = present;
      const progress = parseProgressJson(present.content);
      return { action: "read", project: name, progress, revision, updated_at, notes: [] };
    }
    // Cleans the texts inside the JSON, so that the result stays valid.
    const progress = await cleaner.all(parseProgressJson(content));
    const draft = {
      ...topic,
      session: await cleaner.text(session_id ?? DEFAULT_MEMORY_SESSION),
      type: PROGRESS_TYPE,
      title: `Progress of ${name}`,
      content: rejectLongContent(JSON.stringify(progress)),
    };
    const [saved] = await memory.save([draft], engine.clock.now());
    return {
      action: saved?.action ?? "unchanged",
      project: name,
      progress,
      revision: saved?.observation.revision ?? 1,
      updated_at: saved?.observation.updated_at,
      notes: cleaner.notes(),
    };
  },
  page({ action, project, progress, revision, updated_at, notes }) {
    if (action === "none") return { title: `No progress of ${project} is saved yet.` };
    const subject = action === "read" ? `The progress of ${project}` : `The progress of ${project} is saved`;
    return {
      title: `${subject}: revision ${revision}${updated_at ? ` of ${updated_at}` : ""}.`,
      quotes: [{ label: "progress", text: JSON.stringify(progress, null, 2), isVerbatim: true }],
      points: notes,
    };
  },
});

function parseProgressJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    // The parser message quotes its input, which may be private.
    const said = error instanceof Error ? error.message : String(error);
    const problem = said.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/su, "");
    throw new Fault("memory.not-json", {
      what: "The progress was not saved.",
      why: `It must be JSON, and ${problem}.`,
      fix: { operation: "memory.progress", input: { content: '{"done":[],"next":[]}' } },
    });
  }
}
