import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LedgerHealth, StorePlan } from "../operations/ports/store.ts";
import { refusal } from "../../../test/kit/fault.ts";
import {
  A,
  at,
  B,
  bytesIn,
  documents,
  type MakeDiskPlace,
  nextRevision,
  note,
  NOTE,
  nothing,
  put,
  RECORD,
  subjects,
  textsIn,
} from "./place.contract.ts";

const conflictOver = (path: string) => ({
  code: "store.conflict",
  message: `${path} was not written. Another program changed it at the same time.`,
});

/** What becomes of writes that others get in the way of, or that their process did not live to finish. */
export function leftovers(name: string, make: MakeDiskPlace): void {
  describe(`${name}: edits by others`, () => {
    editsByOthers(make);
  });
  describe(`${name}: decisions made again`, () => {
    secondThoughts(make);
  });
  describe(`${name}: concurrent writers`, () => {
    company(make);
  });
  describe(`${name}: leftovers`, () => {
    heirs(make);
  });
  describe(`${name}: leftovers in conflict`, () => {
    withdrawals(make);
  });
}

function editsByOthers(make: MakeDiskPlace): void {
  const old = at("sdd/old");
  const moved = at("sdd/moved");

  test.each<[string, string, (root: string, n: number) => void, StorePlan<unknown>]>([
    ["changes a document", A, (root, n) => put(root, A, `foreign ${n}`), documents({ [B]: "b", [A]: "a" })],
    [
      "makes a document",
      "sdd/new.md",
      (root, n) => put(root, "sdd/new.md", `foreign ${n}`),
      documents({ "sdd/new.md": "a" }),
    ],
    [
      "makes what a folder is to become",
      moved,
      (root, n) => put(root, `${moved}/x.md`, `foreign ${n}`),
      { ...documents({}), steps: [{ kind: "move", from: old, to: moved }] },
    ],
  ])("does not overwrite a process that %s between record and act", async (_, path, edit, plan) => {
    using place = make();
    put(place.root, A, "before");
    put(place.root, `${old}/kept.md`, "kept");
    let edits = 0;
    let decisions = 0;
    const store = place.interrupted(() => {
      fs.rmSync(join(place.root, path), { recursive: true, force: true });
      edit(place.root, ++edits);
    });
    const decide = (): StorePlan<unknown> => {
      decisions++;
      // A folder may be moved only to where nothing is.
      if (plan.steps[0]?.kind === "move") fs.rmSync(join(place.root, moved), { recursive: true, force: true });
      return plan;
    };
    expect(await refusal(store.write(decide))).toEqual(conflictOver(path));
    const expected = textsIn(place.root);
    edit(place.root, edits);
    expect([textsIn(place.root), decisions, edits]).toEqual([expected, 3, 3]);
    expect(expected).not.toHaveProperty([B]);
    expect([await subjects(store), await store.pending()]).toEqual([[], []]);
  });
}

