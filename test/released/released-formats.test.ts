import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { LEDGER_MIGRATIONS } from "#store/adapters/sqlite-ledger.ts";
import { MEMORY_MIGRATIONS } from "#memory/adapters/sqlite-memory.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

/** A workspace as a release left it: records and documents as text, databases as base64. */
interface ReleasedWorkspace {
  readonly files: Readonly<Record<string, string>>;
  readonly ledger: string;
  readonly memory: string;
}

const FOLDER = "test/fixtures/released";
const CURRENT = (JSON.parse(fs.readFileSync("package.json", "utf8")) as { version: string }).version;
/** In place of the folder in which the workspace was made. */
const SHOP = "/home/ada/shop";
const CHANGE_TEXT = "The sum is wrong.\n";
const DECISION = ["--context=Two ways", "--decision=Whole numbers", "--rationale=Exact"];

function openStand() {
  const [folder, data] = [temporaryRepository(), temporaryFolder()];
  const open = () => testHouse(folder.path, { dataFolder: data.path, newId: randomUUID });
  const run = async (...words: string[]): Promise<string> => {
    using house = open();
    const { code, out, err } = await house.run(...words);
    if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${code} ${out}${err}`);
    return out;
  };
  return {
    root: folder.path,
    ledger: join(folder.path, ".git/tenon/ledger.db"),
    memory: join(data.path, "memory.db"),
    run,
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      data[Symbol.dispose]();
    },
  };
}

function commitAll(root: string): void {
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
}

/** One file without a log, in which the folder has a fixed name. */
function packDatabase(file: string, root: string): string {
  using folder = temporaryFolder();
  const copy = join(folder.path, "copy.db");
  {
    using db = new DatabaseSync(file);
    db.exec(`VACUUM INTO '${copy}'`);
  }
  {
    using db = new DatabaseSync(copy);
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%) STRICT%'").all();
    for (const { name } of tables)
      for (const column of db.prepare(`PRAGMA table_info(${String(name)})`).all())
        if (column["type"] === "TEXT")
          db.exec(
            `UPDATE ${String(name)} SET ${String(column["name"])} = replace(${String(column["name"])}, '${root}', '${SHOP}')`,
          );
    db.exec("VACUUM");
  }
  return fs.readFileSync(copy).toString("base64");
}

/** Makes one of each record. */
async function makeReleased(): Promise<ReleasedWorkspace> {
  using at = openStand();
  fs.writeFileSync(join(at.root, "add.mjs"), "export const add = (a, b) => a + b;\n");
  commitAll(at.root);
  await at.run("init", "--yes");
  await at.run("feature", "Log in", "--id=AUTH-001", "--files=src/login.ts");
  await at.run("lock", "claim", "src/session.ts", "--id=AUTH-001");
  await at.run("change", "start", "Add right", "--type=fix", "--size=small", "--concurrent");
  await at.run("change", "advance", "--content", CHANGE_TEXT);
  await at.run("adr", "record", "Sums are whole", "--standalone", ...DECISION);
  await at.run("memory", "save", "Sums", "Fractions drift", "--topic-key=sums");
  const files = fs
    .readdirSync(join(at.root, "sdd"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    files: Object.fromEntries(files.map((file) => [file.slice(at.root.length + 1), fs.readFileSync(file, "utf8")])),
    ledger: packDatabase(at.ledger, at.root),
    memory: packDatabase(at.memory, at.root),
  };
}

/** Made once per release, with UPDATE=1. A file of an earlier release never changes. */
const CURRENT_FILE = `${FOLDER}/${CURRENT}.json.gz`;
if (process.env["UPDATE"] !== undefined && !fs.existsSync(CURRENT_FILE))
  fs.writeFileSync(CURRENT_FILE, gzipSync(JSON.stringify(await makeReleased()), { level: 9 }));

test("the version of this release has a workspace; UPDATE=1 makes it", () => {
  expect(fs.existsSync(CURRENT_FILE)).toBe(true);
});

test.each(fs.readdirSync(FOLDER))("a workspace of %s opens, shows its work and takes writes", async (name) => {
  const released = JSON.parse(gunzipSync(fs.readFileSync(join(FOLDER, name))).toString("utf8")) as ReleasedWorkspace;
  using at = openStand();
  for (const [path, text] of Object.entries(released.files)) {
    fs.mkdirSync(dirname(join(at.root, path)), { recursive: true });
    fs.writeFileSync(join(at.root, path), text);
  }
  commitAll(at.root);
  fs.mkdirSync(dirname(at.ledger), { recursive: true });
  fs.writeFileSync(at.ledger, Buffer.from(released.ledger, "base64"));
  fs.writeFileSync(at.memory, Buffer.from(released.memory, "base64"));
  expect(await at.run("workflow", "status")).toContain("AUTH-001");
  expect(await at.run("lock", "list")).toContain("src/session.ts");
  expect(await at.run("change", "status", "add-right")).toContain("context-check");
  expect(await at.run("adr", "list")).toContain("Sums are whole");
  await at.run("validate");
  await at.run("adr", "record", "Sums are exact", "--standalone", ...DECISION);
  using memory = new DatabaseSync(at.memory);
  expect(memory.prepare("SELECT title FROM observations").all()).toContainEqual({ title: "Fractions drift" });
});

const earlierSchemas = (migrations: readonly string[]): number[] => migrations.slice(1).map((_, i) => i + 1);

test.each(earlierSchemas(LEDGER_MIGRATIONS))("a ledger of schema %i keeps its rows", async (version) => {
  using at = openStand();
  fs.mkdirSync(dirname(at.ledger), { recursive: true });
  {
    using db = new DatabaseSync(at.ledger);
    db.exec(LEDGER_MIGRATIONS.slice(0, version).join(";\n"));
    db.exec(`INSERT INTO counters (name, value) VALUES ('kept', 7); PRAGMA user_version = ${version}`);
  }
  await at.run("feature", "Log in", "--id=AUTH-001");
  using db = new DatabaseSync(at.ledger);
  expect(db.prepare("SELECT value FROM counters WHERE name = 'kept'").get()).toEqual({ value: 7 });
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: LEDGER_MIGRATIONS.length });
});

test.each(earlierSchemas(MEMORY_MIGRATIONS))("a memory of schema %i takes an observation", async (version) => {
  using at = openStand();
  {
    using db = new DatabaseSync(at.memory);
    db.exec(MEMORY_MIGRATIONS.slice(0, version).join(";\n"));
    db.exec(`PRAGMA user_version = ${version}`);
  }
  await at.run("memory", "save", "Sums", "Fractions drift");
  using db = new DatabaseSync(at.memory);
  expect(db.prepare("SELECT title FROM observations").all()).toEqual([{ title: "Fractions drift" }]);
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: MEMORY_MIGRATIONS.length });
});
