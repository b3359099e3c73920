/** Durable updates per second of a team's ledger, beside SQLite and bare `pg` on this machine, by number of clients. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../test/kit/folder.ts";
import { postgresProblem, startPostgres } from "../test/kit/postgres-server.ts";
import { createTeamDatabase, getDatabaseName } from "../test/kit/team-database.ts";

if (postgresProblem !== undefined) throw new Error(postgresProblem);
const CLIENTS = [1, 4, 16, 64];
const UPDATES = 640;
const WORKER = fileURLToPath(new URL("team-worker.ts", import.meta.url));
const WAYS = ["bare", "postgres", "sqlite"] as const;
const TITLES = {
  bare: "bare `pg`: the same rows in one transaction",
  postgres: "Tenon on PostgreSQL",
  sqlite: "Tenon on SQLite",
};

// As a server of a team runs: what is acknowledged survives a power cut.
await using server = await startPostgres({
  settings: { fsync: "on", full_page_writes: "on", shared_buffers: "128MB" },
});

async function measure(way: (typeof WAYS)[number], clients: number): Promise<{ rate: number; p99: number }> {
  using folder = temporaryFolder();
  const url = createTeamDatabase(server, "bench");
  const database = getDatabaseName(url);
  server.sql(
    `CREATE TABLE bare_counter (n bigint); INSERT INTO bare_counter VALUES (0);
     CREATE TABLE bare_kept (key text PRIMARY KEY, body text); CREATE TABLE bare_events (n bigint, name text)`,
    database,
  );
  // Clones of a team have a mirror each. Processes of one machine share a ledger.
  const children = Array.from({ length: clients }, (_, n) => {
    const root = join(folder.path, way === "sqlite" ? "clone" : `clone-${n}`);
    fs.mkdirSync(join(root, ".sdd"), { recursive: true });
    const words = [WORKER, way, root, url, `client-${n}`, String(UPDATES / clients)];
    return spawn(process.execPath, ["--conditions=tenon-source", "--disable-warning=ExperimentalWarning", ...words], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  });
  await Promise.all(children.map((child) => new Promise((ready) => child.stdout.once("data", ready))));
  let text = "";
  for (const child of children) child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString()));
  const begun = performance.now();
  for (const child of children) child.stdin.end();
  const codes = await Promise.all(children.map((child) => new Promise((done) => child.once("close", done))));
  if (codes.some((code) => code !== 0)) throw new Error(`A client failed: ${codes.join(", ")}`);
  const rate = (UPDATES * 1000) / (performance.now() - begun);
  const waits = text.trim().split(/\s+/).map(Number);
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN;
  return { rate, p99 };
}

const rows: string[] = [];
for (const way of WAYS)
  for (const clients of CLIENTS) {
    const { rate, p99 } = await measure(way, clients);
    rows.push(`| ${TITLES[way]} | ${clients} | ${rate.toFixed(0)} | ${p99.toFixed(0)} ms |`);
    console.log(rows.at(-1));
  }
const model = os.cpus()[0]?.model ?? "";
const report = [
  `# A team's ledger, measured on ${new Date().toISOString().slice(0, 10)}`,
  "",
  `Node ${process.versions.node}, ${server.sql("SHOW server_version")} on this machine by its socket, ${os.cpus().length} × ${model.trim()}.`,
  `${UPDATES} updates in all, shared by the clients. Each takes the next number, and stores an entry of 500 bytes and an event.`,
  "PostgreSQL syncs each commit. Each client is a process; those of a team have a clone each.",
  `Load of the machine at the end: ${os.loadavg()[0]?.toFixed(1)}.`,
  "",
  "| ledger | clients | updates per second | 99 of 100 wait at most |",
  "|---|---|---|---|",
  ...rows,
  "",
].join("\n");
fs.writeFileSync(`bench/results/${new Date().toISOString().slice(0, 10)}-team.md`, report);
