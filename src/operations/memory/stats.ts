import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { MemoryStats } from "./schema.ts";

type Output = z.infer<typeof MemoryStats>;

export const stats = defineOperation<Record<never, never>, Output>({
  id: "memory.stats",
  effect: "read",
  isUsers: true,
  output: async () => (await import("./schema.ts")).MemoryStats,
  async run(engine) {
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
        ["file", `${file} (${sizeOf(bytes)})`],
      ],
      ...(rows.length > 0 ? { table: { columns: ["project", "observations", "also called"], rows } } : {}),
    };
  },
});

function sizeOf(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
