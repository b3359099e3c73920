import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import {
  BANK,
  day,
  draft,
  finds,
  type MakeMemory,
  minute,
  saveOne,
  saveTitled,
  SHOP,
  titles,
} from "./place.contract.ts";

/** Putting away, bringing back, destroying and compacting. */
export function removing(name: string, make: MakeMemory): void {
  describe(`${name}: deleting`, () => {
    puttingAway(make);
  });
  describe(`${name}: destroying`, () => {
    destroying(make);
  });
  describe(`${name}: purging`, () => {
    purging(make);
  });
  describe(`${name}: compacting`, () => {
    compacting(make);
  });
}

function puttingAway(make: MakeMemory): void {
  test("a deleted observation is found only by number, and can be restored", async () => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["Before", "Apples", "After"]);
    const before = await memory.get(1);
    const look = async () => {
      const centre = await memory.get(1);
      const around = centre && (await memory.around(centre, 5, 5));
      return [
        await finds(memory, "apples"),
        titles(await memory.recent({}, 9)),
        titles(around?.after ?? []),
        titles((await memory.neighbours(before ? [before] : [], 2)).get(1)?.after ?? []),
        titles((await memory.stale({}, day(1), 9)).observations),
        (await memory.stats()).observations,
      ];
    };
    const whole = [
      ["Apples"],
      ["After", "Apples", "Before"],
      ["Apples", "After"],
      ["Apples", "After"],
      ["Before", "Apples", "After"],
      3,
    ];
    expect(await look()).toEqual(whole);
    const put = await memory.remove(2, false, minute(9));
    expect(put.deleted_at).toBe(minute(9));
    expect(await memory.get(2)).toEqual(put);
    expect(await look()).toEqual([[], ["After", "Before"], ["After"], ["After"], ["Before", "After"], 2]);
    const { deleted_at: _, ...alive } = put;
    // To be brought back is a change.
    expect(await memory.restore(2, minute(10))).toEqual({ ...alive, updated_at: minute(10) });
    expect(await look()).toEqual(whole.with(1, ["Apples", "After", "Before"]).with(4, ["Before", "After", "Apples"]));
  });

  test("deletes once, and restores an existing observation without a change", async () => {
    using place = make();
    const memory = place.open();
    const { observation } = await saveOne(memory);
    expect(await memory.restore(1, minute(1))).toEqual(observation);
    await memory.remove(1, false, minute(2));
    expect((await refusal(memory.remove(1, false, minute(3)))).code).toBe("memory.deleted");
    expect((await memory.get(1))?.deleted_at).toBe(minute(2));
  });

  test("frees its topic, and is not restored while another observation uses it", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { topic_key: "t", content: "First." });
    await memory.remove(1, false, minute(1));
    const topic = { project: SHOP, scope: "project", namespace: "", topic_key: "t" } as const;
    expect(await memory.topic(topic)).toBeUndefined();
    expect((await saveOne(memory, { topic_key: "t", content: "Second." }, minute(2))).action).toBe("created");
    expect(await refusal(memory.restore(1, minute(3)))).toEqual({
      code: "memory.topic-taken",
      message: "The topic key t cannot be given to a second observation. Observation #2 has it.",
    });
    expect([(await memory.get(1))?.deleted_at, await finds(memory, "first")]).toEqual([minute(1), []]);
    await memory.remove(2, false, minute(4));
    expect((await memory.restore(1, minute(5))).id).toBe(1);
  });

  test("an unknown observation can be neither deleted nor restored", async () => {
    using place = make();
    const memory = place.open();
    for (const call of [memory.remove(4, false, minute(0)), memory.remove(4, true, minute(0)), memory.restore(4, "")]) {
      expect((await refusal(call)).code).toBe("memory.unknown");
    }
  });
}

function destroying(make: MakeMemory): void {
  test.each([
    ["a live observation", false],
    ["a deleted observation", true],
  ])("removes revisions and relations when %s is destroyed", async (_, isPutAway) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { title: "Stays", content: "x", session: "s" });
    await saveOne(memory, { title: "Goes", content: "One.", topic_key: "t", session: "s" });
    await saveOne(memory, { title: "Goes", content: "Two.", topic_key: "t", session: "s" });
    await memory.relate({ from_id: 1, to_id: 2, type: "part_of" }, true, minute(1));
    if (isPutAway) await memory.remove(2, false, minute(2));
    expect((await memory.remove(2, true, minute(3))).content).toBe("Two.");
    const { observations, deleted, revisions, relations } = await memory.stats();
    expect({ observations, deleted, revisions, relations }).toEqual({
      observations: 1,
      deleted: 0,
      revisions: 0,
      relations: 0,
    });
    expect([await memory.get(2), await memory.revisions(2), await memory.relations([1, 2])]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect([await finds(memory, "two"), (await memory.sessions(SHOP, 9))[0]?.observations]).toEqual([[], 1]);
    expect((await memory.health()).problem).toBeUndefined();
  });
}

