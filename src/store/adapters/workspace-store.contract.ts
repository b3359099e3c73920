import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import { commitStoreWrite, type LedgerObserver } from "../operations/engine.ts";
import type { StorePlan, StoreStep, StoreTree } from "../operations/ports/store.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { keeping, keepingOnDisk } from "./keeping.contract.ts";
import { leftovers } from "./leftovers.contract.ts";
import { obstacles } from "./obstacles.contract.ts";
import {
  A,
  at,
  B,
  bytesIn,
  documents,
  type MakeDiskPlace,
  type MakePlace,
  nextRevision,
  note,
  NOTE,
  nothing,
  RECORD,
  subjects,
} from "./place.contract.ts";

/** What every store promises, on disk or in memory. */
export function storeContract(name: string, make: MakePlace): void {
  describe(`${name}: reading`, () => {
    reading(make);
  });
  describe(`${name}: writing`, () => {
    writing(make);
  });
  describe(`${name}: rejecting`, () => {
    refusing(make);
  });
  describe(`${name}: records`, () => {
    records(make);
  });
  describe(`${name}: numbers and events`, () => {
    numbersAndEvents(make);
  });
  describe(`${name}: observers`, () => {
    observers(make);
  });
  keeping(name, make);
}

/** What only a store on disk promises: about bytes, other programs, killed processes and obstacles. */
export function diskStoreContract(name: string, make: MakeDiskPlace): void {
  describe(`${name}: bytes`, () => {
    bytesOnDisk(make);
  });
  keepingOnDisk(name, make);
  leftovers(name, make);
  obstacles(name, make);
}

const lookAround = (tree: StoreTree): unknown => [
  tree.text(A),
  tree.record(RECORD, NOTE)?.rev,
  tree.unsealed(RECORD, NOTE)?.rev,
  tree.names(at("sdd/notes")),
  tree.has(A),
];

function reading(make: MakePlace): void {
  test("creates nothing when it reads, not even a ledger", async () => {
    using place = make();
    const store = place.open();
    const seen = [
      await store.read(lookAround),
      await store.events(0),
      await store.position(),
      await store.pending(),
      (await store.health()).exists,
    ];
    expect(seen).toEqual([[undefined, undefined, undefined, [], false], [], 0, [], false]);
    expect(place.contents()).toEqual({});
  });

  test("returns the same content twice within one read", async () => {
    using place = make();
    place.put(A, "before");
    const look = await place.open().read((tree) => {
      const first = [tree.text(A), tree.names(at("sdd/notes"))];
      place.put(A, "after");
      place.put(B, "after");
      return { first, second: [tree.text(A), tree.names(at("sdd/notes"))] };
    });
    expect(look).toEqual({ first: ["before", ["a.md"]], second: ["before", ["a.md"]] });
  });
}

function writing(make: MakePlace): void {
  test("writes documents, records and moves together, and returns the result", async () => {
    using place = make();
    place.put("sdd/old/kept.md", "kept");
    const steps: StoreStep[] = [
      { kind: "document", path: A, text: "text" },
      { kind: "record", path: RECORD, record: note(1), shape: NOTE },
      { kind: "move", from: at("sdd/old"), to: at("sdd/new/place") },
    ];
    const result = await place.open().write(() => ({ ...documents({}), steps, result: { ok: true } }));
    const { [RECORD]: record, ...texts } = place.texts();
    expect({ result, texts, record: JSON.parse(record ?? "") as unknown }).toEqual({
      result: { ok: true },
      texts: { [A]: "text", "sdd/new/place/kept.md": "kept" },
      record: { ...note(1), checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown },
    });
  });

  test("shows a write to others as soon as it is acknowledged", async () => {
    using place = make();
    const [writer, reader] = [place.open(), place.open()];
    await writer.write(() => documents({ [A]: "1" }));
    const first = await reader.read((tree) => tree.text(A));
    await writer.write(() => documents({ [A]: "2" }));
    expect([first, await reader.read((tree) => tree.text(A)), await reader.position()]).toEqual(["1", "2", 2]);
  });

  test("writes nothing for an empty plan", async () => {
    using place = make();
    const store = place.open();
    await store.write(() => documents({ [A]: "text" }));
    const before = place.contents();
    expect(await store.write((tree) => ({ ...nothing, result: tree.text(A) }))).toBe("text");
    expect(place.contents()).toEqual(before);
  });

  test.each([1, 2])("keeps forty concurrent writes through %i stores, and numbers each once", async (stores) => {
    using place = make();
    const writes = Array.from({ length: stores }, () => place.open()).flatMap((store) =>
      Array.from({ length: 40 / stores }, () => store.write(nextRevision)),
    );
    const inOrder = Array.from({ length: 40 }, (_, i) => i + 1);
    expect((await Promise.all(writes)).toSorted((a, b) => a - b)).toEqual(inOrder);
    expect(await subjects(place.open())).toEqual(inOrder.map(String));
  });
}

