/** Writes lines into the journal as hooks do, as fast as it can: each with a path of its own. */
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import { readBootId } from "#kernel/adapters/machine-environment.ts";
import { ready, say } from "./worker.ts";

const [root = "", name = "", lines = "0"] = process.argv.slice(2);
await ready();
for (let i = 0; i < Number(lines); i++) {
  const isKept = appendJournalLines(root, {
    id: `${name}-${i}`,
    event: "PostToolUse",
    session: name,
    at: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    steady: Number(process.hrtime.bigint() / 1_000_000n),
    boot: readBootId(),
    paths: [`src/${name}/${i}.ts`],
    ms: 1,
  });
  if (!isKept) throw new Error(`Line ${i} was not written.`);
}
await say("done");
process.disconnect();
