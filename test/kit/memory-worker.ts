/** Saves into one memory after another in the way it is told, and says what was acknowledged. */
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { ready, say } from "./worker.ts";

/** A text that is kept, as its process was told. */
export interface Remembered {
  readonly id: number;
  readonly content: string;
}

const [way = "", name = "", times = "0", ...files] = process.argv.slice(2);

const DRAFT = {
  project: { name: "shop", places: [] },
  session: name,
  type: "manual",
  scope: "project",
  namespace: "",
} as const;

/** What is said each time: something of its own, or what a topic says now. */
const WAYS: Readonly<Record<string, { readonly topic_key?: string }>> = {
  own: {},
  topic: { topic_key: "shared" },
};

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z");

for (const file of files) {
  await ready();
  using memory = new SqliteMemory(file, process.cwd());
  for (let i = 0; i < Number(times); i++) {
    const content = `by ${name} number ${i}`;
    const [saved] = await memory.save([{ ...DRAFT, ...WAYS[way], title: content, content }], now());
    await say({ id: saved?.observation.id ?? 0, content } satisfies Remembered);
  }
}
process.disconnect();
