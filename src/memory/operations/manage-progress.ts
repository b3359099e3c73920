import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import { DEFAULT_MEMORY_SESSION } from "../model/observation.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";
import type { MemoryEngine } from "./engine.ts";
import { openEnabledMemory, resolveMemoryProject, type MemoryTopic } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ProgressInputSchema, ProgressOutputSchema } from "./schema.ts";

type ManageProgressInput = z.infer<typeof ProgressInputSchema>;

const PROGRESS_TYPE = "progress";

export const manageProgress = defineOperation<ManageProgressInput, z.infer<typeof ProgressOutputSchema>, MemoryEngine>({
  id: "memory.progress",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ProgressInputSchema,
  output: async () => (await import("./schema.ts")).ProgressOutputSchema,
  async run(engine: MemoryEngine, input) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const topic = await createProgressTopic(
      engine,
      await cleaner.all({ project: input.project, namespace: input.namespace }),
    );
    const name = await memory.projectName(topic.project);
    const keyed = {
      ...topic,
      topic_key: [PROGRESS_TYPE, ...(topic.namespace ? [topic.namespace] : []), name].join("/"),
    };
    if (input.content === undefined) {
      const present = await memory.topic(keyed);
      if (!present) return { action: "none", project: name, revision: 0, notes: [] };
      const { revision, updated_at } = present;
      return {
        action: "read",
        project: name,
        progress: parseProgressJson(present.content),
        revision,
        updated_at,
        notes: [],
      };
    }
    // Cleans the texts inside the JSON, so that the result stays valid.
    const state = await cleaner.all(parseProgressJson(input.content));
    const [saved] = await memory.save(
      [
        {
          ...keyed,
          session: await cleaner.text(input.session_id ?? DEFAULT_MEMORY_SESSION),
          type: PROGRESS_TYPE,
          title: `Progress of ${name}`,
          content: rejectLongContent(JSON.stringify(state)),
        },
      ],
      engine.clock.now(),
    );
    return {
      action: saved?.action ?? "unchanged",
      project: name,
      progress: state,
      revision: saved?.observation.revision ?? 1,
      ...(saved ? { updated_at: saved.observation.updated_at } : {}),
      notes: cleaner.notes(),
    };
  },
  page({ action, project, progress: state, revision, updated_at, notes }) {
    if (action === "none") return { title: `No progress of ${project} is kept yet.` };
    const said = action === "read" ? `The progress of ${project}` : `The progress of ${project} is kept`;
    return {
      title: `${said}: revision ${revision}${updated_at ? ` of ${updated_at}` : ""}.`,
      quotes: [{ label: "progress", text: JSON.stringify(state, null, 2) }],
      points: notes,
    };
  },
});

async function createProgressTopic(
  engine: MemoryEngine,
  { project, namespace = "" }: Pick<ManageProgressInput, "project" | "namespace">,
): Promise<Omit<MemoryTopic, "topic_key">> {
  return { project: await resolveMemoryProject(engine, project), scope: "project", namespace };
}

function parseProgressJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new Fault("memory.not-json", {
      what: "The progress was not kept.",
      why: `It must be JSON, and ${error instanceof Error ? removeQuotedInput(error.message) : String(error)}.`,
      fix: { operation: "memory.progress", input: { content: '{"done":[],"next":[]}' } },
    });
  }
}

/** The parser message quotes its input, which may be private. */
const removeQuotedInput = (message: string): string =>
  message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/su, "");
