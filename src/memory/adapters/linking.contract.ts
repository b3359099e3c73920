import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { BANK, draft, finds, type MakeMemory, minute, saveOne, saveTitled, SHOP, titles } from "./place.contract.ts";

/** What belongs together: sessions, those beside one another, and relations. */
export function linking(name: string, make: MakeMemory): void {
  describe(`${name}: sessions`, () => {
    sessions(make);
  });
  describe(`${name}: neighbours`, () => {
    beside(make);
  });
  describe(`${name}: relations`, () => {
    relations(make);
  });
}

function sessions(make: MakeMemory): void {
  const summary = draft({
    session: "s1",
    type: "session_summary",
    title: "Session summary: shop",
    content: "Fixed the login.",
    topic_key: "session/s1",
  });

  test("starts, fills and ends a session with a summary that can be found, and resumes it", async () => {
    using place = make();
    const memory = place.open();
    const begun = { id: "s1", project: "shop", directory: "/work", started_at: minute(0), observations: 0 };
    expect(await memory.startSession(SHOP, { id: "s1", directory: "/work" }, minute(0))).toEqual({
      ...begun,
      isNew: true,
    });
    await saveOne(memory, { session: "s1" }, minute(1));
    const ended = { ...begun, ended_at: minute(2), summary: "Fixed the login.", observations: 2 };
    expect(await memory.endSession(SHOP, "s1", summary, minute(2))).toEqual(ended);
    expect([await memory.sessions(SHOP, 9), await finds(memory, "login")]).toEqual([[ended], [summary.title]]);
    const { ended_at: _, ...going } = ended;
    expect(await memory.startSession(SHOP, { id: "s1" }, minute(3))).toEqual({ ...going, isNew: false });
    expect(await memory.endSession(SHOP, "s1", undefined, minute(4))).toEqual({ ...ended, ended_at: minute(4) });
  });

  test("does not end a session that this project did not start", async () => {
    using place = make();
    const memory = place.open();
    await memory.startSession(BANK, { id: "s1" }, minute(0));
    expect(await refusal(memory.endSession(SHOP, "s1", summary, minute(1)))).toEqual({
      code: "memory.unknown-session",
      message: 'The session was not ended. No session "s1" was started in this project.',
    });
    const [session] = await memory.sessions(undefined, 9);
    expect([session?.ended_at, await finds(memory, "login")]).toEqual([undefined, []]);
  });

  test("lists sessions of one project or all by their last activity", async () => {
    using place = make();
    const memory = place.open();
    for (const [i, id] of ["s1", "s2", "s3"].entries()) await memory.startSession(SHOP, { id }, minute(i));
    await memory.startSession(BANK, { id: "s1" }, minute(5));
    await saveOne(memory, { session: "s1" }, minute(4));
    const ids = async (...asked: Parameters<typeof memory.sessions>) =>
      (await memory.sessions(...asked)).map(({ project, id }) => `${project} ${id}`);
    expect([await ids(SHOP, 2), await ids(undefined, 9), await ids({ name: "nowhere", places: [] }, 9)]).toEqual([
      ["shop s1", "shop s3"],
      ["bank s1", "shop s1", "shop s3", "shop s2"],
      [],
    ]);
  });
}

function beside(make: MakeMemory): void {
  test("lists neighbours of the same session, nearest first, without prompts", async () => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["1", "2", "3"], { session: "s" });
    await saveOne(memory, { title: "Elsewhere", session: "t" });
    await saveOne(memory, { title: "Of the bank", session: "s", project: BANK });
    await saveOne(memory, { title: "Asked", session: "s", type: "prompt" });
    await saveTitled(memory, ["4", "5", "6"], { session: "s" });
    const centre = await memory.get(3);
    if (!centre) throw new Error("It does not exist.");
    const near = (await memory.neighbours([centre], 2)).get(3);
    const around = async (before: number, after: number) => {
      const found = await memory.around(centre, before, after);
      return [titles(found.before), titles(found.after)];
    };
    expect([titles(near?.before ?? []), titles(near?.after ?? [])]).toEqual([
      ["2", "1"],
      ["4", "5"],
    ]);
    expect([await around(1, 5), await around(0, 0)]).toEqual([
      [["2"], ["4", "5", "6"]],
      [[], []],
    ]);
    expect((await memory.around(centre, 1, 1)).session).toEqual({
      id: "s",
      project: "shop",
      started_at: minute(0),
      observations: 7,
    });
  });

  test("finds the neighbours of each requested observation", async () => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["1", "2"], { session: "s" });
    const asked = await memory.recent({}, 9);
    const found = await memory.neighbours(asked, 2);
    expect([...found].map(([id, { before, after }]) => [id, titles(before), titles(after)])).toEqual([
      [2, ["1"], []],
      [1, [], ["2"]],
    ]);
  });
}