function purging(make: MakeMemory): void {
  const fill = async (memory: ReturnType<ReturnType<MakeMemory>["open"]>) => {
    await memory.save(
      [
        draft({ title: "Page", source: "https://example.com" }),
        draft({ title: "Bank page", source: "https://example.com", project: BANK }),
        draft({ title: "Put away", source: "https://example.com" }),
        draft({ title: "File", source: "notes.md" }),
        draft({ title: "Own" }),
      ],
      minute(0),
    );
    await memory.remove(3, false, minute(1));
  };

  test.each([
    [
      "softly, everywhere",
      undefined,
      false,
      2,
      [
        [4, 5],
        [1, 2, 3],
      ],
    ],
    [
      "softly, in one project",
      SHOP,
      false,
      1,
      [
        [2, 4, 5],
        [1, 3],
      ],
    ],
    ["for good, everywhere", undefined, true, 3, [[4, 5], []]],
    ["for good, in one project", SHOP, true, 2, [[2, 4, 5], []]],
    ["in an unknown project", { name: "nowhere", places: [] }, true, 0, [[1, 2, 4, 5], [3]]],
  ])("purges %s what came from one source", async (_, project, isHard, count, [alive, away]) => {
    using place = make();
    const memory = place.open();
    await fill(memory);
    expect(await memory.purge("https://example.com", project, isHard, minute(2))).toBe(count);
    const all = await Promise.all([1, 2, 3, 4, 5].map((id) => memory.get(id)));
    const ids = (isAway: boolean) =>
      all.flatMap((each) => (each && (each.deleted_at !== undefined) === isAway ? [each.id] : []));
    expect([ids(false), ids(true)]).toEqual([alive, away]);
    expect((await memory.health()).problem).toBeUndefined();
  });
}

function compacting(make: MakeMemory): void {
  const SUMMARY = draft({ type: "compaction_summary", title: "Summary", content: "All of it." });

  test("lists as stale what has not changed since the date, oldest first", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { title: "Changed since" }, day(0));
    await saveOne(memory, { title: "Second" }, day(2));
    await saveOne(memory, { title: "First" }, day(1));
    await saveOne(memory, { title: "Of the bank", project: BANK }, day(1));
    await saveOne(memory, { title: "Asked", type: "prompt" }, day(1));
    await saveOne(memory, { title: "Personal", scope: "personal" }, day(3));
    await saveOne(memory, { title: "New" }, day(10));
    await memory.update(1, { content: "Changed." }, day(10));
    const stale = async (filter: Parameters<typeof memory.stale>[0], limit = 9) => {
      const { observations, total } = await memory.stale(filter, day(10), limit);
      return [titles(observations), total];
    };
    expect([
      await stale({}),
      await stale({}, 2),
      await stale({ project: SHOP, scope: "project" }),
      await stale({ type: "prompt" }),
      await stale({ project: { name: "nowhere", places: [] } }),
    ]).toEqual([
      [["First", "Of the bank", "Second", "Personal"], 4],
      [["First", "Of the bank"], 4],
      [["First", "Second"], 2],
      [["Asked"], 1],
      [[], 0],
    ]);
  });

  test("deletes the named ones and adds the summary", async () => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["Apples", "Pears", "Plums"]);
    const summary = await memory.compact([1, 2], { filter: { project: SHOP }, before: day(1) }, SUMMARY, day(2));
    expect([summary?.id, summary?.type, titles(await memory.recent({}, 9))]).toEqual([
      4,
      "compaction_summary",
      ["Summary", "Plums"],
    ]);
    expect(await memory.relations([4])).toEqual([
      { id: 1, from_id: 4, to_id: 1, type: "supersedes" },
      { id: 2, from_id: 4, to_id: 2, type: "supersedes" },
    ]);
    expect(await finds(memory, "apples pears plums")).toEqual(["Plums"]);
    expect((await memory.get(1))?.deleted_at).toBe(day(2));
  });

  test("only deletes them without a summary", async () => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["Apples", "Pears"]);
    expect(await memory.compact([2], { filter: {}, before: day(1) }, undefined, day(2))).toBeUndefined();
    expect([titles(await memory.recent({}, 9)), await memory.relations([1, 2])]).toEqual([["Apples"], []]);
  });

  test.each([
    ["changed since", 4, `#4 is not among the observations that were last changed before ${day(1)}.`],
    ["in another project", 3, `#3 is not among the observations that were last changed before ${day(1)}.`],
    ["already deleted", 2, `#2 is not among the observations that were last changed before ${day(1)}.`],
    ["remembered by nobody", 9, `#9 is not among the observations that were last changed before ${day(1)}.`],
  ])("changes nothing if one of them is %s", async (_, stranger, why) => {
    using place = make();
    const memory = place.open();
    await saveTitled(memory, ["Apples", "Put away"]);
    await saveOne(memory, { title: "Of the bank", project: BANK });
    await saveOne(memory, { title: "New" }, day(1));
    await memory.remove(2, false, minute(5));
    const before = [await memory.recent({}, 9), await memory.stats()];
    const stale = { filter: { project: SHOP }, before: day(1) };
    expect(await refusal(memory.compact([1, stranger], stale, SUMMARY, day(2)))).toEqual({
      code: "memory.not-stale",
      message: `Nothing was compacted. ${why}`,
    });
    expect([await memory.recent({}, 9), await memory.stats()]).toEqual(before);
  });
}
