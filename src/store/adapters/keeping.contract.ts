import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import type { StorePlan, LedgerSpace, Store } from "../operations/ports/store.ts";
import { A, documents, type MakeDiskPlace, type MakePlace, nothing, put, textsIn } from "./place.contract.ts";

const HATS: LedgerSpace<{ colour: string }> = { name: "hat" };
const COATS: LedgerSpace<string> = { name: "coat" };

const happened = { occurrences: [{ kind: "kept", subject: "x" }] };
const hat = (key: string, colour: string | undefined): StorePlan<string> => ({
  ...nothing,
  ...happened,
  keeps: [{ space: HATS.name, key, ...(colour === undefined ? {} : { value: { colour } }) }],
  result: key,
});

const hats = (store: Store) => store.read((tree) => Object.fromEntries(tree.kept(HATS)));

/** What the ledger keeps while it is under way. */
export function keeping(name: string, make: MakePlace): void {
  describe(`${name}: keeping`, () => {
    test("finds a kept value by name in its own space until it is removed", async () => {
      using place = make();
      const store = place.open();
      expect(await hats(store)).toEqual({});
      await store.write(() => hat("b", "red"));
      await store.write(() => hat("a", "blue"));
      await store.write((tree) => hat("b", `${tree.kept(HATS).get("b")?.colour}dish`));
      expect(Object.entries(await hats(place.open()))).toEqual([
        ["a", { colour: "blue" }],
        ["b", { colour: "reddish" }],
      ]);
      await store.write(() => hat("a", undefined));
      expect([await hats(store), await store.read((tree) => tree.kept(COATS).size)]).toEqual([
        { b: { colour: "reddish" } },
        0,
      ]);
    });

    test("keeps nothing of a decision that throws", async () => {
      using place = make();
      const store = place.open();
      const thrown = store.write(() => {
        throw new Error("no");
      });
      await expect(thrown).rejects.toThrow("no");
      expect(await hats(store)).toEqual({});
    });

    test("keeps the token of a lease while its holder continues, and increases it with the next holder", async () => {
      using place = make();
      const store = place.open();
      const lease = () => store.read((tree) => tree.lease("work"));
      const grant = (holder: string) =>
        store.write(() => ({ ...nothing, ...happened, grants: [{ name: "work", holder, ttlMs: 60_000 }] }));
      expect(await lease()).toBeUndefined();
      await grant("one");
      await grant("one");
      expect(await lease()).toEqual({ name: "work", holder: "one", token: 1, isLive: true });
      await grant("two");
      expect(await lease()).toEqual({ name: "work", holder: "two", token: 2, isLive: true });
      await store.write(() => ({ ...nothing, ...happened, releases: ["work"] }));
      expect(await lease()).toEqual({ name: "work", holder: "two", token: 2, isLive: false });
      await grant("two");
      expect(await lease()).toEqual({ name: "work", holder: "two", token: 3, isLive: true });
    });

    test("acquires, renews and releases leases for one holder at a time", async () => {
      using place = make();
      const [one, other] = [place.open().leases, place.open().leases];
      const first = await one.acquire("merge", "one", 60_000);
      expect([first, await other.acquire("merge", "two", 60_000)]).toEqual([
        { name: "merge", holder: "one", token: 1 },
        undefined,
      ]);
      if (!first) throw new Error("It was not acquired.");
      await one.renew(first, 60_000);
      await one.release(first);
      const lost = {
        code: "lease.lost",
        message: "one no longer holds merge. The lease has run out.",
      };
      expect(await refusal(one.renew(first, 60_000))).toEqual(lost);
      expect(await refusal(place.open().write(() => ({ ...nothing, ...happened, lease: first })))).toEqual(lost);
      expect(await other.acquire("merge", "two", 60_000)).toEqual({ name: "merge", holder: "two", token: 2 });
      expect(await refusal(one.release(first))).toEqual({
        code: "lease.lost",
        message: "one no longer holds merge. two has taken it over.",
      });
    });

    test("never overlaps exclusive work of two stores", async () => {
      using place = make();
      const steps: string[] = [];
      const seen = place.open();
      const work = (holder: string) => async () => {
        steps.push(`${holder} begins`);
        expect([await seen.isBusy("setup"), await seen.isBusy("other")]).toEqual([true, false]);
        steps.push(`${holder} ends`);
        return holder;
      };
      const turns = ["a", "b"].map((holder) => place.open().exclusively("setup", work(holder)));
      expect(await Promise.all(turns)).toEqual(["a", "b"]);
      expect(await seen.isBusy("setup")).toBe(false);
      expect(steps).toEqual(
        steps[0] === "a begins"
          ? ["a begins", "a ends", "b begins", "b ends"]
          : ["b begins", "b ends", "a begins", "a ends"],
      );
    });
  });
}

/** Values of the ledger and files whose writer dies between them. */
export function keepingOnDisk(name: string, make: MakeDiskPlace): void {
  describe(`${name}: keeping on disk`, () => {
    test("keeps files and values together, though the writer dies between them", async () => {
      using place = make();
      await place.abandon(() => ({ ...hat("a", "blue"), steps: documents({ [A]: "text" }).steps }));
      expect([await hats(place.open()), textsIn(place.root)]).toEqual([{}, {}]);
      await place.open().write(() => nothing);
      expect([await hats(place.open()), textsIn(place.root)]).toEqual([{ a: { colour: "blue" } }, { [A]: "text" }]);
    });

    test("writes neither if another process changed the file", async () => {
      using place = make();
      await place.abandon(() => ({ ...hat("a", "blue"), steps: documents({ [A]: "text" }).steps }));
      put(place.root, A, "theirs");
      await place.open().write(() => nothing);
      expect([await hats(place.open()), textsIn(place.root)]).toEqual([{}, { [A]: "theirs" }]);
      expect(place.notices).toHaveLength(1);
    });
  });
}
