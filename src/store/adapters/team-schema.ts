import { Fault } from "#kernel/model/fault.ts";
import type { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import memoryViews from "./team-memory-views.json" with { type: "json" };
import migrations from "./team-migrations.json" with { type: "json" };

/** Each migration raises the schema by one version. Never edit a released one. */
const TEAM_MIGRATIONS: readonly string[] = migrations.map((statements) => statements.join("\n"));
export const TEAM_SCHEMA_VERSION = TEAM_MIGRATIONS.length;

/** PostgreSQL cuts names after 63 bytes, and a schema has at most 40. */
export const formatRoleNames = (schema: string) => ({ worker: `${schema}_worker`, reader: `${schema}_reader` });

/**
 * Everything that the schema of a team needs, for its owner. It can run again: what is there stays. Workers append to the
 * history and replace state, but delete nothing. Readers read.
 */
export function createSchemaScript(schema: string, version: number): string {
  const { worker, reader } = formatRoleNames(schema);
  const quoted = `"${schema}"`;
  const createRole = (role: string): string =>
    `DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE "${role}" NOLOGIN; END IF; END $$;`;
  return [
    `CREATE SCHEMA IF NOT EXISTS ${quoted};`,
    `CREATE TABLE IF NOT EXISTS ${quoted}.migrations ( version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now() );`,
    ...TEAM_MIGRATIONS.slice(version).map(
      (migration, i) =>
        `${migration.replaceAll("$.", `${quoted}.`)}\nINSERT INTO ${quoted}.migrations (version) VALUES (${version + i + 1});`,
    ),
    createRole(worker),
    createRole(reader),
    `GRANT USAGE ON SCHEMA ${quoted} TO "${worker}", "${reader}";`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoted} TO "${worker}", "${reader}";`,
    `GRANT UPDATE (version, seq) ON ${quoted}.repositories TO "${worker}";`,
    `GRANT INSERT, UPDATE ON ${quoted}.kept, ${quoted}.counters, ${quoted}.leases TO "${worker}";`,
    `GRANT INSERT ON ${quoted}.events TO "${worker}";`,
    createMemoryViews(schema),
  ].join("\n");
}

/**
 * What programs of memory see: the rows of one repository. Made again by each run, as a dump may not contain it. Memory
 * does not prove what was decided, so members may change and delete it.
 */
function createMemoryViews(schema: string): string {
  const { worker, reader } = formatRoleNames(schema);
  const place = `"${schema}_memory"`;
  const views = Object.entries(memoryViews).map(
    ([name, columns]) =>
      `CREATE OR REPLACE VIEW ${place}.${name} WITH (security_invoker = true) AS SELECT ${columns.join(", ")}
       FROM "${schema}".memory_${name} WHERE repository = current_setting('tenon.repository');
       GRANT INSERT, UPDATE, DELETE ON ${place}.${name}, "${schema}".memory_${name} TO "${worker}";`,
  );
  const seen = `GRANT SELECT ON ALL TABLES IN SCHEMA ${place} TO "${worker}", "${reader}";`;
  const entered = `GRANT USAGE ON SCHEMA ${place} TO "${worker}", "${reader}";`;
  return [`CREATE SCHEMA IF NOT EXISTS ${place};`, ...views, entered, seen].join("\n");
}

/** Undefined if the database has no schema of Tenon, or does not show it to this user. */
export async function readSchemaVersion(database: PostgresDatabase): Promise<number | undefined> {
  const [found] = await database.query<{ table: string | null }>(
    "SELECT to_regclass($1) AS table",
    `${database.schema}.migrations`,
  );
  if (typeof found?.table !== "string") return undefined;
  const [row] = await database.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${database.schema}.migrations`,
  );
  return row?.version;
}

export function assertKnownTeamSchema(version: number): void {
  if (version > TEAM_SCHEMA_VERSION)
    throw new Fault("database.newer", {
      what: "The team's database cannot be used.",
      why: `It has schema ${version}, and this version of Tenon knows ${TEAM_SCHEMA_VERSION}.`,
      fix: "Install a newer Tenon.",
    });
  if (version < TEAM_SCHEMA_VERSION) throw createUnknownRepositoryFault(`Its schema is older than this Tenon.`);
}

export const createUnknownRepositoryFault = (why: string): Fault =>
  new Fault("team.unknown-repository", {
    what: "The team's database cannot be used.",
    why,
    fix: ["The owner of the database prepares it:", { operation: "team.init" }],
  });