function secondThoughts(make: MakeDiskPlace): void {
  test("decides again after another process wrote", async () => {
    using place = make();
    put(place.root, A, "one\n");
    const edits = ["one\ntwo\n"];
    const store = place.interrupted(() => edits.splice(0).forEach((text) => put(place.root, A, text)));
    await store.write((tree) => documents({ [A]: `${tree.text(A)}three\n` }));
    expect([textsIn(place.root), await subjects(store)]).toEqual([{ [A]: "one\ntwo\nthree\n" }, [A]]);
  });

  test("decides again after another process removed the document", async () => {
    using place = make();
    put(place.root, A, "before");
    const removals = [A];
    const store = place.interrupted(() => removals.splice(0).forEach((path) => fs.rmSync(join(place.root, path))));
    await store.write((tree) => documents({ [B]: tree.text(A) ?? "it was gone" }));
    await store.write((tree) => documents({ [A]: tree.text(A) ?? "written anew" }));
    expect(textsIn(place.root)).toEqual({ [A]: "written anew", [B]: "before" });
  });

  test("rejects a record that was edited by hand meanwhile, and leaves the edit alone", async () => {
    using place = make();
    await place.open().write(nextRevision);
    const edited = (textsIn(place.root)[RECORD] ?? "").replace("revision 1", "by hand");
    const store = place.interrupted(() => put(place.root, RECORD, edited));
    expect(await refusal(store.write(nextRevision))).toEqual({
      code: "record.corrupt",
      message: `${RECORD} cannot be trusted. Its checksum does not match: it was edited by hand, or a merge joined two versions.`,
    });
    expect([textsIn(place.root), await subjects(store)]).toEqual([{ [RECORD]: edited }, ["1"]]);
  });

  test("names the obstacle of a recorded write, and finishes it afterwards", async () => {
    using place = make();
    const store = place.interrupted(() => void fs.mkdirSync(join(place.root, A), { recursive: true }));
    expect(await refusal(store.write(() => documents({ [A]: "text" })))).toEqual({
      code: "store.pending",
      message: `The write is recorded but not finished. ${A} cannot be used. It is not a regular file.`,
    });
    const held = {
      code: "files.not-a-file",
      message: `${A} cannot be used. It is not a regular file.`,
    };
    expect(await refusal(place.open().write(() => documents({ [B]: "text" })))).toEqual(held);
    fs.rmdirSync(join(place.root, A));
    await place.open().write(() => documents({ [B]: "text" }));
    expect([textsIn(place.root), await subjects(store)]).toEqual([{ [A]: "text", [B]: "text" }, [A, B]]);
  });
}

function company(make: MakeDiskPlace): void {
  test("waits for writers in a diagnosis, and reports only leftovers as unfinished", async () => {
    using place = make();
    let diagnosis: Promise<LedgerHealth> | undefined;
    const writer = place.interrupted(() => {
      diagnosis ??= place.open().health();
    });
    await writer.write(() => documents({ [A]: "a" }));
    expect((await diagnosis)?.pending).toEqual([]);
    await place.abandon(() => documents({ [B]: "b" }));
    expect((await place.open().health()).pending.map(({ paths }) => paths)).toEqual([[B]]);
  });

  test("counts a write once that another process finishes", async () => {
    using place = make();
    let passing = 0;
    const store = place.interrupted(async () => {
      if (++passing === 1) await place.open().write(() => documents({ [B]: "theirs" }));
    });
    const result = await store.write(() => documents({ [A]: "mine" }));
    expect([result, textsIn(place.root), await subjects(store), await store.pending()]).toEqual([
      A,
      { [A]: "mine", [B]: "theirs" },
      [A, B],
      [],
    ]);
  });

  test("does not repeat a write that another process finished and followed by one more", async () => {
    using place = make();
    let passing = 0;
    const store = place.interrupted(async () => {
      if (++passing === 1) await place.open().write(nextRevision);
    });
    expect(await store.write(nextRevision)).toBe(1);
    expect(await subjects(store)).toEqual(["1", "2"]);
  });

  test("makes a write again that another process withdrew", async () => {
    using place = make();
    put(place.root, A, "before\n");
    let passing = 0;
    const store = place.interrupted(async () => {
      if (++passing > 1) return;
      put(place.root, A, "before\nforeign\n");
      await place.open().write(() => documents({ [B]: "theirs" }));
    });
    await store.write((tree) => documents({ [A]: `${tree.text(A)}mine\n` }));
    expect([textsIn(place.root), await subjects(store)]).toEqual([
      { [A]: "before\nforeign\nmine\n", [B]: "theirs" },
      [B, A],
    ]);
  });
}

