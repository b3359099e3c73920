import { join } from "node:path";
import { Ledger } from "#store/adapters/sqlite-ledger.ts";
import { locateLedgerFile } from "#kernel/adapters/git-checkout.ts";
import { DATABASE_URL_VARIABLE } from "#kernel/model/database-address.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { TeamAdministration } from "#store/operations/ports/team.ts";
import type { TeamConnections } from "./open-team.ts";
import type { ProcessContext } from "./application-host.ts";
import type { CodeIndex } from "#code/operations/ports/code-index.ts";
import type { MemoryEngine } from "#memory/operations/engine.ts";
import type { MemoryStore } from "#memory/operations/ports/memory.ts";

/** One connection to each ledger and to memory, shared by all workspaces and calls. */
export class DatabaseConnections {
  readonly #open = new Map<string, Ledger>();
  readonly #indexes = new Map<string, Promise<CodeIndex>>();
  readonly #openIndexes = new Set<Disposable>();
  #memory: Promise<MemoryStore & Disposable> | undefined;

  /** Undefined if no address of a team's database is set. */
  readonly team: TeamConnections | undefined;

  constructor(team?: TeamConnections) {
    this.team = team;
  }

  /** Names the clone of a team, so the name of the checkout is read afterwards. */
  of(root: string, notice: (text: string) => void): Ledger {
    const file = locateLedgerFile(root);
    const ledger = this.#open.get(file) ?? this.team?.openLedger(root, file, notice) ?? new Ledger(file);
    this.#open.set(file, ledger);
    return ledger;
  }

  async administration(root: string, notice: (text: string) => void): Promise<TeamAdministration> {
    const file = locateLedgerFile(root);
    const found = await this.team?.administer(root, file, this.of(root, notice));
    if (found) return found;
    throw new Fault("team.bad-address", {
      what: "This repository belongs to no team.",
      why: "No address of a database is set.",
      fix: `Set ${DATABASE_URL_VARIABLE}, such as postgresql://ada@db.example.org/tenon`,
    });
  }

  /** Memory as a workspace sees it: the user's, and beside it the team's if there is one. */
  async memoryOf(
    root: string | undefined,
    world: ProcessContext,
    secrets: MemoryEngine["secrets"],
  ): Promise<MemoryStore> {
    const own = await this.memory(world);
    if (root === undefined) return own;
    const link = await this.team?.openMemory(root, locateLedgerFile(root));
    if (!link) return own;
    return (await import("#memory/operations/team-memory.ts")).createTeamMemory(own, link, { secrets });
  }

  memory(world: ProcessContext): Promise<MemoryStore> {
    const file = join(world.dataFolder, "memory.db");
    this.#memory ??= import("#memory/adapters/sqlite-memory.ts").then(
      ({ SqliteMemory }) => new SqliteMemory(file, world.cwd),
    );
    return this.#memory;
  }

  index(root: string, version: string, { newId }: ProcessContext): Promise<CodeIndex> {
    const known = this.#indexes.get(root);
    if (known) return known;
    const opening = import("#code/adapters/index-db/sqlite-code-index.ts").then(({ SqliteCodeIndex }) => {
      const index = new SqliteCodeIndex({ root, version, newId });
      this.#openIndexes.add(index);
      return index;
    });
    this.#indexes.set(root, opening);
    return opening;
  }

  close(): void {
    for (const index of this.#openIndexes) index[Symbol.dispose]();
    this.#openIndexes.clear();
    this.#indexes.clear();
    void this.#memory?.then((memory) => memory[Symbol.dispose]());
    this.#memory = undefined;
    for (const ledger of this.#open.values()) ledger.close();
    this.#open.clear();
    void this.team?.close();
  }
}
