/** Makes durable updates in one way, as fast as they are acknowledged: each takes a number, an entry and an event. */
import { join } from "node:path";
import { Client } from "pg";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { Ledger } from "#store/adapters/sqlite-ledger.ts";
import { WorkspaceStore } from "#store/adapters/workspace-store.ts";
import { openTeamStore } from "../test/kit/team-store.ts";

const [way = "", root = "", url = "", name = "", updates = "0"] = process.argv.slice(2);
const body = "x".repeat(500);

const update = (store: WorkspaceStore, i: number): Promise<void> =>
  store.write((tree) => {
    const next = tree.counter("n") + 1;
    return {
      steps: [],
      occurrences: [{ kind: "counted", subject: String(next) }],
      counters: { n: next },
      keeps: [{ space: "bench", key: `${name}-${i % 8}`, value: body }],
      result: undefined,
    };
  });

async function openWay(): Promise<{ update(i: number): Promise<unknown>; close(): Promise<void> }> {
  if (way === "postgres") {
    const { store, close } = openTeamStore({ root, url, repository: "bench" });
    return { update: (i) => update(store, i), close };
  }
  if (way === "sqlite") {
    const ledger = new Ledger(join(root, ".sdd", "ledger.db"));
    const store = new WorkspaceStore({
      root,
      checkout: root,
      checkoutIn: () => root,
      ledger,
      clock: { now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z") },
      steadyClock: { boot: "bench", nowMs: () => performance.now() },
      newId: () => crypto.randomUUID(),
      notice: () => undefined,
    });
    return { update: (i) => update(store, i), close: async () => ledger.close() };
  }
  const { host, port, user, database } = parseDatabaseAddress(url);
  const client = new Client({ host, port, user, database });
  await client.connect();
  const entry = "INSERT INTO bare_kept VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET body = excluded.body";
  return {
    async update(i) {
      await client.query("BEGIN");
      const { rows } = await client.query<{ n: number }>("UPDATE bare_counter SET n = n + 1 RETURNING n");
      await client.query(entry, [`${name}-${i % 8}`, body]);
      await client.query("INSERT INTO bare_events VALUES ($1, $2)", [rows[0]?.n, name]);
      await client.query("COMMIT");
    },
    close: () => client.end(),
  };
}

const opened = await openWay();
// The first write loads modules and brings the mirror up to date.
await opened.update(0);
process.stdout.write("ready\n");
await new Promise((go) => process.stdin.once("end", go).resume());
const waits: number[] = [];
for (let i = 0; i < Number(updates); i++) {
  const begun = performance.now();
  await opened.update(i);
  waits.push(performance.now() - begun);
}
await opened.close();
process.stdout.write(`${waits.map((wait) => wait.toFixed(1)).join(" ")}\n`);
