import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { startWorker, type Worker } from "../../../test/kit/worker.ts";
import { Ledger, LEDGER_MIGRATIONS, readLedgerValues, readLoadedSpace, writeSpaceValues } from "./sqlite-ledger.ts";

interface Place extends Disposable {
  readonly file: string;
  open(): Ledger;
}

function place(): Place {
  const folder = temporaryFolder();
  const file = join(folder.path, "tenon", "ledger.db");
  const ledgers: Ledger[] = [];
  return {
    file,
    open() {
      const ledger = new Ledger(file);
      ledgers.push(ledger);
      return ledger;
    },
    [Symbol.dispose]() {
      for (const ledger of ledgers) ledger.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Changes the database as somebody does who is not this version of Tenon. */
function meddle(file: string, sql: string): void {
  fs.mkdirSync(join(file, ".."), { recursive: true });
  using db = new DatabaseSync(file);
  db.exec(sql);
}

const fill = (ledger: Ledger) => (): void => ledger.run("INSERT INTO counters (name, value) VALUES (?, ?)", "n", 7);
const numbers = (ledger: Ledger) => ledger.look((all) => all("SELECT name, value FROM counters"));

async function shape(ledger: Ledger): Promise<unknown> {
  return ledger.alone(() => ({
    version: ledger.all("PRAGMA user_version")[0],
    journal: ledger.all("PRAGMA journal_mode")[0],
    synchronous: ledger.all("PRAGMA synchronous")[0],
    tables: ledger.all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    ),
  }));
}

/** WAL, and 2 for `synchronous=FULL`: what is acknowledged is on the disk. */
const SHAPE = {
  version: { user_version: LEDGER_MIGRATIONS.length },
  journal: { journal_mode: "wal" },
  synchronous: { synchronous: 2 },
  tables: [{ name: "counters" }, { name: "events" }, { name: "intents" }, { name: "kept" }, { name: "leases" }],
};

describe("the schema", () => {
  test.each<[string, (file: string) => void]>([
    ["without a file", () => undefined],
    ["from an empty file", (file) => meddle(file, "")],
    ["from a file whose creator died", (file) => meddle(file, "PRAGMA journal_mode = WAL")],
    ["from a database without WAL", (file) => meddle(file, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 0")],
  ])("is created %s", async (_, before) => {
    using it = place();
    before(it.file);
    expect(await shape(it.open())).toEqual(SHAPE);
  });

  test("keeps its content when opened again", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(fill(ledger));
    ledger.close();
    const again = it.open();
    expect([await shape(again), numbers(again)]).toEqual([SHAPE, [{ name: "n", value: 7 }]]);
  });

  test("does not sync a write that repeats derived data, and syncs the next one", async () => {
    using it = place();
    const ledger = it.open();
    const readLevel = (): unknown => ledger.all("PRAGMA synchronous")[0]?.["synchronous"];
    const fail = ledger.alone(() => {
      throw new Error("no");
    }, false);
    await expect(fail).rejects.toThrow("no");
    expect([await ledger.alone(readLevel, false), await ledger.alone(readLevel)]).toEqual([1, 2]);
  });

  test("rejects writes to a newer one and still reads it", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(fill(ledger));
    ledger.close();
    meddle(it.file, "PRAGMA user_version = 99; ALTER TABLE counters ADD COLUMN later TEXT");
    const before = fs.readFileSync(it.file);
    const old = it.open();
    expect(await refusal(old.alone(fill(old)))).toEqual({
      code: "database.newer",
      message: `The ledger ${it.file} cannot be written. It has schema 99, and this version of Tenon knows ${LEDGER_MIGRATIONS.length}.`,
    });
    expect([numbers(old), fs.readFileSync(it.file).equals(before)]).toEqual([[{ name: "n", value: 7 }], true]);
  });

  test("rejects a ledger with a foreign trigger", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(fill(ledger));
    ledger.close();
    meddle(it.file, "CREATE TRIGGER wipe AFTER INSERT ON events BEGIN DELETE FROM kept; END");
    const again = it.open();
    expect(await refusal(again.alone(fill(again)))).toEqual({
      code: "database.corrupt",
      message: `The ledger ${it.file} could not be used. It is damaged: the trigger wipe is not Tenon's.`,
    });
  });

  test("rejects a write after a newer Tenon migrated the open ledger", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(fill(ledger));
    meddle(it.file, "PRAGMA user_version = 99");
    expect(await refusal(ledger.alone(fill(ledger)))).toMatchObject({ code: "database.newer" });
  });
});

