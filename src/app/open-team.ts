import fs from "node:fs";
import { dirname, join } from "node:path";
import { openGitCommand } from "#git/adapters/git-command.ts";
import { hashText } from "#kernel/adapters/content-hash.ts";
import { nameTeamClone } from "#kernel/adapters/git-checkout.ts";
import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import * as address from "#kernel/model/database-address.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Ledger } from "#store/adapters/sqlite-ledger.ts";
import type { TeamAdministration } from "#store/operations/ports/team.ts";
import { TeamLedger } from "#store/adapters/team-ledger.ts";
import type { TeamMemoryLink } from "#memory/operations/team-memory.ts";
import type { ProcessContext } from "./application-host.ts";

/** Connections to the databases of teams, for the lifetime of the process. */
export interface TeamConnections {
  /** Undefined if this repository belongs to no team. */
  openLedger(root: string, file: string, notice: (text: string) => void): TeamLedger | undefined;
  database(ledgerFile: string): PostgresDatabase | undefined;
  openMemory(root: string, file: string): Promise<TeamMemoryLink | undefined>;
  administer(root: string, file: string, ledger: Ledger): Promise<TeamAdministration | undefined>;
  close(): Promise<void>;
}

export function connectTeam(world: ProcessContext): TeamConnections {
  const databases = new Map<string, PostgresDatabase>();
  const memories = new Map<string, TeamMemoryLink>();
  const connect = (ledgerFile: string, use: string): PostgresDatabase | undefined => {
    const url = findDatabaseUrl(world, dirname(ledgerFile));
    if (url === undefined) return undefined;
    const known = databases.get(`${use} ${url}`) ?? new PostgresDatabase(address.parseDatabaseAddress(url));
    databases.set(`${use} ${url}`, known);
    return known;
  };
  const database = (ledgerFile: string): PostgresDatabase | undefined => connect(ledgerFile, "ledger");
  return {
    database,
    openLedger(root, file, notice) {
      const found = database(file);
      if (!found) return undefined;
      nameTeamClone(file, hashText(world.newId()).slice(0, 8));
      const repository = () => identifyRepository(root, world.environment);
      return new TeamLedger(file, { database: found, repository, steadyClock: world.steadyClock, notice });
    },
    async openMemory(root, file) {
      // A connection of its own: memory may never hold up the ledger.
      const found = connect(file, "memory");
      if (!found) return undefined;
      const { createMemoryLink } = await import("#memory/adapters/team-link.ts");
      const known = memories.get(file) ?? createMemoryLink(found, () => identifyRepository(root, world.environment));
      memories.set(file, known);
      return known;
    },
    async administer(root, file, ledger) {
      const found = database(file);
      if (!found || !(ledger instanceof TeamLedger)) return undefined;
      const { createTeamAdministration } = await import("#store/adapters/team-administration.ts");
      const repository = () => identifyRepository(root, world.environment);
      return createTeamAdministration({ database: found, ledger, repository });
    },
    async close() {
      await Promise.all([...databases.values()].map((each) => each.close()));
      databases.clear();
    },
  };
}

/** The environment wins. A file that others can read could give away the password. */
function findDatabaseUrl({ environment, dataFolder }: ProcessContext, folder: string): string | undefined {
  const given = environment[address.DATABASE_URL_VARIABLE];
  if (given) return given;
  const file = join(dataFolder, address.TEAM_FILE);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if ((stat.mode & 0o077) !== 0 && process.platform !== "win32")
    throw createTeamFileFault("Others can read it, and it may hold a password.", `chmod 600 ${file}`);
  try {
    const known = JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, { readonly "ledger.url"?: string }>;
    return known[fs.existsSync(folder) ? fs.realpathSync(folder) : folder]?.["ledger.url"];
  } catch {
    throw createTeamFileFault("It is not valid JSON.", `Fix or remove it: ${file}`);
  }
}

const createTeamFileFault = (why: string, fix: string): Fault =>
  new Fault("team.bad-address", { what: `${address.TEAM_FILE} cannot be used.`, why, fix });

/** The same in every clone: the first commit and the remote. */
async function identifyRepository(root: string, environment: ProcessContext["environment"]): Promise<string> {
  const git = await openGitCommand(root, { ...environment });
  const commits = (await git.ask(["rev-list", "--max-parents=0", "HEAD"]))?.trim().split("\n") ?? [];
  const first = commits.at(-1);
  if (!first)
    throw new Fault("team.no-repository", {
      what: "This repository has no name in a team's database.",
      why: "The name is made from the first commit, and there is none.",
      fix: 'git add -A && git commit -m "Begin"',
    });
  const remote = (await git.ask(["config", "--get", "remote.origin.url"])) ?? "";
  return hashText(`${first}\n${address.normalizeRemote(remote)}`).slice(0, 40);
}
