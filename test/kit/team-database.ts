import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { createSchemaScript } from "#store/adapters/team-schema.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** A new database with a team's schema, and these repositories in it. */
export function createTeamDatabase(server: PostgresServer, ...repositories: readonly string[]): string {
  const url = server.createDatabase();
  server.sql(createSchemaScript("tenon", 0), getDatabaseName(url));
  addRepositories(server, url, repositories);
  return url;
}

/** Forgets everything, which is faster than a new database. */
export function emptyTeamDatabase(server: PostgresServer, url: string, ...repositories: readonly string[]): void {
  server.sql("TRUNCATE tenon.repositories RESTART IDENTITY CASCADE", getDatabaseName(url));
  addRepositories(server, url, repositories);
}

function addRepositories(server: PostgresServer, url: string, ids: readonly string[]): void {
  const values = ids.map((id) => `('${id}')`).join(", ");
  server.sql(`INSERT INTO tenon.repositories (id) VALUES ${values}`, getDatabaseName(url));
}

export const getDatabaseName = (url: string): string => new URL(url).pathname.slice(1);

export const openTeamDatabase = (url: string): PostgresDatabase => new PostgresDatabase(parseDatabaseAddress(url));
