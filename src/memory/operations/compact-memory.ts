import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { subtractDays } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import { COMPACTION_SUMMARY_TYPE, DEFAULT_MEMORY_SESSION, MAX_COMPACTED } from "../model/observation.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";
import type { MemoryEngine } from "./engine.ts";
import {
  type ObservationDraft,
  openEnabledMemory,
  resolveMemoryProject,
  resolveMemoryProjects,
} from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CompactMemoryInputSchema, CompactMemoryOutputSchema } from "./schema.ts";
import { quoteObservation, createObservationView } from "./observation-view.ts";

type CompactMemoryInput = z.infer<typeof CompactMemoryInputSchema>;

export const compactMemory = defineOperation<
  CompactMemoryInput,
  z.infer<typeof CompactMemoryOutputSchema>,
  MemoryEngine
>({
  id: "memory.compact",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).CompactMemoryInputSchema,
  output: async () => (await import("./schema.ts")).CompactMemoryOutputSchema,
  async run(engine: MemoryEngine, said) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    const input = await cleaner.all(said);
    const at = engine.clock.now();
    const before = subtractDays(at, input.older_than_days);
    const project = await resolveMemoryProjects(engine, input.project);
    const filter = { project, scope: input.scope, namespace: input.namespace };
    const ids = [...new Set(input.compact_ids)];
    const draft = await createCompactionSummary(engine, input, ids);
    if (ids.length === 0) {
      const { observations, total } = await memory.stale(filter, before, MAX_COMPACTED);
      const stale = observations.map((each) => createObservationView(each, "summary"));
      return { action: "listed", before, stale, total, count: 0, notes: cleaner.notes() };
    }
    const summary = await memory.compact(ids, { filter, before }, draft, at);
    return {
      action: "compacted",
      before,
      stale: [],
      total: ids.length,
      count: ids.length,
      ...(summary ? { summary: createObservationView(summary, "standard") } : {}),
      notes: cleaner.notes(),
    };
  },
  page({ action, before, stale, total, count: n, summary, notes }) {
    if (action === "compacted") {
      const quotes = summary ? [quoteObservation(summary)] : [];
      return { title: `${formatCount(n, "observation")} put away.`, quotes, points: notes };
    }
    const rows = stale.map((each) => [`#${each.id}`, each.updated_at.slice(0, 10), each.type, each.title]);
    return {
      title: `${formatCount(total, "observation")} not changed since ${before.slice(0, 10)}.`,
      ...(rows.length > 0 ? { table: { columns: ["id", "changed", "type", "title"], rows } } : {}),
      points: [...(total > stale.length ? [`The oldest ${stale.length} are shown.`] : []), ...notes],
      next:
        stale.length > 0
          ? [
              {
                operation: "memory.compact",
                input: { older_than_days: "…", compact_ids: "…", summary_title: "…", summary_content: "…" },
              },
            ]
          : [],
    };
  },
});

async function createCompactionSummary(
  engine: MemoryEngine,
  input: CompactMemoryInput,
  ids: readonly number[],
): Promise<ObservationDraft | undefined> {
  const { summary_title: title, summary_content: content } = input;
  if ((title === undefined) !== (content === undefined))
    throw createCompactInputFault("A summary has a title and a content.");
  if (title === undefined || content === undefined) return undefined;
  if (ids.length === 0)
    throw createCompactInputFault("A summary stands for what compact_ids names, and it names nothing.");
  return {
    project: await resolveMemoryProject(engine, input.project === "*" ? undefined : input.project),
    session: input.session_id ?? DEFAULT_MEMORY_SESSION,
    type: COMPACTION_SUMMARY_TYPE,
    title,
    content: rejectLongContent(content),
    scope: input.scope ?? "project",
    namespace: input.namespace ?? "",
  };
}

function createCompactInputFault(why: string): Fault {
  return new Fault("input.missing", {
    what: "Nothing was compacted.",
    why,
    fix: { operation: "memory.compact", input: { older_than_days: 90 } },
  });
}