describe("reading", () => {
  test("creates no ledger", () => {
    using it = place();
    expect([numbers(it.open()), it.open().exists]).toEqual([undefined, false]);
  });

  test("finds nothing in a file that was created and never filled", () => {
    using it = place();
    meddle(it.file, "");
    expect(numbers(it.open())).toBeUndefined();
  });

  test.each(["closed", "open"])(
    "sees one state during other writes, with a ledger that was %s before",
    async (before) => {
      using it = place();
      const writer = it.open();
      await writer.alone(() => undefined);
      const reader = it.open();
      if (before === "open") await reader.alone(() => undefined);
      const counts = reader.look((all) => {
        const first = all("SELECT count(*) AS n FROM counters");
        meddle(it.file, "INSERT INTO counters (name, value) VALUES ('late', 1)");
        return [first, all("SELECT count(*) AS n FROM counters")];
      });
      expect([counts, numbers(reader)]).toEqual([[[{ n: 0 }], [{ n: 0 }]], [{ name: "late", value: 1 }]]);
    },
  );

  test("sees writes of others, also through a connection that stays open", async () => {
    using it = place();
    const [one, other] = [it.open(), it.open()];
    await other.alone(() => undefined);
    await one.alone(fill(one));
    expect([numbers(other), numbers(it.open())]).toEqual([[{ name: "n", value: 7 }], [{ name: "n", value: 7 }]]);
  });
});

describe("exclusive work", () => {
  test("is undone when it throws, and frees the lock", async () => {
    using it = place();
    const ledger = it.open();
    const work = ledger.alone(() => {
      fill(ledger)();
      throw new Error("no");
    });
    await expect(work).rejects.toThrow(new Error("no"));
    expect([numbers(ledger), await it.open().alone(() => "free")]).toEqual([[], "free"]);
  });

  test("runs one after the other over one connection", async () => {
    using it = place();
    const ledger = it.open();
    const order: string[] = [];
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        ledger.alone(() => {
          order.push(`${name} begins`);
          ledger.run("INSERT INTO counters (name, value) VALUES (?, ?)", name, 1);
          order.push(`${name} ends`);
        }),
      ),
    );
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });
});

describe("timeouts", () => {
  afterEach(() => void vi.restoreAllMocks());

  test("gives up on a lock that is never released", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(() => undefined);
    using holder = new DatabaseSync(it.file);
    holder.exec("BEGIN IMMEDIATE");
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 6000));
    expect(await refusal(ledger.alone(fill(ledger)))).toEqual({
      code: "database.busy",
      message: `The ledger ${it.file} stayed locked. Other processes held it for 15 seconds.`,
    });
    holder.exec("ROLLBACK");
    await ledger.alone(fill(ledger));
    expect(numbers(ledger)).toEqual([{ name: "n", value: 7 }]);
  });

  test.each([
    ["3.51.2", "database.old-sqlite"],
    ["3.9.9", "database.old-sqlite"],
    ["3.51.3", "none"],
    ["3.100.0", "none"],
  ])("judges SQLite %s before it can do harm: %s", async (version, expected) => {
    using it = place();
    vi.spyOn(process, "versions", "get").mockReturnValue({ ...process.versions, sqlite: version });
    const opened = it.open().alone(() => "opened");
    const code = expected === "none" ? await opened.then(() => "none") : (await refusal(opened)).code;
    expect([code, it.open().exists]).toEqual([expected, expected === "none"]);
  });
});

describe("damage", () => {
  const refused = (file: string, why: string) => ({
    code: "database.corrupt",
    message: `The ledger ${file} could not be used. It is damaged: ${why}.`,
  });

  test.each<[string, (file: string) => void, string]>([
    ["text", (file) => fs.writeFileSync(file, "# not a database\n".repeat(100)), "file is not a database"],
    ["noise", (file) => fs.writeFileSync(file, Buffer.alloc(8192, 0xa5)), "file is not a database"],
    ["a torn first page", (file) => fs.truncateSync(file, 700), "database disk image is malformed"],
    ["a wiped schema", (file) => wipe(file, 100, 3996), "database disk image is malformed"],
  ])("reports a file that contains %s as damaged, and leaves it alone", async (_, damage, why) => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(fill(ledger));
    ledger.close();
    damage(it.file);
    const before = fs.readFileSync(it.file);
    const looked = (async () => numbers(it.open()))();
    expect(await refusal(looked)).toEqual(refused(it.file, why));
    expect(await refusal(it.open().alone(() => undefined))).toEqual(refused(it.file, why));
    expect(fs.readFileSync(it.file).equals(before)).toBe(true);
  });

  test("reports a folder in its place as a fault", async () => {
    using it = place();
    fs.mkdirSync(it.file, { recursive: true });
    const looked = (async () => numbers(it.open()))();
    expect([(await refusal(looked)).code, (await refusal(it.open().alone(() => undefined))).code]).toEqual([
      "database.unusable",
      "files.unwritable",
    ]);
  });
});

function wipe(file: string, from: number, length: number): void {
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, bytes.fill(0, from, from + length));
}

