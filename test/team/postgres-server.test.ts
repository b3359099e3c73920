import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { postgresProblem, startPostgres } from "../kit/postgres-server.ts";

describe.skipIf(postgresProblem)(
  `a PostgreSQL server for tests${postgresProblem ? ` (${postgresProblem})` : ""}`,
  () => {
    test("gives each caller an empty database, and keeps acknowledged writes through a kill", async () => {
      await using server = await startPostgres();
      const [one, other] = [server.createDatabase(), server.createDatabase()];
      expect(one).not.toBe(other);
      server.sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)");
      const first = server.pid;
      await server.stop("SIGKILL");
      expect(() => server.sql("SELECT 1")).toThrow(/No such file|Connection refused/);
      await server.start();
      expect([server.sql("SELECT n FROM kept"), server.pid === first]).toEqual(["7", false]);
      expect(server.log).toContain("ready to accept connections");
    });

    test("listens on loopback on request, and otherwise on no port", async () => {
      await using server = await startPostgres({ isOnLoopback: true, settings: { work_mem: "5MB" } });
      expect(server.url("postgres")).toBe(`postgresql://postgres@127.0.0.1:${server.port}/postgres`);
      expect(server.sql("SHOW listen_addresses; SHOW work_mem")).toBe("127.0.0.1\n5MB");
      await using silent = await startPostgres();
      expect(silent.sql("SHOW listen_addresses")).toBe("");
    });

    test("stops when the process that started it is killed", async () => {
      const source = `import { startPostgres } from "./test/kit/postgres-server.ts";
      const { pid, data } = await startPostgres();
      console.log(JSON.stringify({ pid, data }));
      setInterval(() => {}, 1000);`;
      const starter = spawn(process.execPath, ["--input-type=module", "--eval", source], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(starter.stdout, "data")) as [Buffer];
      const { pid, data } = JSON.parse(line.toString()) as { pid: number; data: string };
      starter.kill("SIGKILL");
      await once(starter, "close");
      await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
      fs.rmSync(dirname(data), { recursive: true });
    });
  },
);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
