import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RECORDS } from "./corpus.ts";
import { fingerprint, shareWorkspace } from "./doors.ts";

const RECORD = join("sdd", "changes", "fix-login", "change.json");

const workspace = shareWorkspace(async (root, doors) => {
  fs.mkdirSync(join(root, "sdd"));
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
  await doors.mcp("change.advance", { content: "Login fails." });
  return fs.readFileSync(join(root, RECORD), "utf8");
});

/** No case may change anything but the record, so the next case needs only a good one. */
async function enterWorkspace() {
  const { root, doors, prepared: good } = await workspace.enter();
  const record = join(root, RECORD);
  fs.writeFileSync(record, good);
  return { root, doors, record, good };
}

test.each(RECORDS)("%s", async (_, change, code) => {
  const { root, doors, record, good } = await enterWorkspace();
  const bad = change(good);
  expect(bad).not.toBe(good);
  fs.writeFileSync(record, bad);
  const before = fingerprint(root);
  const named = { change_id: "fix-login" };
  expect(await doors.mcp("change.status", named)).toBe(code ?? "ok");
  expect(await doors.cli("change.list", {})).toBe("ok");
  expect(await doors.json("workspace.status", {})).toMatchObject({ damaged: code ? [{}] : [] });
  expect(await doors.json("workspace.validate", {})).toMatchObject({ passed: code === undefined });
  expect(fingerprint(root)).toEqual(before);
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
  expect(fingerprint(root)).toEqual(before);
});

test("detects a record that is cut anywhere", async () => {
  const { doors, record, good } = await enterWorkspace();
  const whole = good.trimEnd();
  const missed: number[] = [];
  for (let length = 0; length < whole.length; length++) {
    fs.writeFileSync(record, whole.slice(0, length));
    if ((await doors.mcp("change.status", { change_id: "fix-login" })) !== "record.corrupt") missed.push(length);
  }
  expect(missed).toEqual([]);
});

test("detects a record with any flipped bit", async () => {
  const { doors, record, good } = await enterWorkspace();
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
