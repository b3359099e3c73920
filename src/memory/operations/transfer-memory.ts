import { formatCount } from "#kernel/model/text-format.ts";
import { defineMemoryOperation } from "./engine.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { TextCleaner } from "./text-cleaner.ts";

export const exportObservations = defineMemoryOperation({
  id: "memory.export",
  effect: "append",
  input: async () => (await import("./schema.ts")).MemoryFileInput,
  output: async () => (await import("./schema.ts")).ExportMemoryOutput,
  run: async (engine, { file }) => (await openEnabledMemory(engine)).exportTo(file),
  page: ({ file, lines }) => ({ title: `${formatCount(lines, "line")} written to ${file}.` }),
});

export const importObservations = defineMemoryOperation({
  id: "memory.import",
  effect: "change",
  input: async () => (await import("./schema.ts")).MemoryFileInput,
  output: async () => (await import("./schema.ts")).ImportMemoryOutput,
  async run(engine, { file }) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    return { ...(await memory.importFrom(file, cleaner.text, engine.clock.now())), notes: cleaner.notes() };
  },
  page: ({ kind, read, added, updated, unchanged, buried, notes }) => ({
    title: `${formatCount(read, "observation")} read from ${kind}: ${added} added, ${updated} updated, ${unchanged} known already.`,
    points: [...(buried > 0 ? [`${buried} were deleted here permanently and stay deleted.`] : []), ...notes],
  }),
});

export const backUpObservations = defineMemoryOperation({
  id: "memory.backup",
  effect: "append",
  input: async () => (await import("./schema.ts")).MemoryFileInput,
  output: async () => (await import("./schema.ts")).BackupMemoryOutput,
  run: async (engine, { file }) => (await openEnabledMemory(engine)).backupTo(file),
  page: ({ file, bytes }) => ({ title: `A copy of ${bytes} bytes is in ${file}.` }),
});

export const showMemoryStats = defineMemoryOperation({
  id: "memory.stats",
  effect: "read",
  output: async () => (await import("./schema.ts")).MemoryStatsOutput,
  run: async (engine) => (await openEnabledMemory(engine)).stats(),
  page({ projects, file, bytes, observations, ...counts }) {
    const rows = projects.map((each) => [each.name, String(each.observations), each.aliases.join(", ")]);
    return {
      title: `${formatCount(observations, "observation")} in ${formatCount(projects.length, "project")}.`,
      facts: [
        ...Object.entries(counts).map(([name, n]): [string, string] => [name, String(n)]),
        ["file", `${file} (${formatByteSize(bytes)})`],
      ],
      ...(rows.length > 0 ? { table: { columns: ["project", "observations", "also called"], rows } } : {}),
    };
  },
});

const formatByteSize = (bytes: number): string =>
  bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
