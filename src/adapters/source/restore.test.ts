import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { likenessOf, partOf, put } from "../../../test/kit/repository.ts";
import { OWN, SITUATIONS, work } from "../../../test/kit/situations.ts";
import { snapshotsIn } from "./snapshots.ts";

describe.for(SITUATIONS)("with $name", ({ prepare }) => {
  test("own paths become what they were, nothing else changes, and back again", async () => {
    using folder = temporaryFolder();
    const root = prepare(folder.path);
    const snapshots = snapshotsIn(root, process.env);
    const first = likenessOf(root);
    const to = await snapshots.take("AUTH-001", 1, "before");
    expect(likenessOf(root)).toEqual(first);
    work(root);
    const second = likenessOf(root);
    const from = await snapshots.take("AUTH-001", 2, "safety");
    expect(likenessOf(root)).toEqual(second);
    const request = { from: from.commit, to: to.commit, paths: OWN };
    const restored = await snapshots.restore(request);
    expect(restored.foreign).toEqual([]);
    const third = likenessOf(root);
    expect(partOf(third, OWN)).toEqual(partOf(first, OWN));
    expect(partOf(third, OWN, false)).toEqual(partOf(second, OWN, false));
    expect(await snapshots.restore(request)).toEqual(restored);
    expect(likenessOf(root)).toEqual(third);
    await snapshots.restore({ from: to.commit, to: from.commit, paths: OWN });
    expect(likenessOf(root)).toEqual(second);
    expect((await snapshots.take("AUTH-001", 3, "again")).tree).toBe(from.tree);
  });
});
