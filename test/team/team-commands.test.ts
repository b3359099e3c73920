import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Ledger, listRecordedEvents } from "#store/adapters/sqlite-ledger.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { tenon } from "../kit/process.ts";
import { featureSpec } from "../kit/specs.ts";

type Row = Readonly<Record<string, unknown>>;

describe.skipIf(postgresProblem)(`commands of a team${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  /** A clone with one commit and a remote, its database, and the program in it. */
  function openTeam() {
    const [repository, shared] = [temporaryRepository(), temporaryFolder()];
    const remote = join(shared.path, "shared.git");
    git(repository.path, "init", "--quiet", "--bare", "--initial-branch=main", remote);
    git(repository.path, "commit", "--quiet", "--allow-empty", "-m", "Begin");
    git(repository.path, "remote", "add", "origin", remote);
    git(repository.path, "push", "--quiet", "origin", "main");
    const url = server.createDatabase();
    const said: string[] = [];
    const run = (words: readonly string[], cwd = repository.path, env: Readonly<Record<string, string>> = {}) => {
      const done = tenon(words, { cwd, env: { TENON_DATABASE_URL: url, ...env } });
      said.push(done.out, done.err);
      return done;
    };
    const ask = (words: readonly string[], cwd?: string) => JSON.parse(run([...words, "--json"], cwd).out) as Row;
    const clone = (name: string): string => {
      const path = join(shared.path, name);
      git(shared.path, "clone", "--quiet", remote, path);
      git(path, "config", "user.name", "Tester");
      git(path, "config", "user.email", "tester@example.com");
      return path;
    };
    return {
      path: repository.path,
      database: new URL(url).pathname.slice(1),
      url,
      said,
      run,
      ask,
      clone,
      [Symbol.dispose]() {
        repository[Symbol.dispose]();
        shared[Symbol.dispose]();
      },
    };
  }

  const start = (name: string): string[] => ["change", "start", name, "--type", "fix", "--size", "small"];
  const listEvents = (root: string) => {
    const ledger = new Ledger(join(root, ".git/tenon/ledger.db"));
    return ledger.look((all) => listRecordedEvents({ all }, 0, 1000))?.map(({ seq, id, kind }) => [seq, id, kind]);
  };

  test("moves a workspace into the database and back, and loses no event", () => {
    using team = openTeam();
    tenon(start("before"), { cwd: team.path });
    const before = listEvents(team.path);
    expect(team.run(start("too-early")).err).toContain("team.other-ledger");
    expect(team.ask(["team", "init", "--move"])["moved"]).toMatchObject({ events: before?.length });
    expect(team.run(["change", "abandon", "before", "--reason", "test"]).code).toBe(0);
    const other = team.clone("other");
    expect(team.run(start("elsewhere"), other).err).toBe("");
    const { clones } = team.ask(["team", "status"]) as { clones: Row[] };
    expect(clones.map(({ checkout, member }) => [String(checkout).replace(/~.*/, "~"), member])).toEqual([
      ["main", "postgres"],
      ["main~", "postgres"],
    ]);
    // Without the address nothing may be written here, because the database would not know.
    expect(tenon(start("apart"), { cwd: team.path }).err).toContain("team.detached");
    const { events } = team.ask(["team", "export", "--here"]);
    expect(String(events)).toBe(server.sql("SELECT count(*) FROM tenon.events", team.database));
    const after = listEvents(team.path) ?? [];
    expect(after.slice(0, before?.length)).toEqual(before);
    expect(after.map(([seq]) => seq)).toEqual(after.map((_, i) => i + 1));
    expect(after).toHaveLength(Number(events));
    expect(tenon(start("apart"), { cwd: team.path }).err).toBe("");
  });

  test("lets workers write, readers read, and shows a repository to its members alone", () => {
    using team = openTeam();
    const { sql } = team.ask(["team", "init", "--print"]) as { sql: string };
    server.sql(sql, team.database);
    server.sql("CREATE ROLE ada LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE eve LOGIN", team.database);
    server.sql("GRANT tenon_worker TO ada; GRANT tenon_reader TO bob", team.database);
    const as = (user: string) => ({ TENON_DATABASE_URL: server.url(team.database, user) });
    const [ada, bob, eve] = ["ada", "bob", "eve"].map((user) => ({ root: team.clone(user), env: as(user) }));
    if (!ada || !bob || !eve) throw new Error("A clone is missing.");
    expect(team.run(start("by-ada"), ada.root, ada.env).err).toBe("");
    expect(server.sql("SELECT DISTINCT member FROM tenon.events", team.database)).toBe("ada");
    expect(JSON.parse(team.run(["team", "status", "--json"], bob.root, bob.env).out)).toMatchObject({ member: "bob" });
    expect(team.run(start("by-bob"), bob.root, bob.env).err).toContain("The user lacks a right for it.");
    expect(team.run(start("by-eve"), eve.root, eve.env).err).toContain("The user lacks a right for it.");
    for (const statement of [
      "DELETE FROM tenon.events",
      "UPDATE tenon.events SET kind = 'x'",
      "DELETE FROM tenon.kept",
    ])
      expect(() => server.sql(`SET ROLE ada; ${statement}`, team.database)).toThrow(/permission denied/);
    server.sql("TRUNCATE tenon.access", team.database);
    expect(team.run(start("again"), ada.root, ada.env).err).toContain("team.unknown-repository");
    expect(server.sql("SET ROLE ada; SELECT count(*) FROM tenon.events", team.database)).toBe("0");
  });

  test("shows who works on what, and lets another clone take over from a machine that is gone", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    team.run(["feature", "Log in", "--id", "AUTH-001", "--session", "ann"]);
    const other = team.clone("other");
    const ask = () => (team.ask(["status", "--team"], other) as { work: Row[] }).work;
    const row = { work: "AUTH-001", who: "ann", checkout: expect.stringMatching(/^main/), member: "postgres" };
    expect(ask()).toEqual([expect.objectContaining({ ...row, is_gone: false })]);
    const held = team.run(["workflow", "resume", "AUTH-001", "--session", "bob"], other);
    expect(held.err).toContain("is working on it");
    server.sql("UPDATE tenon.leases SET expires = clock_timestamp() - interval '1 second'", team.database);
    expect(ask()).toEqual([expect.objectContaining({ ...row, is_gone: true })]);
    const shown = team.run(["status", "--team"], other).out;
    expect(shown).toMatch(/AUTH-001 was with postgres \(.+ in main.*\), who is gone since /);
    expect(shown).toContain("tenon workflow resume AUTH-001");
    const taken = team.run(["workflow", "resume", "AUTH-001", "--session", "bob"], other);
    expect([taken.code, taken.err]).toEqual([0, ""]);
    expect(ask()).toContainEqual(expect.objectContaining({ work: "AUTH-001", who: "bob", is_gone: false }));
  });

  test("records the database user with an approval, whatever name it gives", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    server.sql("CREATE ROLE carl LOGIN; GRANT tenon_worker TO carl", team.database);
    const root = team.clone("carls");
    const env = { TENON_DATABASE_URL: server.url(team.database, "carl") };
    const run = (...words: string[]) => team.run(words, root, env);
    run("feature", "Log in", "--id", "AUTH-001");
    const path = join(root, "sdd/specs/AUTH-001.yaml");
    fs.writeFileSync(path, featureSpec("AUTH-001"));
    expect(run("workflow", "advance", "AUTH-001", "--stage", "discover", "--approve", "Ann").code).toBe(0);
    const sql = "SELECT member FROM tenon.events WHERE kind = 'workflow.approved'";
    expect(server.sql(sql, team.database)).toBe("carl");
    const receipt = fs.readFileSync(join(root, "sdd/receipts/AUTH-001.jsonl"), "utf8");
    expect(receipt).toMatch(/"by":"Ann"[^}]*"member":"carl"/);
  });

  test("refuses a schema of a newer Tenon, and a database without one", () => {
    using team = openTeam();
    expect(team.run(start("first")).err).toContain("team.unknown-repository");
    using empty = temporaryRepository();
    expect(team.run(["team", "init"], empty.path).err).toContain("team.no-repository");
    team.run(["team", "init"]);
    expect(team.run(start("first")).err).toBe("");
    server.sql("INSERT INTO tenon.migrations VALUES (99)", team.database);
    const { err } = team.run(start("second"));
    expect(err).toContain("database.newer");
    expect(err).toContain("It has schema 99, and this version of Tenon knows");
    const doctor = team.run(["team", "doctor"]);
    expect([doctor.code, doctor.out]).toEqual([3, expect.stringContaining("PROBLEM: version 99")]);
  });

  test("takes the address from a file for its owner alone, and never shows it", () => {
    using team = openTeam();
    using home = temporaryFolder();
    team.run(["team", "init"]);
    const url = `${team.url}&password=s3cret-word`;
    const folder = join(team.path, ".git/tenon");
    const file = join(home.path, "team.json");
    fs.writeFileSync(file, JSON.stringify({ [folder]: { "ledger.url": url } }), { mode: 0o644 });
    const inFile = { TENON_DATABASE_URL: "", TENON_HOME: home.path };
    expect(team.run(start("first"), team.path, inFile).err).toContain(`chmod 600 ${file}`);
    fs.chmodSync(file, 0o600);
    expect(team.run(start("first"), team.path, inFile).err).toBe("");
    expect(server.sql("SELECT count(*) > 0 FROM tenon.events", team.database)).toBe("t");
    team.run(["team", "doctor"], team.path, inFile);
    team.run(start("x"), team.path, { TENON_DATABASE_URL: "postgresql://ada:s3cret-word@127.0.0.1:1/nowhere" });
    expect(team.said.at(-1)).toContain("team.unreachable");
    expect(team.said.join("\n")).not.toMatch(/s3cret-word|postgresql:\/\/(?:ada:|\/)/);
  });

  test("shows the state of a restored older dump, and forgets what the database no longer has", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    team.run(start("kept"));
    const options = ["-h", new URL(team.url).searchParams.get("host") ?? "", "-U", "postgres"];
    const dump = execFileSync("pg_dump", [...options, "--schema=tenon", team.database], { encoding: "utf8" });
    const later = team.run(["feature", "Later", "--id", "LATE-001"]);
    expect(later.err).toBe("");
    const restored = server.createDatabase();
    const name = new URL(restored).pathname.slice(1);
    execFileSync("psql", [...options, "-q", "-v", "ON_ERROR_STOP=1", "-d", name], { input: dump, stdio: "pipe" });
    const there = { TENON_DATABASE_URL: restored };
    // Others go on first, so that the numbers of events are no sign.
    const other = team.clone("other");
    for (const each of ["one", "two", "three", "four"]) team.run([...start(each), "--concurrent"], other, there);
    const seen = team.run(["status", "--team"], team.path, there);
    expect(seen.err + seen.out).toContain("restored from a dump");
    // This machine still has the list of work that the dump lacks.
    const again = team.run([...start("again"), "--concurrent"], team.path, there).err;
    expect(again).toMatch(/^note: The ledger lacks LATE-001, .* To restore: tenon doctor --restore\n$/);
    expect(
      listEvents(team.path)
        ?.map(([, id]) => id)
        .join("\n"),
    ).toBe(server.sql("SELECT id FROM tenon.events ORDER BY seq", name));
  });

  test("gives a copied clone a name of its own, and a moved one keeps its name", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    const first = team.clone("first");
    team.run(start("one"), first);
    const listNames = (): string[] =>
      (team.ask(["status", "--team"]) as { clones: Row[] }).clones.map(({ checkout }) => String(checkout));
    const [own] = listNames();
    fs.cpSync(first, `${first}-copy`, { recursive: true });
    team.run([...start("two"), "--concurrent"], `${first}-copy`);
    expect(new Set(listNames()).size).toBe(2);
    fs.renameSync(first, `${first}-moved`);
    team.run([...start("three"), "--concurrent"], `${first}-moved`);
    expect(new Set(listNames()).size).toBe(2);
    expect(listNames()).toContain(own);
  });

  test("reads in a clone that never saw the database, while it is away", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    const fresh = team.clone("fresh");
    const away = { TENON_DATABASE_URL: "postgresql://ada@127.0.0.1:1/nowhere" };
    for (const words of [["memory", "search", "login"], ["status"]]) {
      const { code, err, out } = team.run(words, fresh, away);
      expect([code, err + out]).toEqual([0, expect.stringContaining("nothing that this machine knows yet")]);
    }
    expect(team.run(start("x"), fresh, away).err).toContain("team.unreachable");
  });

  test("goes on from a dump in a new database", () => {
    using team = openTeam();
    team.run(["team", "init"]);
    team.run(start("first"));
    const options = ["-h", new URL(team.url).searchParams.get("host") ?? "", "-U", "postgres"];
    const dump = execFileSync("pg_dump", [...options, "--schema=tenon", team.database], { encoding: "utf8" });
    const restored = server.createDatabase();
    const name = new URL(restored).pathname.slice(1);
    execFileSync("psql", [...options, "-q", "-v", "ON_ERROR_STOP=1", "-d", name], { input: dump, stdio: "pipe" });
    const there = { TENON_DATABASE_URL: restored };
    expect(team.run(["change", "abandon", "first", "--reason", "test"], team.path, there).err).toBe("");
    const joined = team.clone("joined");
    expect(JSON.parse(team.run(["team", "status", "--json"], joined, there).out)).toMatchObject({
      events: listEvents(team.path)?.length,
    });
  });
});
