/** Takes numbers from a team's ledger as fast as they become durable. Every fourth update writes a file too. */
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { openTeamStore } from "./team-store.ts";
import { ready, say } from "./worker.ts";

const [root = "", url = "", repository = "", name = "", updates = "0"] = process.argv.slice(2);
const { store, close } = openTeamStore({ root, url, repository });
await ready();
for (let i = 0; i < Number(updates); i++) {
  const path = `sdd/notes/${name}.md` as WorkspacePath;
  const number = await store.write((tree) => {
    const next = tree.counter("n") + 1;
    return {
      steps: i % 4 === 0 ? [{ kind: "document", path, text: `${next}\n` }] : [],
      occurrences: [{ kind: "counted", subject: String(next) }],
      counters: { n: next },
      keeps: [{ space: "hat", key: `${name}-${i % 8}`, value: next }],
      result: next,
    };
  });
  await say(number);
}
await close();
process.disconnect();
