import fs from "node:fs";
import { Fault } from "#kernel/model/fault.ts";
import type { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import type { TeamAdministration, TeamCheck, TeamStatus } from "../operations/ports/team.ts";
import type { TeamLedger } from "./team-ledger.ts";
import { createSchemaScript, formatRoleNames, readSchemaVersion, TEAM_SCHEMA_VERSION } from "./team-schema.ts";

interface AdministrationParts {
  readonly database: PostgresDatabase;
  readonly ledger: TeamLedger;
  readonly repository: () => Promise<string>;
}

const MEMBER_NAME = /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/;
const MAX_CLOCK_SKEW_S = 60;

export function createTeamAdministration({ database, ledger, repository }: AdministrationParts): TeamAdministration {
  const s = database.schema;
  const script = async (members: readonly string[]): Promise<string> => {
    const { worker, reader } = formatRoleNames(database.address.schema);
    const bad = members.find((member) => !MEMBER_NAME.test(member));
    if (bad !== undefined)
      throw new Fault("team.bad-address", {
        what: "Nothing was prepared.",
        why: "A member's name has letters, digits, underscores and hyphens.",
        fix: "tenon team init --members ada,bob",
      });
    const id = await repository();
    const access = (members.length > 0 ? members : [worker, reader])
      .map(
        (member) =>
          `INSERT INTO ${s}.access (repository, member) VALUES ('${id}', '${member}') ON CONFLICT DO NOTHING;`,
      )
      .join("\n");
    const schema = createSchemaScript(database.address.schema, (await readSchemaVersion(database)) ?? 0);
    return `BEGIN;\n${schema}\nINSERT INTO ${s}.repositories (id) VALUES ('${id}') ON CONFLICT DO NOTHING;\n${access}\nCOMMIT;`;
  };
  return {
    script,
    async prepare(members) {
      await database.script(await script(members));
      return { repository: await repository(), version: TEAM_SCHEMA_VERSION };
    },
    move: () => ledger.moveToServer(),
    async status() {
      await ledger.refresh();
      return readTeamStatus(database, await repository());
    },
    checks: () => runTeamChecks({ database, ledger, repository }),
    leave: () => ledger.leaveServer(),
    async copy(file) {
      if (fs.existsSync(file))
        throw new Fault("export.folder-exists", {
          what: "Nothing was exported.",
          why: `${file} exists.`,
          fix: "Name a new file.",
        });
      await ledger.refresh();
      return ledger.copyTo(file);
    },
  };
}

async function readTeamStatus(database: PostgresDatabase, repository: string): Promise<TeamStatus> {
  const s = database.schema;
  const [total] = await database.query<{ member: string; events: number }>(
    `SELECT session_user AS member, count(*) AS events FROM ${s}.events WHERE repository = $1`,
    repository,
  );
  const clones = await database.query<TeamStatus["clones"][number]>(
    `SELECT DISTINCT ON (checkout) checkout, member, at, kind || ' ' || subject AS last FROM ${s}.events
     WHERE repository = $1 ORDER BY checkout, seq DESC`,
    repository,
  );
  const leases = await database.query<TeamStatus["leases"][number]>(
    `SELECT name, holder, ceil(extract(epoch FROM expires - clock_timestamp()))::bigint AS seconds FROM ${s}.leases
     WHERE repository = $1 AND expires > clock_timestamp() ORDER BY name`,
    repository,
  );
  return { repository, member: total?.member ?? "", events: total?.events ?? 0, clones, leases };
}

/** Each check stands alone, so that one run shows everything that is wrong. */
async function runTeamChecks({ database, ledger, repository }: AdministrationParts): Promise<TeamCheck[]> {
  const s = database.schema;
  const found: TeamCheck[] = [];
  const check = async (name: string, ask: () => Promise<Omit<TeamCheck, "check">>): Promise<boolean> => {
    const result = await ask().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      return { found: error.why, isFine: false };
    });
    found.push({ check: name, ...result });
    return result.isFine;
  };
  const isReached = await check("connection", async () => {
    const begun = performance.now();
    const [row] = await database.query<{ version: string }>("SELECT current_setting('server_version') AS version");
    const ms = Math.ceil(performance.now() - begun);
    return { found: `PostgreSQL ${row?.version ?? ""} answered in ${ms} ms`, isFine: true };
  });
  found.push({
    check: "encryption",
    found: database.address.tls === "none" ? "none; on this machine" : "TLS",
    isFine: true,
  });
  if (!isReached) return found;
  await check("clock", async () => {
    const sql = "SELECT extract(epoch FROM clock_timestamp())::double precision AS now";
    const [row] = await database.query<{ now: number }>(sql);
    const skew = Math.round(Date.now() / 1000 - (row?.now ?? 0));
    const isFine = Math.abs(skew) <= MAX_CLOCK_SKEW_S;
    return { found: `${Math.abs(skew)} s from the server's; leases use the server's`, isFine };
  });
  const hasSchema = await check("schema", async () => {
    const version = await readSchemaVersion(database);
    const known = `this Tenon knows ${TEAM_SCHEMA_VERSION}`;
    return {
      found: version === undefined ? "none" : `version ${version}; ${known}`,
      isFine: version === TEAM_SCHEMA_VERSION,
    };
  });
  if (!hasSchema) return found;
  await check("rights", async () => {
    const [row] = await database.query<{ mayWrite: boolean }>(
      "SELECT has_table_privilege($1, 'INSERT') AS \"mayWrite\"",
      `${s}.events`,
    );
    return { found: row?.mayWrite === true ? "read and write" : "read only", isFine: true };
  });
  await check("repository", async () => {
    const id = await repository();
    const [row] = await database.query<{ seq: number }>(`SELECT seq FROM ${s}.repositories WHERE id = $1`, id);
    return {
      found: row ? `${id.slice(0, 12)}, ${row.seq} events` : `${id.slice(0, 12)} is not in it`,
      isFine: row !== undefined,
    };
  });
  await check("mirror", async () => {
    await ledger.refresh();
    const state = ledger.mirrorState();
    return { found: state ? `up to event ${state.seq}` : "empty", isFine: true };
  });
  return found;
}
