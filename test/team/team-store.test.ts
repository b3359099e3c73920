import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { bytesIn, type DiskPlace, put, textsIn } from "#store/adapters/place.contract.ts";
import type { LedgerChange, LedgerLock } from "#store/adapters/sqlite-ledger.ts";
import { TeamLedger } from "#store/adapters/team-ledger.ts";
import { createSchemaScript } from "#store/adapters/team-schema.ts";
import { diskStoreContract, storeContract } from "#store/adapters/workspace-store.contract.ts";
import { WorkspaceStore } from "#store/adapters/workspace-store.ts";
import type { Store } from "#store/operations/ports/store.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";

/** A ledger that lets something happen once a write is recorded, and lets go of its locks there as a dying process does. */
class InterruptedLedger extends TeamLedger {
  readonly #meanwhile: () => void | Promise<void>;
  #isRecorded = false;

  constructor(file: string, parts: ConstructorParameters<typeof TeamLedger>[1], meanwhile: () => void | Promise<void>) {
    super(file, parts);
    this.#meanwhile = meanwhile;
  }

  override together<T>(work: (alone: LedgerLock) => Promise<T>): Promise<T> {
    return work((step) => this.alone(step));
  }

  override async alone<T>(work: () => T): Promise<T> {
    if (this.#isRecorded) {
      await this.#meanwhile();
      this.#isRecorded = false;
    }
    return super.together((alone) => alone(work));
  }

  override change(change: LedgerChange): void {
    super.change(change);
    if (change.table === "intents") this.#isRecorded = true;
  }
}

describe.skipIf(postgresProblem)(`a store on PostgreSQL${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  let url: string;
  const databases: PostgresDatabase[] = [];
  const openDatabase = (): PostgresDatabase => {
    const database = new PostgresDatabase(parseDatabaseAddress(url));
    databases.push(database);
    return database;
  };

  beforeAll(async () => {
    server = await startPostgres();
    url = server.createDatabase();
    await openDatabase().script(createSchemaScript("tenon", 0));
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await server[Symbol.asyncDispose]();
  });

  /** `repository`: a second clone of the same one. */
  function makePlace(repository: string = crypto.randomUUID()): DiskPlace & { readonly repository: string } {
    const folder = temporaryFolder();
    const ledgerFile = join(folder.path, ".sdd", "ledger.db");
    const notices: string[] = [];
    const ledgers: TeamLedger[] = [];
    let seconds = 0;
    const steadyClock = { boot: "test boot", nowMs: () => seconds };
    const createParts = () => ({
      database: openDatabase(),
      repository: async () => {
        const sql = "INSERT INTO tenon.repositories (id) VALUES ($1) ON CONFLICT DO NOTHING";
        await openDatabase().query(sql, repository);
        return repository;
      },
      steadyClock,
      notice: (text: string) => void notices.push(text),
    });
    const open = (ledger: TeamLedger): Store => {
      ledgers.push(ledger);
      return new WorkspaceStore({
        root: folder.path,
        checkout: folder.path,
        checkoutIn: (place) => (fs.existsSync(place) ? place : undefined),
        ledger,
        clock: { now: () => new Date(Date.UTC(2026, 0, 31, 12, 0, ++seconds)).toISOString().replace(".000Z", "Z") },
        steadyClock,
        newId: () => crypto.randomUUID(),
        notice: (text) => void notices.push(text),
      });
    };
    return {
      repository,
      root: folder.path,
      notices,
      put: (path, text) => put(folder.path, path, text),
      texts: () => textsIn(folder.path),
      contents: () => bytesIn(folder.path),
      open: () => open(new TeamLedger(ledgerFile, createParts())),
      interrupted: (meanwhile) => open(new InterruptedLedger(ledgerFile, createParts(), meanwhile)),
      async abandon(decide) {
        const killed = new Error("killed");
        const ledger = new InterruptedLedger(ledgerFile, createParts(), () => Promise.reject(killed));
        await open(ledger)
          .write(decide)
          .catch(() => undefined);
        ledger.close();
      },
      [Symbol.dispose]() {
        for (const ledger of ledgers) ledger.close();
        folder[Symbol.dispose]();
      },
    };
  }

  storeContract("files and PostgreSQL", () => makePlace());
  diskStoreContract("files and PostgreSQL", () => makePlace());

  test("shows the state to another clone at once, and each clone its own events", async () => {
    using here = makePlace();
    using there = makePlace(here.repository);
    const [one, other] = [here.open(), there.open()];
    const keep = (key: string) => () => ({
      steps: [],
      occurrences: [{ kind: "kept", subject: key }],
      keeps: [{ space: "hat", key, value: key }],
      counters: { n: key.length },
      result: undefined,
    });
    await one.write(keep("a"));
    await other.write(keep("bb"));
    const seen = await Promise.all(
      [one, other].map(async (store) => [
        [...(await store.read((tree) => tree.kept({ name: "hat" }).keys()))],
        (await store.events(0)).map(({ subject }) => subject),
        (await store.eventsEverywhere(0)).map(({ seq, subject }) => [seq, subject]),
      ]),
    );
    const everywhere = [
      [1, "a"],
      [2, "bb"],
    ];
    expect(seen).toEqual([
      [["a", "bb"], ["a"], everywhere],
      [["a", "bb"], ["bb"], everywhere],
    ]);
  });
});
