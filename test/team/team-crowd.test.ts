import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { withTeamLease } from "#running/operations/team-lease.ts";
import type { RunningEngine } from "#running/operations/engine.ts";
import { createSchemaScript } from "#store/adapters/team-schema.ts";
import type { Store, StorePlan } from "#store/operations/ports/store.ts";
import { chance, isFull, seed } from "../kit/chance.ts";
import { refusal } from "../kit/fault.ts";
import { type TemporaryFolder, temporaryFolder } from "../kit/folder.ts";
import { startNetworkProxy } from "../kit/network-proxy.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { openTeamStore } from "../kit/team-store.ts";
import { startWorker } from "../kit/worker.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe.skipIf(postgresProblem)(`many writers of a team${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  const folders: TemporaryFolder[] = [];
  const closings: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgres({ isOnLoopback: true });
  });
  afterAll(async () => {
    for (const close of closings) await close();
    for (const folder of folders) folder[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  /** A database with one repository, and clones of it. */
  async function openTeam() {
    const url = server.createDatabase();
    const database = new PostgresDatabase(parseDatabaseAddress(url));
    await database.script(`${createSchemaScript("tenon", 0)} INSERT INTO tenon.repositories (id) VALUES ('shop')`);
    await database.close();
    const name = new URL(url).pathname.slice(1);
    const makeFolder = (): string => {
      const folder = temporaryFolder();
      folders.push(folder);
      return folder.path;
    };
    return {
      url,
      makeFolder,
      open(root = makeFolder(), through = url): Store {
        const { store, close } = openTeamStore({ root, url: through, repository: "shop" });
        closings.push(close);
        return store;
      },
      subjects: (): number[] =>
        server.sql("SELECT subject FROM tenon.events ORDER BY seq", name).split("\n").filter(Boolean).map(Number),
      expire: () => server.sql("UPDATE tenon.leases SET expires = clock_timestamp(), version = version", name),
    };
  }

  test.each(isFull ? [[64, 250, 8]] : [[8, 25, 4]])(
    "%i processes make %i updates each in %i clones: none is lost, none counts twice",
    async (processes, updates, clones) => {
      const team = await openTeam();
      const roots = upTo(clones).map(team.makeFolder);
      const workers = upTo(processes).map((n) => {
        const words = [roots[n % clones] ?? "", team.url, "shop", `by-${n}`, String(updates)];
        return startWorker<number | "ready">("team", words);
      });
      await Promise.all(workers.map((worker) => worker.hear(1)));
      const begun = performance.now();
      for (const worker of workers) worker.tell("go");
      const endings = await Promise.all(workers.map((worker) => worker.ended));
      const seconds = (performance.now() - begun) / 1000;
      process.stdout.write(`${processes} processes: ${((processes * updates) / seconds).toFixed(0)} updates/s\n`);
      expect(endings.filter(({ code }) => code !== 0)).toEqual([]);
      const numbers = workers.flatMap(({ said }) => said.filter((each) => each !== "ready"));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(processes * updates));
      expect(team.subjects()).toEqual(upTo(processes * updates));
    },
    1_800_000,
  );

  test("keeps what killed processes were told is done, each once", async () => {
    const team = await openTeam();
    const roots = upTo(3).map(team.makeFolder);
    const next = chance(seed);
    process.stdout.write(`killing at random: TENON_SEED=${seed}\n`);
    const workers = upTo(9).map((n) =>
      startWorker<number | "ready">("team", [roots[n % 3] ?? "", team.url, "shop", `by-${n}`, "20"]),
    );
    await Promise.all(workers.map((worker) => worker.hear(1)));
    for (const worker of workers) worker.tell("go");
    const victims = workers.slice(0, 6);
    await Promise.all(
      victims.map(async (worker) => {
        await worker.hear(2 + next(15)).catch(() => undefined);
        worker.process.kill("SIGKILL");
      }),
    );
    const endings = await Promise.all(workers.map((worker) => worker.ended));
    // The next write of a clone finishes what a killed process left there.
    for (const root of roots) await team.open(root).write(() => ({ steps: [], occurrences: [], result: undefined }));
    const events = team.subjects();
    const numbers = workers.flatMap(({ said }) => said.filter((each) => each !== "ready"));
    expect(endings.slice(6).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(numbers.filter((number) => !events.includes(number))).toEqual([]);
    expect(new Set(events).size).toBe(events.length);
    // One write in flight for each victim, and no more.
    expect(events.length - numbers.length).toBeLessThanOrEqual(victims.length);
  });

  test("acknowledges only what is kept, through a network that breaks", async () => {
    const team = await openTeam();
    await using proxy = await startNetworkProxy(server);
    const next = chance(seed);
    const root = team.makeFolder();
    const store = team.open(root, team.url.replace(/:\d+\//, `:${proxy.port}/`));
    process.stdout.write(`breaking at random: TENON_SEED=${seed}\n`);
    proxy.delayMs = 1;
    proxy.onData = () => next(25) === 0;
    const plan = (number: number): StorePlan<number> => ({
      steps: number % 3 === 0 ? [{ kind: "document", path: "sdd/n.md" as WorkspacePath, text: `${number}` }] : [],
      occurrences: [{ kind: "counted", subject: String(number) }],
      result: number,
    });
    const outcomes = new Map<number, string>();
    for (const number of upTo(isFull ? 1000 : 120)) {
      const outcome = await store.write(() => plan(number)).catch((error: unknown) => error);
      outcomes.set(number, outcome instanceof Fault ? outcome.code : outcome === number ? "done" : String(outcome));
    }
    proxy.onData = undefined;
    await store.write(() => plan(0));
    const events = team.subjects();
    const list = (code: string): number[] =>
      [...outcomes].filter(([, each]) => each === code).map(([number]) => number);
    const known = ["done", "team.unreachable", "team.uncertain", "store.pending"];
    expect([...outcomes.values()].filter((outcome) => !known.includes(outcome))).toEqual([]);
    expect(list("team.unreachable").length).toBeGreaterThan(0);
    expect(new Set(events).size).toBe(events.length);
    expect([...list("done"), ...list("store.pending")].filter((number) => !events.includes(number))).toEqual([]);
    expect(list("team.unreachable").filter((number) => events.includes(number))).toEqual([]);
  });

  test("goes on after the server was killed between writes, and reads without it", async () => {
    const team = await openTeam();
    const store = team.open();
    const keep = (key: string) => () => ({
      steps: [],
      occurrences: [{ kind: "kept", subject: "1" }],
      keeps: [{ space: "hat", key, value: key }],
      result: key,
    });
    await store.write(keep("a"));
    await server.stop("SIGKILL");
    const read = () => store.read((tree) => [...tree.kept({ name: "hat" }).keys()]);
    expect(await read()).toEqual(["a"]);
    expect((await refusal(store.write(keep("b")))).code).toBe("team.unreachable");
    await server.start();
    expect(await store.write(keep("c"))).toBe("c");
    expect(await team.open().read((tree) => [...tree.kept({ name: "hat" }).keys()])).toEqual(["a", "c"]);
  });

  test("refuses every write with a lease that another machine has taken over", async () => {
    const team = await openTeam();
    const [one, other] = [team.open(), team.open()];
    const rounds = isFull ? 1000 : 40;
    let refused = 0;
    for (const n of upTo(rounds)) {
      const stale = await one.leases.acquire(`work-${n}`, "one", 60_000);
      if (!stale) throw new Error("It was not acquired.");
      team.expire();
      expect(await other.leases.acquire(`work-${n}`, "other", 60_000)).toMatchObject({ token: 2 });
      const write = one.write(() => ({
        steps: [],
        occurrences: [{ kind: "counted", subject: String(n) }],
        lease: stale,
        result: undefined,
      }));
      if ((await refusal(write)).code === "lease.lost") refused++;
    }
    expect([refused, team.subjects()]).toEqual([rounds, []]);
  }, 1_800_000);

  test("lets one clone lead a run, and another one when the lease of the first has run out", async () => {
    const team = await openTeam();
    const createEngine = (checkout: string) =>
      ({
        checkout,
        store: team.open(),
        progress: { tell: () => undefined, cancelled: new AbortController().signal },
        wait: (_ms: number, until: AbortSignal) =>
          new Promise<void>((resolve) => {
            const timer = setInterval(() => {
              if (until.aborted || isHurried) {
                clearInterval(timer);
                resolve();
              }
            }, 5);
          }),
      }) as unknown as RunningEngine;
    let isHurried = false;
    const [one, other] = [createEngine("one"), createEngine("other")];
    const ended = await withTeamLease(one, "run", async ({ progress }) => {
      expect(await withTeamLease(other, "run", async () => "both lead")).toBeUndefined();
      team.expire();
      return withTeamLease(other, "run", async () => {
        // The first one learns of it when it renews.
        isHurried = true;
        await expect.poll(() => progress.cancelled.aborted, { timeout: 60_000 }).toBe(true);
        return "taken over";
      });
    });
    expect(ended?.result?.result).toBe("taken over");
  });
});
