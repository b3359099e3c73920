import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { BANK, draft, finds, type MakeMemory, minute, saveOne, SHOP, textsOf } from "./place.contract.ts";

/** Saving, saving again, and changing what was saved. */
export function keeping(name: string, make: MakeMemory): void {
  describe(`${name}: saving`, () => {
    saving(make);
  });
  describe(`${name}: topics`, () => {
    topics(make);
  });
  describe(`${name}: repeated saves`, () => {
    repetitions(make);
  });
  describe(`${name}: updating`, () => {
    updating(make);
  });
  describe(`${name}: moving`, () => {
    moving(make);
  });
  describe(`${name}: following a ledger`, () => {
    following(make);
  });
}

function saving(make: MakeMemory): void {
  test("keeps the first save unchanged", async () => {
    using place = make();
    const memory = place.open();
    const saved = await memory.save([draft({ title: "Login loops", content: "The cookie is too long." })], minute(0));
    const observation = {
      id: 1,
      project: "shop",
      session: "manual-save",
      type: "manual",
      title: "Login loops",
      content: "The cookie is too long.",
      scope: "project",
      namespace: "",
      revision: 1,
      duplicates: 1,
      created_at: minute(0),
      updated_at: minute(0),
    };
    expect(saved).toEqual([{ observation, action: "created", related: 0, warnings: [] }]);
    expect(await place.open().get(1)).toEqual(observation);
    expect(await memory.revisions(1)).toEqual([]);
  });

  test("keeps optional fields too", async () => {
    using place = make();
    const memory = place.open();
    const said = { type: "bugfix", scope: "personal", namespace: "web", topic_key: "bug/login", source: "notes.md" };
    const { observation } = await saveOne(memory, { ...said, scope: "personal", session: "s1" });
    expect(observation).toEqual({ ...observation, ...said, session: "s1" });
    expect(await memory.get(1)).toEqual(observation);
  });

  test("numbers concurrent saves in order", async () => {
    using place = make();
    const texts = ["one", "two", "three"];
    const saved = await place.open().save(
      texts.map((content) => draft({ title: content, content })),
      minute(0),
    );
    expect(saved.map(({ observation: { id, content } }) => [id, content])).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ]);
  });

  test("keeps none of several drafts if one cannot be kept", async () => {
    using place = make();
    const memory = place.open();
    const broken = draft({
      topic_key: "t",
      content: () => {
        throw new Error("no");
      },
    });
    await expect(memory.save([draft({ title: "Kept" }), broken], minute(0))).rejects.toThrow(new Error("no"));
    expect([await finds(memory, "kept"), (await memory.stats()).observations]).toEqual([[], 0]);
  });

  test("never reuses a number, even after its observation is destroyed", async () => {
    using place = make();
    const memory = place.open();
    const first = await saveOne(memory, { title: "One" });
    await memory.remove(first.observation.id, true, minute(1));
    expect((await saveOne(memory, { title: "Two" })).observation.id).toBe(2);
  });

  test("returns a text with characters of every kind unchanged", async () => {
    using place = make();
    const content = 'línea\r\n\t\'; DROP TABLE x; -- "q" 日本語 😀 \u200b %_\\';
    const { observation } = await saveOne(place.open(), { title: content, content });
    expect([observation.title, observation.content]).toEqual([content, content]);
  });

  test("creates the relations of a save and reports those that it cannot create", async () => {
    using place = make();
    const memory = place.open();
    await memory.save([draft({ title: "Old" }), draft({ title: "Put away" })], minute(0));
    await memory.remove(2, false, minute(1));
    const saved = await saveOne(memory, { title: "New", relate_to: [1, 2, 3, 9, 1] });
    expect([saved.related, saved.warnings]).toEqual([
      1,
      ["#2 is deleted", "#3 is the observation itself", "#9 does not exist"],
    ]);
    expect(await memory.relations([3])).toEqual([{ id: 1, from_id: 3, to_id: 1, type: "relates_to" }]);
  });
}