function heirs(make: MakeDiskPlace): void {
  const both: StorePlan<string> = {
    ...documents({ [A]: "a" }),
    steps: [...documents({ [A]: "a" }).steps, { kind: "record", path: RECORD, record: note(1), shape: NOTE }],
    counters: { n: 5 },
  };

  test.each<[string, (root: string) => void]>([
    ["before its first step", () => undefined],
    ["after its first step", (root) => put(root, A, "a")],
  ])("finishes a write whose process died %s before the next decision", async (_, progress) => {
    using place = make();
    await place.abandon(() => both);
    progress(place.root);
    const store = place.open();
    const waiting = (await store.pending()).map(({ isHere, paths }) => ({ isHere, paths }));
    const seen = await store.write((tree) => ({
      ...nextRevision(tree),
      result: [tree.text(A), tree.record(RECORD, NOTE)?.rev, tree.counter("n")],
    }));
    expect([waiting, seen]).toEqual([[{ isHere: true, paths: [A, RECORD] }], ["a", 1, 5]]);
    expect([await subjects(store), await store.pending(), place.notices]).toEqual([[A, "2"], [], []]);
    expect(Object.keys(textsIn(place.root))).toEqual([A, RECORD]);
  });

  test("does not repeat a finished write whose process died before the acknowledgement", async () => {
    using place = make();
    await place.abandon(() => both);
    const store = place.open();
    await store.write(() => nothing);
    const finished = bytesIn(place.root);
    await store.write(() => nothing);
    expect(bytesIn(place.root)).toEqual(finished);
    expect([Object.keys(textsIn(place.root)), await subjects(store)]).toEqual([[A, RECORD], [A]]);
  });

  test("does not move a folder again that a killed process moved", async () => {
    using place = make();
    put(place.root, "sdd/old/kept.md", "kept");
    await place.abandon(() => ({
      ...documents({}),
      steps: [{ kind: "move", from: at("sdd/old"), to: at("sdd/new") }],
    }));
    fs.renameSync(join(place.root, "sdd/old"), join(place.root, "sdd/new"));
    const store = place.open();
    await store.write(() => nothing);
    expect([textsIn(place.root), await store.pending()]).toEqual([{ "sdd/new/kept.md": "kept" }, []]);
  });

  test("finishes a leftover or leaves it whole when a decision throws", async () => {
    using place = make();
    await place.abandon(() => both);
    const store = place.open();
    const refuse = (): StorePlan<never> => {
      throw new Error("no");
    };
    await expect(store.write(refuse)).rejects.toThrow(new Error("no"));
    await store.write(() => nothing);
    expect([Object.keys(textsIn(place.root)), await subjects(store), await store.pending()]).toEqual([
      [A, RECORD],
      [A],
      [],
    ]);
  });
}

function withdrawals(make: MakeDiskPlace): void {
  test.each<[string, (root: string) => void, string]>([
    ["changed", (root) => put(root, A, "foreign"), "foreign"],
    ["made anew", (root) => put(root, A, ""), ""],
  ])("withdraws and reports a leftover whose document another process %s", async (_, edit, text) => {
    using place = make();
    put(place.root, A, "before");
    await place.abandon(() => documents({ [B]: "b", [A]: "a" }));
    edit(place.root);
    const store = place.open();
    const [waiting] = await store.pending();
    await store.write(() => documents({ "sdd/c.md": "c" }));
    expect([textsIn(place.root), await subjects(store), await store.pending()]).toEqual([
      { "sdd/c.md": "c", [A]: text },
      ["sdd/c.md"],
      [],
    ]);
    expect(place.notices).toEqual([
      `A write of ${waiting?.at} that was never finished is withdrawn. ${conflictOver(A).message}`,
    ]);
  });

  test("withdraws and reports a leftover based on an old revision", async () => {
    using place = make();
    const store = place.open();
    await store.write(nextRevision);
    await place.abandon(nextRevision);
    fs.rmSync(join(place.root, RECORD));
    expect(await store.write(nextRevision)).toBe(1);
    expect([place.notices.length, await subjects(store)]).toEqual([1, ["1", "1"]]);
  });
}
