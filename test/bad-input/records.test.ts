import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { RECORDS } from "./corpus.ts";
import { type Doors, fingerprint, openDoors } from "./doors.ts";

const RECORD = join("sdd", "changes", "fix-login", "change.json");

async function prepare(
  root: string,
): Promise<{ readonly doors: Doors; readonly record: string; readonly good: string }> {
  fs.mkdirSync(join(root, "sdd"));
  const doors = openDoors(root);
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
  await doors.mcp("change.advance", { content: "Login fails." });
  const record = join(root, RECORD);
  return { doors, record, good: fs.readFileSync(record, "utf8") };
}

test.each(RECORDS)("%s", async (_, change, code) => {
  using folder = temporaryFolder();
  const { doors, record, good } = await prepare(folder.path);
  using __ = doors;
  const bad = change(good);
  expect(bad).not.toBe(good);
  fs.writeFileSync(record, bad);
  const before = fingerprint(folder.path);
  const named = { change_id: "fix-login" };
  expect(await doors.mcp("change.status", named)).toBe(code ?? "ok");
  expect(await doors.cli("change.list", {})).toBe("ok");
  expect(await doors.json("workspace.status", {})).toMatchObject({ damaged: code ? [{}] : [] });
  expect(await doors.json("workspace.validate", {})).toMatchObject({ passed: code === undefined });
  expect(fingerprint(folder.path)).toEqual(before);
  if (code === undefined) return;
  const writes = [
    await doors.cli("change.advance", { ...named, content: "x" }),
    await doors.mcp("change.advance", { content: "x" }),
    await doors.mcp("change.reopen", { ...named, stage: "describe", reason: "x" }),
    await doors.mcp("change.abandon", { ...named, reason: "x" }),
    await doors.cli("change.archive", named),
    await doors.mcp("change.start", { type: "fix", size: "small", description: "Another", concurrent: true }),
    await doors.mcp("adr.record", { ...named, title: "x", context: "x", decision: "x", rationale: "x" }),
  ];
  expect(writes).toEqual(writes.map(() => code));
  expect(fingerprint(folder.path)).toEqual(before);
});

test("a record cut short anywhere is found out", async () => {
  using folder = temporaryFolder();
  const { doors, record, good } = await prepare(folder.path);
  using _ = doors;
  const whole = good.trimEnd();
  const missed: number[] = [];
  for (let length = 0; length < whole.length; length++) {
    fs.writeFileSync(record, whole.slice(0, length));
    if ((await doors.mcp("change.status", { change_id: "fix-login" })) !== "record.corrupt") missed.push(length);
  }
  expect(missed).toEqual([]);
});

test("a record with any one bit turned is found out", async () => {
  using folder = temporaryFolder();
  const { doors, record, good } = await prepare(folder.path);
  using _ = doors;
  const codes = new Set<string>();
  const bytes = Buffer.from(good);
  for (let at = 0; at < bytes.length; at++) {
    const turned = Buffer.from(bytes);
    turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
    fs.writeFileSync(record, turned);
    const outcome = await doors.mcp("change.status", { change_id: "fix-login" });
    // Blanks between the words mean nothing, so one that became another changes nothing.
    if (outcome !== "ok" || !/\s/.test(good[at] ?? "")) codes.add(outcome);
  }
  expect([...codes].toSorted()).toEqual(["record.corrupt"]);
});
