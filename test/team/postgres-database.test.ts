import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { refusal } from "../kit/fault.ts";
import { startNetworkProxy } from "../kit/network-proxy.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";

describe.skipIf(postgresProblem)(
  `the connection to PostgreSQL${postgresProblem ? ` (${postgresProblem})` : ""}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres({ isOnLoopback: true });
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
    });
    const open = (url: string) => new PostgresDatabase(parseDatabaseAddress(url));
    const through = (url: string, port: number) => open(url.replace(/:\d+\//, `:${port}/`));

    test("commits what a transaction does, or nothing", async () => {
      const database = open(server.createDatabase());
      await database.script("CREATE TABLE kept (n bigint); INSERT INTO kept VALUES (1)");
      await database.transact(async ({ query }) => query("INSERT INTO kept VALUES ($1)", 2));
      const failure = new Error("changed my mind");
      await expect(
        database.transact(async ({ query }) => {
          await query("INSERT INTO kept VALUES ($1)", 3);
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await database.query("SELECT n FROM kept ORDER BY n")).toEqual([{ n: 1 }, { n: 2 }]);
      await database.close();
    });

    test("goes on after the server was killed and started again", async () => {
      const database = open(server.createDatabase());
      await database.script("CREATE TABLE kept (n int)");
      await server.stop("SIGKILL");
      expect((await refusal(database.query("SELECT n FROM kept"))).code).toBe("team.unreachable");
      await server.start();
      expect(await database.query("SELECT n FROM kept")).toEqual([]);
      await database.close();
    });

    test("ends in a fault when the network swallows everything", async () => {
      const url = server.createDatabase();
      await using proxy = await startNetworkProxy(server);
      const database = through(url, proxy.port);
      await database.query("SELECT 1");
      proxy.mode = "hold";
      const faults = [await refusal(database.query("SELECT 1")), await refusal(database.query("SELECT 1"))];
      expect(faults).toEqual([
        { code: "team.unreachable", message: "The team's database did not answer. The connection failed." },
        { code: "team.unreachable", message: "The team's database did not answer. The connection failed." },
      ]);
      proxy.mode = "pass";
      expect(await database.query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
      await database.close();
    });

    test.each([
      ["before the server gets it", false],
      ["after the server did it", true],
    ])("asks the server about a commit that breaks %s", async (_, isDone) => {
      const url = server.createDatabase();
      await using proxy = await startNetworkProxy(server);
      const database = through(url, proxy.port);
      await database.script("CREATE TABLE kept (n int)");
      const isBroken = (bytes: Buffer, from: string): boolean =>
        bytes.includes("COMMIT") && from === (isDone ? "server" : "client");
      const insert = database.transact(
        async ({ query }) => {
          await query("INSERT INTO kept VALUES (1)");
          proxy.onData = isBroken;
        },
        async (query) => {
          proxy.onData = undefined;
          return (await query("SELECT n FROM kept")).length > 0;
        },
      );
      const code = isDone ? await insert.then(() => "done") : (await refusal(insert)).code;
      const rows = await database.query("SELECT n FROM kept");
      expect([code, rows]).toEqual(isDone ? ["done", [{ n: 1 }]] : ["team.unreachable", []]);
      await database.close();
    });

    test("says that the end of a commit is not known if nobody can be asked", async () => {
      const url = server.createDatabase();
      await using proxy = await startNetworkProxy(server);
      const database = through(url, proxy.port);
      const work = database.transact(async () => {
        proxy.onData = (bytes) => {
          if (bytes.includes("COMMIT")) proxy.mode = "refuse";
          return bytes.includes("COMMIT");
        };
      });
      expect((await refusal(work)).code).toBe("team.uncertain");
      await database.close();
    });

    test("rejects a wrong password, an unknown database and a missing right, and shows neither address nor user", async () => {
      const url = server.createDatabase();
      server.sql("CREATE ROLE ada LOGIN; CREATE TABLE secret (n int); REVOKE ALL ON SCHEMA public FROM public");
      const database = new URL(url).pathname.slice(1);
      const nowhere = await refusal(open(server.url("nowhere")).query("SELECT 1"));
      const denied = await refusal(open(server.url("postgres", "ada")).query("SELECT * FROM pg_authid"));
      const unknown = await refusal(open(server.url(database, "nobody")).query("SELECT 1"));
      expect(nowhere.code).toBe("team.rejected");
      expect([nowhere, denied, unknown].map(({ message }) => message)).toEqual([
        "The team's database rejected the call. There is no such database.",
        "The team's database rejected the call. The user lacks a right for it.",
        "The team's database rejected the call. It does not let this user in.",
      ]);
    });

    test("never talks to a server without TLS if TLS is asked for", async () => {
      const database = open(`${server.createDatabase()}?sslmode=verify-full`);
      expect(await refusal(database.query("SELECT 1"))).toEqual({
        code: "team.insecure",
        message: "The team's database was not opened. The server's certificate cannot be trusted (it offers no TLS).",
      });
    });

    test("waits for the lock of another transaction longer than one statement may", async () => {
      const url = server.createDatabase();
      const [holder, other] = [open(url), open(url)];
      await holder.script("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)");
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const add = (database: PostgresDatabase) =>
        database.transact(async ({ query }) => {
          await query("UPDATE kept SET n = n + 1");
          if (database === holder) await released;
        });
      const first = add(holder);
      const second = add(other);
      // The second one has waited as long as one statement may.
      await expect.poll(() => server.log, { timeout: 60_000 }).toContain("due to lock timeout");
      release();
      await Promise.all([first, second]);
      expect(await holder.query("SELECT n FROM kept")).toEqual([{ n: 3 }]);
      await Promise.all([holder.close(), other.close()]);
    });
  },
);