function refusing(make: MakePlace): void {
  const refused = new Fault("input.invalid", { what: "No.", why: "Because.", fix: "Ask again." });
  const refuse = (): StorePlan<never> => {
    throw refused;
  };
  const stale = (rev: number) => (): StorePlan<string> => ({
    ...documents({ [A]: "new" }),
    steps: [...documents({ [A]: "new" }).steps, { kind: "record", path: RECORD, record: note(rev), shape: NOTE }],
  });

  test.each<[string, () => StorePlan<unknown>, string]>([
    ["whose decision throws", refuse, "No. Because."],
    ["without an event", () => ({ ...documents({ [A]: "new" }), occurrences: [] }), "A write needs an event."],
    ["of the current revision", stale(2), `${RECORD} is at revision 2; revision 2 cannot follow it.`],
    ["of an earlier revision", stale(1), `${RECORD} is at revision 2; revision 1 cannot follow it.`],
    ["that skips a revision", stale(4), `${RECORD} is at revision 2; revision 4 cannot follow it.`],
  ])("changes nothing with a write %s", async (_, decide, message) => {
    using place = make();
    const store = place.open();
    await store.write(nextRevision);
    await store.write(nextRevision);
    const before = place.contents();
    await expect(store.write(() => ({ ...decide(), counters: { n: 7 } }))).rejects.toHaveProperty("message", message);
    expect(place.contents()).toEqual(before);
    expect([await subjects(store), await store.pending()]).toEqual([["1", "2"], []]);
    expect(await store.write((tree) => ({ ...nothing, result: tree.counter("n") }))).toBe(0);
  });

  test("starts at revision 1", async () => {
    using place = make();
    await expect(place.open().write(stale(2))).rejects.toThrow(
      new Error(`${RECORD} is at revision 0; revision 2 cannot follow it.`),
    );
    expect(place.texts()).toEqual({});
  });

  test("passes on the error of a decision unchanged", async () => {
    using place = make();
    await expect(place.open().write(refuse)).rejects.toBe(refused);
  });

  test("takes no step of a plan if one cannot be taken", async () => {
    using place = make();
    const store = place.open();
    await store.write(() => documents({ [A]: "old" }));
    const before = place.contents();
    expect(await refusal(store.write(() => documents({ [A]: "new", [B]: "new", [`${A}/below.md`]: "new" })))).toEqual({
      code: "files.unwritable",
      message: `${A}/below.md could not be written. The system reported ENOTDIR.`,
    });
    expect(place.texts()).toEqual({ [A]: "old" });
    expect(Object.keys(place.contents())).toEqual(Object.keys(before));
    expect([await subjects(store), await store.pending()]).toEqual([[A], []]);
  });
}

function records(make: MakePlace): void {
  test("keeps unknown fields in their position through a write", async () => {
    using place = make();
    const store = place.open();
    const foreign = { schema: 1, later: { deep: [1, { x: null }] }, rev: 1, text: "t", "odd key": "ü" } as const;
    await store.write(() => ({
      ...documents({}),
      steps: [{ kind: "record", path: RECORD, record: foreign, shape: NOTE }],
    }));
    await place.open().write((tree) => {
      const record = tree.record(RECORD, NOTE) ?? note(0);
      const next = { ...record, rev: record.rev + 1, text: "changed" };
      return { ...documents({}), steps: [{ kind: "record", path: RECORD, record: next, shape: NOTE }] };
    });
    const { checksum: _, ...kept } = JSON.parse(place.texts()[RECORD] ?? "") as Record<string, unknown>;
    expect(Object.entries(kept)).toEqual(Object.entries({ ...foreign, rev: 2, text: "changed" }));
  });

  test.each([
    [
      "edited",
      (text: string) => text.replace("revision 1", "revision one"),
      "Its checksum does not match: it was edited by hand, or a merge joined two versions.",
    ],
    ["torn", (text: string) => text.slice(0, -20), "It is not valid JSON: the file is cut off or has merge marks."],
    ["emptied", () => "", "It is not valid JSON: the file is cut off or has merge marks."],
  ])("does not read, overwrite or repair a record that was %s", async (_, damage, why) => {
    using place = make();
    const store = place.open();
    await store.write(nextRevision);
    const damaged = damage(place.texts()[RECORD] ?? "");
    place.put(RECORD, damaged);
    const corrupt = { code: "record.corrupt", message: `${RECORD} cannot be trusted. ${why}` };
    expect(await refusal(store.read((tree) => tree.record(RECORD, NOTE)))).toEqual(corrupt);
    expect(await refusal(store.write(nextRevision))).toEqual(corrupt);
    expect(place.texts()).toEqual({ [RECORD]: damaged });
  });
}

