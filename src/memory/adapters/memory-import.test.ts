import { describe, expect, test } from "vitest";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { BANK, finds, minute, saveOne, SHOP, textsOf } from "./place.contract.ts";
import { exportOf, makePlace, type SqlitePlace, take, tally } from "./sqlite-place.contract.ts";

interface Pair extends Disposable {
  readonly here: MemoryStore;
  readonly there: MemoryStore;
  /** Takes in what is there now, and then once more, which must change nothing. */
  bring(): Promise<unknown>;
  /** As `bring`, the other way. */
  send(): Promise<unknown>;
}

/** Two memories that exchange what they know. */
function makePair(): Pair {
  const places = [makePlace(), makePlace()] as const;
  const [here, there] = [places[0].open(), places[1].open()];
  const carry = async (from: MemoryStore, fromPlace: SqlitePlace, to: MemoryStore, toPlace: SqlitePlace) => {
    const { file } = await exportOf(from, fromPlace);
    const done = await take(to, file);
    const { text } = await exportOf(to, toPlace);
    const { buried, unchanged, ...changed } = await take(to, file);
    expect(changed).toEqual({ ...changed, added: 0, updated: 0, read: buried + unchanged });
    expect((await exportOf(to, toPlace)).text).toBe(text);
    expect((await to.health()).problem).toBeUndefined();
    return done;
  };
  return {
    here,
    there,
    bring: () => carry(there, places[1], here, places[0]),
    send: () => carry(here, places[0], there, places[1]),
    [Symbol.dispose]() {
      for (const place of places) place[Symbol.dispose]();
    },
  };
}

const TOPIC = { project: SHOP, scope: "project", namespace: "", topic_key: "auth" } as const;
const say = (memory: MemoryStore, content: string, at: number) => saveOne(memory, { ...TOPIC, content }, minute(at));

async function sayAll(memory: MemoryStore, texts: Readonly<Record<string, number>>): Promise<void> {
  for (const [content, at] of Object.entries(texts)) await say(memory, content, at);
}

/** What the topic says, what it ever said, and whether it can say something new. */
async function state(memory: MemoryStore): Promise<{ present: string | undefined; all: string[]; next: string }> {
  const row = await memory.topic(TOPIC);
  const all = (await textsOf(memory, row?.id ?? 0)).toSorted();
  const { action } = await say(memory, `${row?.content} and more`, 900);
  return { present: row?.content, all, next: action };
}

describe("two entries with one topic", () => {
  test.each([
    ["keeps the later text if it is theirs", { a: 1, b: 2 }, { x: 1, y: 3 }, "y", ["a", "b", "x", "y"]],
    ["keeps the later text if it is ours", { a: 1, b: 3 }, { x: 1, y: 2 }, "b", ["a", "b", "x", "y"]],
    ["keeps one text if both are equal", { a: 1 }, { a: 2 }, "a", ["a"]],
    ["keeps our later text if it is their first", { a: 3 }, { a: 1, x: 2 }, "a", ["a", "x"]],
    ["keeps their later text if it is our first", { a: 1, b: 2 }, { a: 3 }, "a", ["a", "a", "b"]],
  ])("%s", async (_, ours, theirs, present, all) => {
    using pair = makePair();
    await sayAll(pair.here, ours);
    await sayAll(pair.there, theirs);
    expect(await pair.bring()).toEqual(tally(1, { updated: 1 }));
    expect((await pair.here.stats()).observations).toBe(1);
    expect(await state(pair.here)).toEqual({ present, all, next: "updated" });
  });

  test("still imports later texts", async () => {
    using pair = makePair();
    await say(pair.here, "ours", 1);
    await say(pair.there, "theirs", 2);
    await pair.bring();
    await say(pair.there, "theirs, later", 3);
    expect(await pair.bring()).toEqual(tally(1, { updated: 1 }));
    expect(await state(pair.here)).toEqual({
      present: "theirs, later",
      all: ["ours", "theirs", "theirs, later"],
      next: "updated",
    });
  });

  test("both imports converge in either order", async () => {
    using pair = makePair();
    await sayAll(pair.here, { a: 1, b: 4 });
    await sayAll(pair.there, { x: 2, y: 3 });
    await pair.bring();
    await pair.send();
    await pair.bring();
    const both = [await state(pair.here), await state(pair.there)];
    expect(both).toEqual([both[0], both[0]]);
    expect(both[0]).toEqual({ present: "b", all: ["a", "b", "x", "y"], next: "updated" });
  });

  test("moves relations of both entries to the joined one", async () => {
    using pair = makePair();
    await say(pair.here, "ours", 1);
    await say(pair.there, "theirs", 2);
    const { observation } = await saveOne(pair.there, { title: "Beside" });
    await pair.there.relate({ from_id: observation.id, to_id: 1, type: "part_of" }, false, minute(3));
    await pair.bring();
    const [relation] = await pair.here.relations([1]);
    const from = await pair.here.get(relation?.from_id ?? 0);
    expect([from?.title, relation?.to_id]).toEqual(["Beside", 1]);
  });

  test("stay destroyed under both names, with their relations", async () => {
    using pair = makePair();
    await say(pair.here, "ours", 1);
    await say(pair.there, "theirs", 2);
    const { observation } = await saveOne(pair.there, { title: "Beside" });
    await pair.there.relate({ from_id: observation.id, to_id: 1, type: "part_of" }, false, minute(3));
    await pair.bring();
    await pair.here.remove(1, true, minute(4));
    expect(await pair.bring()).toEqual(tally(2, { unchanged: 1, buried: 1 }));
    expect([await pair.here.topic(TOPIC), (await pair.here.stats()).relations]).toEqual([undefined, 0]);
  });
});