function relations(make: MakeMemory): void {
  const make3 = async (memory: ReturnType<ReturnType<MakeMemory>["open"]>) => saveTitled(memory, ["A", "B", "C"]);

  test("stores the two ends of a relation and a note", async () => {
    using place = make();
    const memory = place.open();
    await make3(memory);
    const made = await memory.relate({ from_id: 1, to_id: 2, type: "depends_on", note: "why" }, false, minute(3));
    expect(made).toEqual([{ id: 1, from_id: 1, to_id: 2, type: "depends_on", note: "why" }]);
    await memory.relate({ from_id: 3, to_id: 1, type: "part_of" }, false, minute(4));
    expect([await memory.relations([2]), (await memory.relations([1, 2])).map(({ id }) => id)]).toEqual([made, [1, 2]]);
  });

  test("stores both directions as two relations, and adds the missing one", async () => {
    using place = make();
    const memory = place.open();
    await make3(memory);
    const there = { from_id: 1, to_id: 2, type: "relates_to" };
    const back = { from_id: 2, to_id: 1, type: "relates_to" };
    await memory.relate(back, false, minute(3));
    expect(await memory.relate(there, true, minute(4))).toEqual([
      { id: 1, ...back },
      { id: 2, ...there },
    ]);
    expect((await refusal(memory.relate(there, true, minute(5)))).code).toBe("memory.bad-relation");
  });

  test.each([
    [
      "of an observation to itself",
      1,
      1,
      "memory.bad-relation",
      "The relation was not added. #1 cannot be related to itself.",
    ],
    ["that exists already", 1, 2, "memory.bad-relation", "The relation was not added. #1 part_of #2 exists already."],
    [
      "to a deleted observation",
      1,
      3,
      "memory.deleted",
      `Observation #3 cannot be used. It was deleted at ${minute(4)}.`,
    ],
    [
      "from a deleted observation",
      3,
      1,
      "memory.deleted",
      `Observation #3 cannot be used. It was deleted at ${minute(4)}.`,
    ],
    [
      "to an unknown observation",
      1,
      9,
      "memory.unknown",
      "Observation #9 cannot be found. No observation has that number.",
    ],
    [
      "from an unknown observation",
      9,
      1,
      "memory.unknown",
      "Observation #9 cannot be found. No observation has that number.",
    ],
  ])("does not create a relation %s", async (_, from_id, to_id, code, message) => {
    using place = make();
    const memory = place.open();
    await make3(memory);
    await memory.relate({ from_id: 1, to_id: 2, type: "part_of" }, false, minute(3));
    await memory.remove(3, false, minute(4));
    expect(await refusal(memory.relate({ from_id, to_id, type: "part_of" }, false, minute(5)))).toEqual({
      code,
      message,
    });
    expect((await memory.stats()).relations).toBe(1);
  });

  test("removes a relation once", async () => {
    using place = make();
    const memory = place.open();
    await make3(memory);
    const [made] = await memory.relate({ from_id: 1, to_id: 2, type: "part_of", note: "n" }, false, minute(3));
    expect(await memory.unrelate(1)).toEqual(made);
    expect(await refusal(memory.unrelate(1))).toEqual({
      code: "memory.unknown-relation",
      message: "Relation 1 cannot be removed. No relation has that number.",
    });
    expect(await memory.relations([1, 2])).toEqual([]);
  });

  test("keeps a relation while one end is deleted", async () => {
    using place = make();
    const memory = place.open();
    await make3(memory);
    const made = await memory.relate({ from_id: 1, to_id: 2, type: "part_of" }, false, minute(3));
    await memory.remove(2, false, minute(4));
    await memory.restore(2, minute(5));
    expect(await memory.relations([1])).toEqual(made);
  });
}
