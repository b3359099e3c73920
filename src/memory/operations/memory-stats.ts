import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { MemoryStatsOutputSchema } from "./schema.ts";

type MemoryStatsOutput = z.infer<typeof MemoryStatsOutputSchema>;

export const showMemoryStats = defineOperation<Record<never, never>, MemoryStatsOutput, MemoryEngine>({
  id: "memory.stats",
  effect: "read",
  isUsers: true,
  output: async () => (await import("./schema.ts")).MemoryStatsOutputSchema,
  async run(engine: MemoryEngine) {
    const { projects, ...counts } = await (await openEnabledMemory(engine)).stats();
    return { ...counts, projects: projects.map((each) => ({ ...each, aliases: [...each.aliases] })) };
  },
  page({ projects, file, bytes, ...counts }) {
    const rows = projects.map((each) => [each.name, String(each.observations), each.aliases.join(", ")]);
    return {
      title: `${formatCount(counts.observations, "observation")} in ${formatCount(projects.length, "project")}.`,
      facts: [
        ...Object.entries(counts)
          .filter(([name]) => name !== "observations")
          .map(([name, n]): [string, string] => [name, String(n)]),
        ["file", `${file} (${formatByteSize(bytes)})`],
      ],
      ...(rows.length > 0 ? { table: { columns: ["project", "observations", "also called"], rows } } : {}),
    };
  },
});

function formatByteSize(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