describe("several processes", () => {
  const start = (way: string, times: number, files: readonly string[]): Worker<unknown> =>
    startWorker<unknown>("ledger", [way, String(times), ...files]);

  test("eight that open a fresh ledger at once all find it complete", async () => {
    using folder = temporaryFolder();
    const files = Array.from({ length: 6 }, (_, i) => join(folder.path, String(i), "ledger.db"));
    const workers = Array.from({ length: 8 }, () => start("write", 1, files));
    for (const round of files.keys()) {
      await Promise.all(workers.map((worker) => worker.hear(2 * round + 1)));
      for (const worker of workers) worker.tell("go");
    }
    const endings = await Promise.all(workers.map((worker) => worker.ended));
    expect(endings).toEqual(workers.map(() => ({ code: 0, signal: null, err: "" })));
    expect(workers.flatMap((worker) => worker.said.filter((said) => said !== "ready"))).toEqual(Array(48).fill([]));
    expect(files.map((file) => numbers(new Ledger(file)))).toEqual(files.map(() => [{ name: "opened", value: 8 }]));
  });

  test("a reader never finds the ledger busy", async () => {
    using it = place();
    const ledger = it.open();
    await ledger.alone(() => undefined);
    ledger.close();
    const workers = [start("write", 150, [it.file]), start("write", 150, [it.file]), start("look", 2000, [it.file])];
    for (const worker of workers) await worker.hear(1);
    for (const worker of workers) worker.tell("go");
    await Promise.all(workers.map((worker) => worker.ended));
    expect(workers.map((worker) => worker.said)).toEqual(workers.map(() => ["ready", []]));
    expect(numbers(it.open())).toEqual([{ name: "opened", value: 300 }]);
  });

  test("one that is killed with the lock leaves neither a lock nor half its work", async () => {
    using it = place();
    const worker = start("die", 1, [it.file]);
    await worker.hear(1);
    worker.tell("go");
    expect((await worker.ended).signal).toBe("SIGKILL");
    const ledger = it.open();
    expect([await ledger.alone(() => "free"), numbers(ledger)]).toEqual(["free", []]);
  });
});

test("a reader that meets a lock waits long once, and then only briefly until it could read", async () => {
  using it = place();
  const [writer, reader] = [it.open(), it.open()];
  await writer.alone(fill(writer));
  writer.close();
  const why: unknown[] = [];
  const read = (): unknown => reader.look((all) => all("SELECT value FROM counters"));
  {
    using holder = new DatabaseSync(it.file);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; UPDATE counters SET value = value");
    for (let i = 0; i < 2; i++) why.push(await refusal(Promise.resolve().then(read)));
  }
  expect(why).toMatchObject([
    { code: "database.busy", message: expect.stringContaining("held it for 4 seconds") as unknown },
    { code: "database.busy", message: expect.stringContaining("held it for 0.1 seconds") as unknown },
  ]);
  expect(read()).toEqual([{ value: 7 }]);
});

describe("values that a server reads again and again", () => {
  const SPACE = "workflow";
  const put = (ledger: Ledger, key: string, value: unknown): Promise<void> =>
    ledger.alone(() => writeSpaceValues(ledger, [{ space: SPACE, key, value }]));
  const values = (ledger: Ledger): Record<string, unknown> =>
    Object.fromEntries(ledger.look((all, isOpen) => readLedgerValues(ledger, { all }, isOpen))?.kept(SPACE) ?? []);

  test("are those of this process and of every other", async () => {
    using it = place();
    const [server, other] = [it.open(), it.open()];
    await put(server, "A", { n: 1 });
    expect([values(server), values(other)]).toEqual([{ A: { n: 1 } }, { A: { n: 1 } }]);
    await put(other, "A", { n: 2 });
    expect(values(server)).toEqual({ A: { n: 2 } });
    await put(server, "A", undefined);
    expect([values(server), values(other)]).toEqual([{}, {}]);
  });

  test("are the old ones after a write that failed", async () => {
    using it = place();
    const server = it.open();
    await put(server, "A", { n: 1 });
    const seen: unknown[] = [];
    const failing = server.alone(() => {
      writeSpaceValues(server, [{ space: SPACE, key: "A", value: { n: 2 } }]);
      seen.push(Object.fromEntries(readLoadedSpace(server.loadSpace(SPACE))));
      throw new Error("Changed its mind");
    });
    await expect(failing).rejects.toThrow("Changed its mind");
    expect([seen, values(server)]).toEqual([[{ A: { n: 2 } }], { A: { n: 1 } }]);
  });

  test("are parsed once while they stay the same, also by a reader that never writes", async () => {
    using it = place();
    const [server, reader] = [it.open(), it.open()];
    for (const key of ["A", "B"]) await put(server, key, { key });
    const before = [server, reader].map((ledger) => values(ledger)["A"]);
    await put(server, "B", { key: "other" });
    for (const [i, ledger] of [server, reader].entries()) {
      expect(values(ledger)).toEqual({ A: { key: "A" }, B: { key: "other" } });
      expect(values(ledger)["A"]).toBe(before[i]);
    }
  });
});