describe("an entry known in two states", () => {
  test.each([
    ["went on there", {}, { b: 2, c: 3 }, "c", ["a", "b", "c"]],
    ["went on here", { b: 2, c: 3 }, {}, "c", ["a", "b", "c"]],
    ["went on in both, there later", { b: 2 }, { x: 3 }, "x", ["a", "b", "x"]],
    ["went on in both, here later", { b: 3 }, { x: 2 }, "b", ["a", "b", "x"]],
    ["went on in both at once", { b: 2 }, { x: 2 }, "b", ["a", "b", "x"]],
    ["went further there, and here later", { b: 9 }, { x: 2, y: 3, z: 4 }, "b", ["a", "b", "x", "y", "z"]],
    ["went further here, and there later", { b: 2, c: 3, d: 4 }, { x: 9 }, "x", ["a", "b", "c", "d", "x"]],
  ])(
    "%s: keeps the later text as the current one, and every other as a revision",
    async (_, ours, theirs, present, all) => {
      using pair = makePair();
      await say(pair.here, "a", 1);
      await pair.send();
      await sayAll(pair.here, ours);
      await sayAll(pair.there, theirs);
      const isNews = Object.keys(theirs).length > 0;
      expect(await pair.bring()).toEqual(tally(1, isNews ? { updated: 1 } : { unchanged: 1 }));
      expect(await state(pair.here)).toEqual({ present, all, next: "updated" });
    },
  );

  test("restores a text that the other side restored", async () => {
    using pair = makePair();
    await say(pair.here, "a", 1);
    await pair.send();
    for (const [content, at] of [
      ["b", 2],
      ["a", 3],
    ] as const)
      await say(pair.there, content, at);
    await pair.bring();
    expect([await pair.here.get(1), await pair.here.revisions(1)]).toEqual([
      await pair.there.get(1),
      await pair.there.revisions(1),
    ]);
  });

  test("takes over an entry that changed only on the other side, to the byte", async () => {
    using pair = makePair();
    await say(pair.here, "a", 1);
    await pair.send();
    await sayAll(pair.there, { b: 2, c: 3 });
    await pair.bring();
    expect([await pair.here.get(1), await pair.here.revisions(1)]).toEqual([
      await pair.there.get(1),
      await pair.there.revisions(1),
    ]);
    expect([await finds(pair.here, "a"), await finds(pair.here, "c")]).toEqual([["A title"], ["A title"]]);
  });

  test.each([
    ["deletes an entry that was deleted there", 5, true],
    ["keeps an entry that was deleted there and saved here later", 9, false],
  ])("%s", async (_, saidAt, isAway) => {
    using pair = makePair();
    await say(pair.here, "a", 1);
    await pair.send();
    await say(pair.here, "b", saidAt);
    await pair.there.remove(1, false, minute(7));
    await pair.bring();
    expect((await pair.here.get(1))?.deleted_at).toBe(isAway ? minute(7) : undefined);
    expect(await finds(pair.here, "title")).toEqual(isAway ? [] : ["A title"]);
  });

  test("hides an entry that became a prompt and was deleted on the other side", async () => {
    using pair = makePair();
    await say(pair.here, "a", 1);
    await pair.send();
    await pair.there.update(1, { type: "prompt" }, minute(2));
    await pair.there.remove(1, false, minute(3));
    await pair.bring();
    expect([await finds(pair.here, "title"), await finds(pair.here, "title", { type: "prompt" })]).toEqual([[], []]);
  });

  test("does not return after it was destroyed here, nor do its relations", async () => {
    using pair = makePair();
    await saveOne(pair.here, { title: "Stays" });
    await saveOne(pair.here, { title: "Goes" });
    await pair.here.relate({ from_id: 1, to_id: 2, type: "part_of" }, true, minute(1));
    await pair.send();
    await pair.here.remove(2, true, minute(2));
    expect(await pair.bring()).toEqual(tally(2, { unchanged: 1, buried: 1 }));
    expect([await pair.here.get(2), await finds(pair.here, "goes"), (await pair.here.stats()).relations]).toEqual([
      undefined,
      [],
      0,
    ]);
  });

  test("stays here when destroyed elsewhere, and is not taken from others if it was never here", async () => {
    using pair = makePair();
    using third = makePlace();
    await saveOne(pair.here, { title: "Goes" });
    await pair.send();
    await pair.there.remove(1, true, minute(2));
    await pair.bring();
    expect(await finds(pair.here, "goes")).toEqual(["Goes"]);
    using fourth = makePlace();
    await take(fourth.open(), (await exportOf(pair.there, third)).file);
    expect(await take(fourth.open(), (await exportOf(pair.here, third)).file)).toEqual(tally(1, { buried: 1 }));
  });
});

