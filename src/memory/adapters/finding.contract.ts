import { describe, expect, test } from "vitest";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import { computeTermWeights } from "#kernel/model/search/search-ranking.ts";
import type { MemoryFilter, MemoryRecords } from "../operations/ports/memory.ts";
import { BANK, draft, finds, type MakeMemory, minute, saveOne, SHOP, titles } from "./place.contract.ts";

/** What answers a question, and what was last changed. */
export function finding(name: string, make: MakeMemory): void {
  describe(`${name}: searching an empty memory`, () => {
    nothing(make);
  });
  describe(`${name}: filters`, () => {
    filters(make);
  });
  describe(`${name}: words`, () => {
    words(make);
  });
  describe(`${name}: the latest`, () => {
    latest(make);
  });
}

function nothing(make: MakeMemory): void {
  test("finds nothing, and creates nothing", async () => {
    using place = make();
    const memory = place.open();
    const { file } = await memory.stats();
    const observation = { ...draft(), id: 1, content: "", revision: 1, duplicates: 1, created_at: "", updated_at: "" };
    const seen = [
      await memory.get(1),
      await memory.topic({ project: SHOP, scope: "project", namespace: "", topic_key: "t" }),
      await memory.candidates(parseSearchQuestion("anything", minute(0)), {}, 9),
      await memory.neighbours([{ ...observation, project: "shop", topic_key: "t", source: "s" }], 2),
      await memory.recent({}, 9),
      await memory.sessions(undefined, 9),
      await memory.relations([1]),
      await memory.revisions(1),
      await memory.stale({}, minute(0), 9),
      await memory.projectName(SHOP),
      await memory.followed("ledger"),
      await memory.stats(),
      await memory.health(),
    ];
    const empty = { observations: 0, deleted: 0, prompts: 0, sessions: 0, relations: 0, revisions: 0 };
    expect(seen).toEqual([
      undefined,
      undefined,
      { observations: [], total: 0, terms: [], repaired: [] },
      new Map(),
      [],
      [],
      [],
      [],
      { observations: [], total: 0 },
      "shop",
      0,
      { ...empty, projects: [], file, bytes: 0 },
      { file, exists: false, observations: 0 },
    ]);
  });
}

async function fill(memory: MemoryRecords): Promise<void> {
  await saveOne(memory, { title: "Plain" }, minute(0));
  await saveOne(memory, { title: "Fix", type: "bugfix" }, minute(1));
  await saveOne(memory, { title: "Own", scope: "personal" }, minute(2));
  await saveOne(memory, { title: "Web", namespace: "web" }, minute(3));
  await saveOne(memory, { title: "Bank", project: BANK }, minute(4));
  await saveOne(memory, { title: "Asked", type: "prompt" }, minute(5));
  await saveOne(memory, { title: "Asked there", type: "prompt", project: BANK }, minute(6));
}

const FILTERED: readonly (readonly [string, MemoryFilter, readonly string[]])[] = [
  ["nothing", {}, ["Plain", "Fix", "Own", "Web", "Bank"]],
  ["a type", { type: "bugfix" }, ["Fix"]],
  ["the type of prompts", { type: "prompt" }, ["Asked", "Asked there"]],
  ["a type that nothing has", { type: "nothing" }, []],
  ["a scope", { scope: "personal" }, ["Own"]],
  ["a namespace", { namespace: "web" }, ["Web"]],
  ["no namespace", { namespace: "" }, ["Plain", "Fix", "Own", "Bank"]],
  ["a time", { since: minute(3) }, ["Web", "Bank"]],
  ["a project", { project: BANK }, ["Bank"]],
  ["a project that nobody knows", { project: { name: "nobody", places: [] } }, []],
  ["the prompts of a project", { project: BANK, type: "prompt" }, ["Asked there"]],
  ["several", { project: SHOP, scope: "project", namespace: "", since: minute(1) }, ["Fix"]],
];

function filters(make: MakeMemory): void {
  test.each(FILTERED)("finds %s", async (_, filter, expected) => {
    using place = make();
    const memory = place.open();
    await fill(memory);
    expect(await finds(memory, "text", filter)).toEqual(expected);
    expect(titles(await memory.recent(filter, 9))).toEqual(expected.toReversed());
  });
}