function numbersAndEvents(make: MakePlace): void {
  const take = (name: string, value: number): StorePlan<string> => ({
    ...documents({ [A]: `${name} ${value}` }),
    counters: { [name]: value },
  });

  test("starts a counter at 0 and shares it with everybody", async () => {
    using place = make();
    const [one, other] = [place.open(), place.open()];
    const counters = () => other.write((tree) => ({ ...nothing, result: [tree.counter("x"), tree.counter("y")] }));
    const first = await counters();
    await one.write(() => take("x", 3));
    const second = await counters();
    await other.write((tree) => take("x", tree.counter("x") + 1));
    expect([first, second, await counters()]).toEqual([
      [0, 0],
      [3, 0],
      [4, 0],
    ]);
  });

  test("returns events in the order of their writes, each once, after the given position", async () => {
    using place = make();
    const store = place.open();
    await store.write(() => ({
      ...documents({ [A]: "1" }),
      occurrences: [
        { kind: "first", subject: "a", data: { deep: [1] } },
        { kind: "second", subject: "a" },
      ],
    }));
    await store.write(() => ({ ...nothing, occurrences: [{ kind: "third", subject: "b" }] }));
    const events = await store.events(0);
    expect(events.map(({ seq, kind, subject, data }) => [seq, kind, subject, data])).toEqual([
      [1, "first", "a", { deep: [1] }],
      [2, "second", "a", {}],
      [3, "third", "b", {}],
    ]);
    expect(new Set(events.map((event) => event.id)).size).toBe(3);
    expect(events.every((event) => /^2026-01-31T12:\d\d:\d\dZ$/.test(event.at))).toBe(true);
    expect([(await store.events(2)).length, (await store.events(3)).length, await store.position()]).toEqual([1, 0, 3]);
  });
}

function observers(make: MakePlace): void {
  test("runs observers after a write, in order, once others can see it", async () => {
    using place = make();
    const store = place.open();
    const seen: unknown[] = [];
    const observer = (name: string): LedgerObserver => ({
      name,
      async catchUp() {
        seen.push([name, await place.open().read((tree) => tree.text(A)), await store.position()]);
      },
    });
    const notices: string[] = [];
    const failing: LedgerObserver = { name: "a deaf one", catchUp: () => Promise.reject(new Error("It is deaf.")) };
    const engine = {
      store,
      observers: [observer("one"), failing, observer("two")],
      notice: (text: string) => void notices.push(text),
    };
    expect(await commitStoreWrite(engine, () => documents({ [A]: "text" }))).toBe(A);
    expect(seen).toEqual([
      ["one", "text", 1],
      ["two", "text", 1],
    ]);
    expect(notices).toEqual(["The write is kept, but a deaf one failed: It is deaf."]);
  });

  test("does not run observers without a decision", async () => {
    using place = make();
    let asked = 0;
    const observer: LedgerObserver = { name: "one", catchUp: async () => void asked++ };
    const engine = { store: place.open(), observers: [observer], notice: () => undefined };
    await expect(
      commitStoreWrite(engine, () => {
        throw new Error("no");
      }),
    ).rejects.toThrow(new Error("no"));
    expect(asked).toBe(0);
  });
}

function bytesOnDisk(make: MakeDiskPlace): void {
  test("changes no byte when it reads", async () => {
    using place = make();
    const writer = place.open();
    await writer.write(() => documents({ [A]: "text" }));
    await writer.write(nextRevision);
    await place.abandon(() => documents({ [B]: "not carried out" }));
    const before = bytesIn(place.root);
    const store = place.open();
    const seen = [
      await store.read(lookAround),
      (await store.events(0)).length,
      await store.position(),
      (await store.pending()).length,
      (await store.health()).events,
    ];
    expect(seen).toEqual([["text", 1, 1, ["a.md", "note.json"], true], 2, 2, 1, 2]);
    expect(bytesIn(place.root)).toEqual(before);
  });

  test("does not write an unchanged document again, but keeps the event", async () => {
    using place = make();
    const store = place.open();
    await store.write(() => documents({ [A]: "text" }));
    const { ino } = fs.statSync(join(place.root, A));
    await store.write(() => documents({ [A]: "text" }));
    expect([fs.statSync(join(place.root, A)).ino, await subjects(store)]).toEqual([ino, [A, A]]);
  });
}