function topics(make: MakeMemory): void {
  const TOPIC = { project: SHOP, scope: "project", namespace: "", topic_key: "auth/login" } as const;

  test("replaces the text of a topic and keeps every earlier one", async () => {
    using place = make();
    const memory = place.open();
    const texts = ["Apples.", "Plums.", "Cherries."];
    for (const [i, content] of texts.entries()) {
      await saveOne(memory, { ...TOPIC, title: `Login ${i + 1}`, type: `t${i + 1}`, content }, minute(i));
    }
    expect(await memory.topic(TOPIC)).toEqual({
      ...(await memory.get(1)),
      title: "Login 3",
      type: "t3",
      content: "Cherries.",
      revision: 3,
      created_at: minute(0),
      updated_at: minute(2),
    });
    expect(await memory.revisions(1)).toEqual([
      { revision: 1, type: "t1", title: "Login 1", content: "Apples.", at: minute(0) },
      { revision: 2, type: "t2", title: "Login 2", content: "Plums.", at: minute(1) },
    ]);
    expect([await finds(memory, "apples"), await finds(memory, "cherries")]).toEqual([[], ["Login 3"]]);
  });

  test("adds a revision for a new text, and none for the same text", async () => {
    using place = make();
    const memory = place.open();
    const actions = [];
    for (const content of ["a", "a", (present = "") => `${present}b`, (present = "") => present]) {
      actions.push((await saveOne(memory, { ...TOPIC, content })).action);
    }
    expect(actions).toEqual(["created", "unchanged", "updated", "unchanged"]);
    const { content, revision, duplicates } = (await memory.topic(TOPIC)) ?? {};
    expect({ content, revision, duplicates }).toEqual({ content: "ab", revision: 2, duplicates: 3 });
    expect(await textsOf(memory, 1)).toEqual(["a", "ab"]);
  });

  test.each([
    ["project", { project: BANK }],
    ["scope", { scope: "personal" as const }],
    ["namespace", { namespace: "web" }],
    ["key", { topic_key: "auth/logout" }],
  ])("treats a topic in another %s as a separate topic", async (_, other) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { ...TOPIC, content: "One." });
    await saveOne(memory, { ...TOPIC, ...other, content: "Other." });
    const both = [await memory.topic(TOPIC), await memory.topic({ ...TOPIC, ...other })];
    expect(both.map((each) => [each?.id, each?.content])).toEqual([
      [1, "One."],
      [2, "Other."],
    ]);
  });

  test("moves a text to a different topic", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, TOPIC);
    const supersedes = [TOPIC, { ...TOPIC, topic_key: "nobody/has-it" }];
    for (const [i, old] of supersedes.entries()) await saveOne(memory, { topic_key: `new-${i}`, supersedes: old });
    await saveOne(memory, { ...TOPIC, supersedes: TOPIC });
    expect(await memory.relations([1, 2, 3])).toEqual([{ id: 1, from_id: 2, to_id: 1, type: "supersedes" }]);
  });
}

function repetitions(make: MakeMemory): void {
  const again = async (said: Parameters<typeof draft>[0], minutes: number) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, {}, minute(0));
    const { action, observation } = await saveOne(memory, said, minute(minutes));
    return [action, observation.id, observation.duplicates];
  };

  test.each([
    ["at once", {}, 0],
    ["after a quarter of an hour", {}, 15],
    ["spaced and written otherwise", { content: "  a\n TEXT. " }, 1],
    ["in another session", { session: "s2" }, 1],
    ["long after, where once is enough", { isOnce: true }, 60 * 24 * 365],
  ])("counts the same %s", async (_, said, minutes) => {
    expect(await again(said, minutes)).toEqual(["duplicate", 1, 2]);
  });

  test.each([
    ["a second later than a quarter of an hour", {}, 15 + 1 / 60],
    ["under another title", { title: "Another" }, 1],
    ["as another type", { type: "decision" }, 1],
    ["in another project", { project: BANK }, 1],
    ["in another namespace", { namespace: "web" }, 1],
    ["in another scope", { scope: "personal" as const }, 1],
    ["with a topic", { topic_key: "t" }, 1],
  ])("stores the same %s again", async (_, said, minutes) => {
    expect(await again(said, minutes)).toEqual(["created", 2, 1]);
  });

  test("stores a deleted observation again as new", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory);
    await memory.remove(1, false, minute(1));
    expect((await saveOne(memory, { isOnce: true }, minute(2))).action).toBe("created");
  });
}

