import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Engine } from "#doors/engine.ts";
import { PostgresDatabase, type PostgresTransaction } from "#kernel/adapters/postgres-database.ts";
import { maskSecrets } from "#kernel/adapters/secret-scan.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { createMemoryLink } from "#memory/adapters/team-link.ts";
import { minute } from "#memory/adapters/place.contract.ts";
import { editObservation, relateObservations, deleteObservation } from "#memory/operations/change-observation.ts";
import { readMemoryContext, readMemoryTimeline } from "#memory/operations/memory-context.ts";
import { saveObservation } from "#memory/operations/save-observation.ts";
import { searchMemory } from "#memory/operations/search-memory.ts";
import { getObservation, readObservationHistory } from "#memory/operations/show-observation.ts";
import { createTeamMemory } from "#memory/operations/team-memory.ts";
import { refusal } from "../kit/fault.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { createTeamDatabase, emptyTeamDatabase, getDatabaseName } from "../kit/team-database.ts";

/** Made from parts, so that no token stands in the repository. */
const TOKEN = ["ghp", "Qz7xR2mK9pLw4TvB8nYc3HdF6sJgA1eU5oXi"].join("_");
const FIRST = 10_000_001;

/** Keeps every statement and value that goes to the server. */
class RecordedDatabase extends PostgresDatabase {
  readonly sent: string[] = [];

  override transact<T>(
    work: (transaction: PostgresTransaction, rows: readonly object[][]) => Promise<T>,
    ...rest: []
  ): Promise<T> {
    return super.transact(
      ({ query, script }, rows) =>
        work(
          {
            query: (sql, ...values) => {
              this.sent.push(sql, ...values.map(String));
              return query(sql, ...values);
            },
            script: (sql) => {
              this.sent.push(sql);
              return script(sql);
            },
          },
          rows,
        ),
      ...rest,
    );
  }
}

interface Member extends Disposable {
  readonly engine: Engine;
  readonly database: RecordedDatabase;
  readonly folder: string;
  minutes: number;
}

