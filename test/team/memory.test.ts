import { afterAll, beforeAll, describe } from "vitest";
import { memoryContract } from "#memory/adapters/memory.contract.ts";
import { PostgresMemory } from "#memory/adapters/postgres-memory.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { createTeamDatabase, emptyTeamDatabase, getDatabaseName, openTeamDatabase } from "../kit/team-database.ts";

describe.skipIf(postgresProblem)(`memory in PostgreSQL${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = createTeamDatabase(server, "shop");
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  memoryContract("PostgreSQL", () => {
    emptyTeamDatabase(server, url, "shop", "bank");
    // The contract counts from 1.
    server.sql("ALTER TABLE tenon.memory_relations ALTER COLUMN id RESTART WITH 1", getDatabaseName(url));
    const open: ReturnType<typeof openTeamDatabase>[] = [];
    return {
      open() {
        const database = openTeamDatabase(url);
        open.push(database);
        return new PostgresMemory(database, "shop", 0);
      },
      [Symbol.dispose]() {
        for (const database of open) void database.close();
      },
    };
  });
});