function updating(make: MakeMemory): void {
  test("updates the given fields and keeps the earlier text as a revision", async () => {
    using place = make();
    const memory = place.open();
    const { observation: before } = await saveOne(memory, { title: "Cache", content: "Apples.", source: "notes.md" });
    const after = await memory.update(1, { content: "Plums." }, minute(1));
    expect(after).toEqual({ ...before, content: "Plums.", revision: 2, updated_at: minute(1) });
    expect(await memory.revisions(1)).toEqual([
      { revision: 1, type: "manual", title: "Cache", content: "Apples.", at: minute(0), source: "notes.md" },
    ]);
    expect([await finds(memory, "apples"), await finds(memory, "plums")]).toEqual([[], ["Cache"]]);
  });

  test("finds a prompt that changed its type as the new type, and back", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { type: "prompt", title: "Why?" });
    await memory.update(1, { type: "discovery" }, minute(1));
    const first = [await finds(memory, "text"), await finds(memory, "text", { type: "prompt" })];
    await memory.update(1, { type: "prompt", project: BANK }, minute(2));
    const second = [await finds(memory, "text"), await finds(memory, "text", { type: "prompt" })];
    expect([first, second]).toEqual([
      [["Why?"], []],
      [[], ["Why?"]],
    ]);
  });

  test("does not update an unknown or deleted observation", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory);
    await memory.remove(1, false, minute(1));
    expect(await refusal(memory.update(1, { title: "New" }, minute(2)))).toEqual({
      code: "memory.deleted",
      message: `Observation #1 cannot be used. It was deleted at ${minute(1)}.`,
    });
    expect(await refusal(memory.update(7, { title: "New" }, minute(2)))).toEqual({
      code: "memory.unknown",
      message: "Observation #7 cannot be found. No observation has that number.",
    });
  });
}

function moving(make: MakeMemory): void {
  test("finds a moved observation in its new project only, in the session of the same name", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { title: "Rates", session: "s1" });
    await saveOne(memory, { title: "Stays", session: "s1" });
    const moved = await memory.update(1, { project: BANK, scope: "personal" }, minute(1));
    expect([moved.project, moved.session, moved.scope, moved.revision]).toEqual(["bank", "s1", "personal", 1]);
    expect([
      await finds(memory, "rates", { project: SHOP }),
      await finds(memory, "rates", { project: BANK }),
      await finds(memory, "rates"),
    ]).toEqual([[], ["Rates"], ["Rates"]]);
    const sessions = await memory.sessions(undefined, 9);
    expect(sessions.map(({ project, id, observations }) => [project, id, observations])).toEqual([
      ["bank", "s1", 1],
      ["shop", "s1", 1],
    ]);
    expect((await memory.health()).problem).toBeUndefined();
  });

  test("frees a removed topic key for another observation", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { topic_key: "t", title: "First" });
    const { topic_key, revision } = await memory.update(1, { topic_key: "" }, minute(1));
    expect([topic_key, revision]).toEqual([undefined, 1]);
    expect((await saveOne(memory, { topic_key: "t", title: "Second" }, minute(60))).observation.id).toBe(2);
    expect((await memory.get(1))?.title).toBe("First");
  });

  test.each([
    ["by its key", { topic_key: "t" }],
    ["by its project", { project: BANK }],
    ["by its scope", { scope: "personal" as const }],
  ])("rejects a topic key of another observation %s and changes nothing", async (_, change) => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { topic_key: "t", title: "Shop" });
    await saveOne(memory, { topic_key: "t", project: BANK });
    await saveOne(memory, { topic_key: "t", scope: "personal" });
    await saveOne(memory, { topic_key: "free" });
    const [id, holder] = "topic_key" in change ? [4, 1] : [1, "project" in change ? 2 : 3];
    const before = [await memory.get(id), await memory.revisions(id), await memory.stats()];
    expect(await refusal(memory.update(id, { ...change, content: "New." }, minute(1)))).toEqual({
      code: "memory.topic-taken",
      message: `The topic key t cannot be given to a second observation. Observation #${holder} has it.`,
    });
    expect([await memory.get(id), await memory.revisions(id), await memory.stats()]).toEqual(before);
  });
}

function following(make: MakeMemory): void {
  test("continues a ledger only from the last position", async () => {
    using place = make();
    const [one, other] = [place.open(), place.open()];
    const follow = (memory: typeof one, from: number, to: number, title: string) =>
      memory.follow("ledger", from, to, [draft({ title })], minute(0));
    const seen = [
      await one.followed("ledger"),
      await one.follow("ledger", 0, 3, [draft({ title: "First" })], minute(0)),
      await follow(other, 0, 5, "Too late"),
      await other.followed("ledger"),
      await follow(other, 3, 5, "Second"),
      await follow(one, 3, 4, "Too late"),
      await one.followed("ledger"),
      await one.followed("another"),
    ];
    expect(seen).toEqual([0, true, false, 3, true, false, 5, 0]);
    expect(await finds(one, "first second late")).toEqual(["First", "Second"]);
  });

  test("stores a followed event together with its position, or neither", async () => {
    using place = make();
    const memory = place.open();
    const broken = draft({
      content: () => {
        throw new Error("no");
      },
    });
    const call = memory.follow("ledger", 0, 2, [draft({ title: "First" }), broken], minute(0));
    await expect(call).rejects.toThrow(new Error("no"));
    expect([await memory.followed("ledger"), await finds(memory, "first")]).toEqual([0, []]);
  });
}
