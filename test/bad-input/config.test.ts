import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { CONFIGS } from "./corpus.ts";
import { canary, fingerprint, openDoors, type Outcome, shareWorkspace } from "./doors.ts";

const chirps = canary();

const workspace = shareWorkspace(async (root, doors) => {
  fs.mkdirSync(join(root, "sdd"));
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
});

/** The answers of the file's reader, of validate and of doctor. */
async function judge(text: string | Uint8Array) {
  const { root, doors } = await workspace.enter();
  fs.writeFileSync(join(root, "sdd", "config.yaml"), chirps.in(text));
  const before = fingerprint(root);
  const outcome = await doors.cli("change.advance", { content: "# A\n\nIt fails." });
  const isUntouched = JSON.stringify(fingerprint(root)) === JSON.stringify(before);
  const validation = (await doors.json("workspace.validate", {})) as { problems: { path: string }[] };
  const doctor = (await doors.json("workspace.doctor", {})) as { checks: { check: string; ok: boolean }[] };
  if (!isUntouched) workspace.leave();
  return {
    outcome,
    isUntouched,
    isProblem: validation.problems.some(({ path }) => path === "sdd/config.yaml"),
    isHealthy: doctor.checks.find(({ check }) => check === "config")?.ok,
  };
}

const FAULTS: readonly (Outcome | undefined)[] = ["config.invalid", "files.not-text", "files.too-large"];

test.each(CONFIGS)("%s", async (_, text, isUsable) => {
  const { outcome, ...rest } = await judge(text);
  expect([outcome === "ok", FAULTS.includes(outcome)]).toEqual([isUsable, !isUsable]);
  expect(rest).toEqual({ isUntouched: !isUsable, isProblem: !isUsable, isHealthy: isUsable });
});

test("uses or rejects settings that are cut anywhere", async () => {
  const whole = 'version: 1\nchanges:\n  headings: {describe: [A, "B C"]}\nmcp:\n  toolsets:\n    - default\n';
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  const outcomes = new Set<boolean>();
  for (let length = 0; length <= whole.length; length++) {
    fs.writeFileSync(join(folder.path, "sdd", "config.yaml"), whole.slice(0, length));
    const { checks } = (await doors.json("workspace.doctor", {})) as { checks: { check: string; ok: boolean }[] };
    outcomes.add(checks.some(({ check, ok }) => check === "config" && ok));
  }
  expect(outcomes).toEqual(new Set([true, false]));
});

test("shows control characters of a required heading as codes", async () => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  fs.writeFileSync(
    join(folder.path, "sdd", "config.yaml"),
    'changes:\n  headings:\n    describe: ["\\e[2J\\e]52;c;eA==\\a", "\\u202eA"]\n',
  );
  using doors = openDoors(folder.path);
  const shown = [
    await doors.shown("change.start", { type: "fix", size: "small", description: "Fix login" }),
    await doors.shown("change.advance", { content: "It fails." }),
    await doors.shown("change.status", {}),
  ];
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(shown.map((text) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(text))).toEqual([
    false,
    false,
    false,
  ]);
});

test("does not pollute other objects with bad settings", async () => {
  await judge('__proto__: {polluted: "yes"}\nconstructor: {prototype: {polluted: "yes"}}\n');
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("runs no command from the bad input", () => {
  expect(chirps.isAlive()).toBe(true);
});
