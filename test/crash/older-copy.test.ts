import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { openArena } from "./arena.ts";
import { hook } from "./hook.ts";
import { leftovers } from "./picture.ts";
import { houseIn, NEXT_WRITE, prepare, SCENARIOS } from "./scenario.ts";

const ID = "fix-the-empty-search";
const RECORD = `sdd/changes/${ID}/change.json`;
const [ADVANCE] = SCENARIOS;

interface Shown {
  readonly change: { readonly rev: number; readonly current_stage: string };
}

/** As `git checkout` of an older commit does it: whole and sealed, so it is what the person wants. */
test("accepts an older copy of a record, and the next write continues from it", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  if (ADVANCE) await prepare(ADVANCE, root);
  const older = fs.readFileSync(join(root, RECORD));
  using house = houseIn(root);
  const show = async (): Promise<Shown["change"]> =>
    (JSON.parse((await house.run("change", "status", ID, "--json")).out) as Shown).change;
  const before = await show();
  await house.run(...(ADVANCE?.words ?? []));
  fs.writeFileSync(join(root, RECORD), older);
  expect(await show()).toEqual(before);
  expect((await house.run("change", "advance", "--content=Searching for dots crashes.")).code).toBe(0);
  expect(await show()).toMatchObject({ rev: before.rev + 1, current_stage: "context-check" });
});

test("leaves an older copy alone that appears during a pending write, and withdraws the write", async () => {
  if (!ADVANCE) return;
  using arena = await openArena(ADVANCE, hook);
  const point = arena.points.find(({ call, label }) => call === "renameSync" && label.endsWith("change.json"));
  if (!point) throw new Error("The record is never renamed into place.");
  const { run } = await arena.strike({ point, blow: "SIGKILL" });
  using house = houseIn(run.root);
  const place = join(run.root, RECORD);
  const record = JSON.parse(fs.readFileSync(place, "utf8")) as { rev: number };
  fs.writeFileSync(place, JSON.stringify({ ...record, rev: record.rev - 1 }));
  const older = fs.readFileSync(place);
  const { code, err } = await house.run(...NEXT_WRITE);
  const { out } = await house.run("status", "--json");
  expect({
    code,
    isTold: /^note: A write of \S+ that was never finished is withdrawn\. /.test(err),
    record: fs.readFileSync(place),
    pending: (JSON.parse(out) as { unfinished_writes: number }).unfinished_writes,
    left: leftovers(run.root),
  }).toEqual({ code: 0, isTold: true, record: older, pending: 0, left: [] });
});