function words(make: MakeMemory): void {
  const TEXTS = {
    Tokens: "The refresh token expires after an hour.",
    Refresh: "Token of the user; refresh it by hand.",
    Cache: "Caching the orchard made queries faster.",
  };
  const filled = async (memory: MemoryRecords): Promise<void> => {
    for (const [title, content] of Object.entries(TEXTS)) await saveOne(memory, { title, content });
  };
  const ask = async (memory: MemoryRecords, query: string, filter: MemoryFilter = {}) => {
    const { observations, repaired } = await memory.candidates(parseSearchQuestion(query, minute(0)), filter, 9);
    return { found: titles(observations).toSorted(), repaired };
  };

  test.each([
    ["a word of the text", "orchard", ["Cache"]],
    ["a word of the title", "tokens", ["Refresh", "Tokens"]],
    ["another form of it", "cached query", ["Cache"]],
    ["any of several", "expires orchard", ["Cache", "Tokens"]],
    ["a phrase", '"refresh token"', ["Tokens"]],
    ["a phrase over the end of a title", '"cache caching"', []],
    ["a word that nobody wrote", "zeppelin", []],
    ["only marks", "*()\" ' -- ;", []],
  ])("%s", async (_, query, found) => {
    using place = make();
    const memory = place.open();
    await filled(memory);
    expect(await ask(memory, query)).toEqual({ found, repaired: [] });
  });

  test("corrects a word with a typo and reports the correction", async () => {
    using place = make();
    const memory = place.open();
    await filled(memory);
    expect(await ask(memory, "orcahrd")).toEqual({
      found: ["Cache"],
      repaired: [{ from: "orcahrd", to: "orchard" }],
    });
  });

  test("corrects to a word that was searched without a result before", async () => {
    using place = make();
    const memory = place.open();
    const broken = draft({
      content: () => {
        throw new Error("no");
      },
    });
    await expect(memory.save([draft({ title: "Orchard" }), broken], minute(0))).rejects.toThrow(new Error("no"));
    await saveOne(memory, { title: "Orchard" });
    expect((await ask(memory, "orcahrd")).found).toEqual(["Orchard"]);
  });

  test("corrects only to words that the filter allows", async () => {
    using place = make();
    const memory = place.open();
    await filled(memory);
    await saveOne(memory, { title: "Elsewhere", project: BANK });
    expect(await ask(memory, "orcahrd", { project: BANK })).toEqual({ found: [], repaired: [] });
    expect(await ask(memory, "orcahrd", { type: "bugfix" })).toEqual({ found: [], repaired: [] });
  });

  test("weighs a rare word more than a common one, and returns no more than the limit", async () => {
    using place = make();
    const memory = place.open();
    const common = Array.from({ length: 20 }, (_, i) => draft({ title: `Common ${i}`, content: "The server failed." }));
    await memory.save([draft({ title: "Rare", content: "The zeppelin failed." }), ...common], minute(0));
    const { observations, terms, total } = await memory.candidates(
      parseSearchQuestion("server zeppelin", minute(0)),
      {},
      5,
    );
    const weights = computeTermWeights(terms, total);
    const [server = 0, zeppelin = 0] = parseSearchQuestion("server zeppelin", minute(0)).terms.map((term) =>
      weights.get(term),
    );
    expect([observations.length, titles(observations).includes("Rare"), zeppelin > server]).toEqual([5, true, true]);
  });

  test("does not find the question itself among the prompts", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { type: "prompt", title: "Where is the orchard cached?" });
    expect([await finds(memory, "orchard"), await finds(memory, "orchard", { type: "prompt" })]).toEqual([
      [],
      ["Where is the orchard cached?"],
    ]);
  });
}

function latest(make: MakeMemory): void {
  test("sorts by the last change across projects, then by creation", async () => {
    using place = make();
    const memory = place.open();
    await saveOne(memory, { title: "Changed" }, minute(0));
    await saveOne(memory, { title: "Of the bank", project: BANK }, minute(2));
    await saveOne(memory, { title: "One" }, minute(1));
    await saveOne(memory, { title: "Two" }, minute(1));
    await memory.update(1, { content: "Changed." }, minute(3));
    const all = ["Changed", "Of the bank", "Two", "One"];
    expect([titles(await memory.recent({}, 9)), titles(await memory.recent({}, 2))]).toEqual([all, all.slice(0, 2)]);
  });

  test("finds a save of another process as soon as it is acknowledged", async () => {
    using place = make();
    const [writer, reader] = [place.open(), place.open()];
    await saveOne(writer, { title: "First" });
    const first = await finds(reader, "first second");
    await saveOne(writer, { title: "Second" });
    expect([first, await finds(reader, "first second")]).toEqual([["First"], ["First", "Second"]]);
  });

  test("counts the stored observations", async () => {
    using place = make();
    const memory = place.open();
    await fill(memory);
    await saveOne(memory, { topic_key: "t", content: "One.", session: "s2" });
    await saveOne(memory, { topic_key: "t", content: "Two." });
    await memory.relate({ from_id: 1, to_id: 2, type: "part_of" }, true, minute(9));
    await memory.remove(3, false, minute(9));
    const { file: _, bytes, ...counts } = await memory.stats();
    expect([bytes > 0, counts]).toEqual([
      true,
      {
        observations: 5,
        deleted: 1,
        prompts: 2,
        sessions: 3,
        relations: 2,
        revisions: 1,
        projects: [
          { name: "shop", observations: 4, aliases: [] },
          { name: "bank", observations: 1, aliases: [] },
        ],
      },
    ]);
  });
}