describe("collisions", () => {
  test("assigns no number twice, and relations follow their observations", async () => {
    using pair = makePair();
    await saveOne(pair.here, { title: "Local", project: BANK });
    await saveOne(pair.there, { title: "Distant" });
    await saveOne(pair.there, { title: "Beside" });
    await pair.there.relate({ from_id: 1, to_id: 2, type: "part_of" }, false, minute(1));
    await pair.bring();
    const all = await Promise.all([1, 2, 3].map(async (id) => [id, (await pair.here.get(id))?.title]));
    expect(all).toEqual([
      [1, "Local"],
      [2, "Distant"],
      [3, "Beside"],
    ]);
    expect(await pair.here.relations([2])).toEqual([{ id: 1, from_id: 2, to_id: 3, type: "part_of" }]);
  });

  test("assigns no relation number twice", async () => {
    using pair = makePair();
    for (const memory of [pair.here, pair.there]) {
      for (const title of ["One", "Two"]) await saveOne(memory, { title: `${title} ${memory === pair.here}` });
      await memory.relate({ from_id: 1, to_id: 2, type: "part_of" }, false, minute(1));
    }
    await pair.bring();
    expect((await pair.here.relations([1, 2, 3, 4])).map(({ id, from_id, to_id }) => [id, from_id, to_id])).toEqual([
      [1, 1, 2],
      [2, 3, 4],
    ]);
  });

  const project = (name: string, owner: string) => ({ name, owner, places: [`remote:example.com/${owner}`] });

  test("keeps two remotes of one name as two projects", async () => {
    using pair = makePair();
    await saveOne(pair.here, { project: project("web", "us"), topic_key: "t", title: "Local" });
    await saveOne(pair.there, { project: project("web", "them"), topic_key: "t", title: "Distant", session: "s" });
    await pair.bring();
    expect([
      await finds(pair.here, "local distant", { project: project("web", "us") }),
      await finds(pair.here, "local distant", { project: project("web", "them") }),
      (await pair.here.sessions(project("web", "them"), 9)).map(({ id }) => id),
    ]).toEqual([["Local"], ["Distant"], ["s"]]);
  });

  test("joins two names of one remote into one project, with its name here", async () => {
    using pair = makePair();
    await saveOne(pair.here, { project: project("web", "us"), title: "Local" });
    await saveOne(pair.there, { project: project("site", "us"), title: "Distant" });
    await pair.bring();
    const { projects } = await pair.here.stats();
    expect(projects).toEqual([{ name: "web", observations: 2, aliases: ["site"] }]);
    expect(await finds(pair.here, "local distant", { project: { name: "site", places: [] } })).toEqual([
      "Local",
      "Distant",
    ]);
  });

  test("joins a session that both sides know", async () => {
    using pair = makePair();
    await saveOne(pair.here, { session: "s", title: "Local" }, minute(5));
    await pair.there.startSession(SHOP, { id: "s", directory: "/there" }, minute(1));
    await saveOne(pair.there, { session: "s", title: "Distant" }, minute(2));
    await pair.there.endSession(SHOP, "s", undefined, minute(3));
    await pair.bring();
    expect(await pair.here.sessions(SHOP, 9)).toEqual([
      {
        id: "s",
        project: "shop",
        directory: "/there",
        started_at: minute(1),
        ended_at: minute(3),
        observations: 2,
      },
    ]);
  });
});

describe("changes without a new text", () => {
  test("imports a topic without inventing a revision", async () => {
    using pair = makePair();
    await saveOne(pair.there, { title: "Auth", content: "Keys." }, minute(1));
    await pair.bring();
    await pair.there.update(1, { topic_key: "auth" }, minute(2));
    await pair.bring();
    const [row] = await pair.here.recent({}, 9);
    expect([row?.topic_key, row?.revision, row?.updated_at]).toEqual(["auth", 1, minute(2)]);
  });

  test("deletes and restores an entry as the other side does", async () => {
    using pair = makePair();
    await saveOne(pair.there, { title: "Auth", content: "Keys." }, minute(1));
    await pair.bring();
    await pair.there.remove(1, false, minute(2));
    await pair.bring();
    expect(await finds(pair.here, "keys")).toEqual([]);
    await pair.there.restore(1, minute(3));
    await pair.bring();
    expect([await finds(pair.here, "keys"), (await pair.here.get(1))?.revision]).toEqual([["Auth"], 1]);
  });

  test("keeps a folder of the same name on another machine as a separate project", async () => {
    using pair = makePair();
    const at = (name: string) => ({ name, places: ["folder:/srv/app/.git"] });
    await saveOne(pair.there, { project: at("shop"), title: "Theirs" });
    await saveOne(pair.here, { project: at("blog"), title: "Ours" });
    await pair.bring();
    const { projects } = await pair.here.stats();
    expect(projects.map(({ name, aliases }) => [name, aliases])).toEqual([
      ["blog", []],
      ["shop", []],
    ]);
  });
});