describe.skipIf(postgresProblem)(`memory of a team${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = createTeamDatabase(server, "shop", "bank");
  });
  beforeEach(() => {
    emptyTeamDatabase(server, url, "shop", "bank");
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  function joinTeam(repository = "shop", address = url): Member {
    const home = temporaryFolder();
    const own = new SqliteMemory(join(home.path, "memory.db"), home.path);
    const database = new RecordedDatabase(parseDatabaseAddress(address));
    const link = createMemoryLink(database, async () => repository);
    const secrets = { mask: maskSecrets };
    const member = { minutes: 0 };
    const engine = {
      settings: { load: async () => ({ memory: { enabled: true, project: "" } }) },
      memory: async () => createTeamMemory(own, link, { secrets }),
      project: async () => ({ name: `folder-${repository}`, places: [`folder:${home.path}/.git`] }),
      clock: { now: () => minute(member.minutes) },
      tokens: { counter: async () => countTokens },
      secrets,
    } as unknown as Engine;
    return Object.assign(member, {
      engine,
      database,
      folder: home.path,
      [Symbol.dispose]() {
        own[Symbol.dispose]();
        void database.close();
        home[Symbol.dispose]();
      },
    });
  }
  const save = (member: Member, content: string, more: object = {}) =>
    saveObservation.run(member.engine, { content, ...more });
  const saveForTeam = async (member: Member, content: string, more: object = {}) =>
    (await save(member, content, { scope: "team", ...more })).saved[0]?.id ?? 0;
  const find = async (member: Member, query: string, more: object = {}) =>
    (await searchMemory.run(member.engine, { query, ...more })).observations;
  /** Everything that the database holds, as text. */
  const dump = (): string => {
    const database = getDatabaseName(url);
    const tables = server.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'tenon'", database).split("\n");
    return tables.map((table) => server.sql(`SELECT t::text FROM tenon.${table} t`, database)).join("\n");
  };

  test("shows an observation with team scope to every member, and marks it", async () => {
    using ada = joinTeam();
    using bob = joinTeam();
    expect(await saveForTeam(ada, "Codes expire after ten minutes.", { title: "Codes expire" })).toBe(FIRST);
    await save(bob, "Codes are sent by mail.", { title: "Own note" });
    bob.minutes = 5;
    expect((await find(bob, "when do codes expire?")).map(({ id, scope }) => [id, scope])).toEqual([
      [FIRST, "team"],
      [1, undefined],
    ]);
    expect((await find(bob, "codes", { scope: "team" })).map(({ id }) => id)).toEqual([FIRST]);
    expect((await find(bob, "codes", { scope: "project" })).map(({ id }) => id)).toEqual([1]);
    const page = searchMemory.page(await searchMemory.run(bob.engine, { query: "expire" }));
    expect(page.quotes?.[0]?.label).toContain("; team]");
    const context = await readMemoryContext.run(bob.engine, {});
    expect(context.observations.map(({ id }) => id)).toEqual([1, FIRST]);
    const timeline = await readMemoryTimeline.run(bob.engine, { observation_id: FIRST });
    expect([timeline.observation.title, timeline.observation.scope]).toEqual(["Codes expire", "team"]);
  });

  test("ranks both memories with the same weights", async () => {
    using ada = joinTeam();
    for (let i = 0; i < 12; i++) await save(ada, `The server failed, number ${i}.`, { title: `Server ${i}` });
    await saveForTeam(ada, "The zeppelin failed on the server.", { title: "Zeppelin" });
    await saveForTeam(ada, "The server failed again.", { title: "Server again" });
    const found = await find(ada, "server zeppelin");
    expect([found[0]?.title, found.length]).toEqual(["Zeppelin", 10]);
  });

  test("keeps one topic of two members with the text of each as a revision, and counts repetitions", async () => {
    using ada = joinTeam();
    using bob = joinTeam();
    await saveForTeam(ada, "Ten minutes.", { topic_key: "auth/codes" });
    bob.minutes = 1;
    expect((await save(bob, "Five minutes.", { topic_key: "auth/codes", scope: "team" })).action).toBe("updated");
    const history = await readObservationHistory.run(ada.engine, { topic_key: "auth/codes", scope: "team" });
    expect([history.id, history.revisions.map(({ revision }) => revision)]).toEqual([FIRST, [2, 1]]);
    await saveForTeam(ada, "Mail is slow.");
    expect((await save(bob, "Mail is slow.", { scope: "team" })).action).toBe("duplicate");
    expect((await getObservation.run(ada.engine, { id: FIRST + 1 })).duplicates).toBe(2);
  });

  test("keeps every text of a topic that eight connections write at once", async () => {
    const members = Array.from({ length: 8 }, () => joinTeam());
    const session = (i: number) => ({ topic_key: "t", session_id: `s${i}` });
    await Promise.all(members.map((member, i) => saveForTeam(member, `Text ${i}.`, session(i))));
    const [first] = members;
    if (!first) throw new Error("Nobody is there.");
    const history = await readObservationHistory.run(first.engine, { id: FIRST });
    const texts = history.revisions.flatMap(({ diff }) => diff.match(/^\+.*Text \d/gm) ?? []);
    expect([history.revision, new Set(texts).size]).toEqual([8, 8]);
    for (const member of members) member[Symbol.dispose]();
  });

  test("sends nothing of a personal or project observation, nor the name of a folder", async () => {
    using ada = joinTeam();
    await saveForTeam(ada, "Shared text.");
    const ids: number[] = [];
    for (const scope of ["personal", "project"]) {
      const { saved } = await save(ada, `quince ${scope}`, { title: "medlar", scope, topic_key: `sorb/${scope}` });
      ids.push(saved[0]?.id ?? 0);
    }
    await editObservation.run(ada.engine, { id: 1, content: "quince again" });
    await relateObservations.run(ada.engine, { from_id: 1, to_id: 2, relation_type: "medlar" });
    await readMemoryContext.run(ada.engine, {});
    await find(ada, "shared");
    await deleteObservation.run(ada.engine, { id: 2 });
    const everything = `${ada.database.sent.join("\n")}\n${dump()}`;
    expect(ids).toEqual([1, 2]);
    for (const word of ["quince", "medlar", "sorb", ada.folder]) expect(everything).not.toContain(word);
    expect(everything).toContain("Shared text.");
  });

  test("masks secrets in every field and in questions before it sends them", async () => {
    using ada = joinTeam();
    const secret = `password is ${TOKEN} <private>quincequince</private>`;
    await saveForTeam(ada, `Content ${secret}`, {
      title: `Title ${secret}`,
      type: `type ${TOKEN}`,
      namespace: `namespace ${TOKEN}`,
      topic_key: `key/${TOKEN}`,
      source: `source ${secret}`,
      session_id: `session ${TOKEN}`,
      project: `project ${TOKEN}`,
    });
    await saveForTeam(ada, "Second.");
    const id = FIRST;
    await editObservation.run(ada.engine, { id, content: `Again ${secret}`, title: `New ${TOKEN}` });
    await relateObservations.run(ada.engine, {
      from_id: id,
      to_id: id + 1,
      relation_type: `relation ${TOKEN}`,
      note: secret,
    });
    await find(ada, `what is ${secret}?`);
    await find(ada, "second", { namespace: `namespace ${TOKEN}`, project: TOKEN });
    const body = TOKEN.slice(4);
    const everything = `${ada.database.sent.join("\n")}\n${dump()}`.toLowerCase();
    for (const word of [TOKEN, body, "quincequince"]) expect(everything).not.toContain(word.toLowerCase());
    expect(everything).toContain("masked github-token");
  });

  test("masks what reaches the team's memory past the operations", async () => {
    using ada = joinTeam();
    const memory = await ada.engine.memory();
    const text = `${TOKEN} <private>quincequince</private>`;
    const content = () => text;
    const common = { project: { name: TOKEN, places: [] }, session: text, type: text, namespace: "", title: text };
    const team = { ...common, scope: "team" } as const;
    await memory.save([{ ...team, content: text }], minute(0));
    await memory.save([{ ...team, topic_key: text, source: text, content }], minute(1));
    await memory.update(FIRST, { content: text, topic_key: text }, minute(2)).catch(() => undefined);
    await memory.topic({ ...team, topic_key: text });
    await memory.purge(text, { name: TOKEN, places: [] }, false, minute(3));
    await memory.recent({ scope: "team", namespace: text }, 9);
    expect(`${ada.database.sent.join("\n")}\n${dump()}`).not.toContain(TOKEN);
    expect(`${ada.database.sent.join("\n")}\n${dump()}`).toContain("MASKED");
  });

  test("neither shows nor changes anything of another repository", async () => {
    using ada = joinTeam("shop");
    using eve = joinTeam("bank");
    const id = await saveForTeam(ada, "The zeppelin is ours.", { topic_key: "air/zeppelin", source: "notes.md" });
    expect(await find(eve, "zeppelin", { project: "*" })).toEqual([]);
    expect((await readMemoryContext.run(eve.engine, { project: "*" })).observations).toEqual([]);
    const calls = [
      getObservation.run(eve.engine, { id }),
      readMemoryTimeline.run(eve.engine, { observation_id: id }),
      readObservationHistory.run(eve.engine, { topic_key: "air/zeppelin", scope: "team" }),
      editObservation.run(eve.engine, { id, content: "Mine." }),
      deleteObservation.run(eve.engine, { id, hard_delete: true }),
    ];
    const codes = await Promise.all(calls.map(async (call) => (await refusal(call)).code));
    expect(codes).toEqual(Array.from(calls, () => "memory.unknown"));
    expect((await deleteObservation.run(eve.engine, { source: "notes.md" })).count).toBe(0);
    expect(await saveForTeam(eve, "Ours.", { topic_key: "air/zeppelin" })).toBe(id);
    expect((await getObservation.run(ada.engine, { id })).observation.text).toBe("The zeppelin is ours.");
  });

  test("shows a member of another repository nothing, whatever repository a statement names", async () => {
    using ada = joinTeam("shop");
    await saveForTeam(ada, "The zeppelin is ours.");
    const database = getDatabaseName(url);
    const grant = "GRANT tenon_worker TO eve; INSERT INTO tenon.access VALUES ('bank', 'eve')";
    server.sql(`CREATE ROLE eve LOGIN; ${grant}`, database);
    const asEve = joinTeam("shop", server.url(database, "eve"));
    expect(await find(asEve, "zeppelin")).toEqual([]);
    expect((await refusal(saveForTeam(asEve, "Mine."))).code).toBe("memory.team-away");
    asEve[Symbol.dispose]();
    using eve = joinTeam("bank", server.url(database, "eve"));
    const id = await saveForTeam(eve, "Of the bank.");
    await deleteObservation.run(eve.engine, { id, hard_delete: true });
    expect(dump()).not.toContain("Of the bank.");
  });

  test("answers from the own memory with one warning while the server is away, and never hangs", async () => {
    using ada = joinTeam();
    await saveForTeam(ada, "Shared zeppelin.");
    await save(ada, "Own zeppelin.");
    const ask = () => searchMemory.run(ada.engine, { query: "zeppelin" });
    process.kill(server.pid, "SIGSTOP");
    for (const pid of listBackends(server.pid)) process.kill(pid, "SIGSTOP");
    const frozen = await ask();
    for (const pid of [server.pid, ...listBackends(server.pid)]) process.kill(pid, "SIGCONT");
    await server.stop("SIGKILL");
    using bob = joinTeam();
    await save(bob, "Own zeppelin.");
    const away = await searchMemory.run(bob.engine, { query: "zeppelin" });
    const failed = await refusal(saveForTeam(bob, "More."));
    const number = await refusal(getObservation.run(bob.engine, { id: FIRST }));
    await server.start();
    for (const { observations, notes } of [frozen, away])
      expect([observations.map(({ id }) => id), notes]).toEqual([
        [1],
        ["The team's database did not answer. Only your own memory was read."],
      ]);
    expect([failed.code, number.code]).toEqual(["memory.team-away", "memory.team-away"]);
    using carol = joinTeam();
    expect((await find(carol, "zeppelin")).map(({ id }) => id)).toEqual([FIRST]);
  });

  test("keeps the two memories apart in relations and changes of scope", async () => {
    using ada = joinTeam();
    const shared = await saveForTeam(ada, "Shared.");
    await save(ada, "Own.");
    const mixed = relateObservations.run(ada.engine, { from_id: 1, to_id: shared, relation_type: "part_of" });
    expect((await refusal(mixed)).code).toBe("memory.bad-relation");
    expect((await refusal(editObservation.run(ada.engine, { id: 1, scope: "team" }))).code).toBe("input.invalid");
    const related = await save(ada, "New.", { scope: "team", relate_to: [1, shared] });
    expect([related.related, related.notes]).toEqual([1, ["Not related: #1 is in your own memory."]]);
    const { relations } = await getObservation.run(ada.engine, { id: shared });
    expect(relations.map(({ from_id, to_id }) => [from_id, to_id])).toEqual([[shared + 1, shared]]);
    const [relation] = relations;
    await relateObservations.run(ada.engine, { action: "remove", id: relation?.id });
    expect((await getObservation.run(ada.engine, { id: shared })).relations).toEqual([]);
  });

  test("rejects team scope where no database of a team is set", async () => {
    using ada = joinTeam();
    const own = new SqliteMemory(join(ada.folder, "memory.db"), ada.folder);
    const alone = { ...ada.engine, memory: async () => own };
    const call = saveObservation.run(alone, { content: "Shared.", scope: "team" });
    expect(await refusal(call)).toEqual({
      code: "memory.no-team",
      message: "The team's memory was not used. TENON_DATABASE_URL is not set, or this is not a git repository.",
    });
    own[Symbol.dispose]();
  });
});

/** The server's processes, one for each connection among them. */
const listBackends = (pid: number): number[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
