import { expect, test } from "vitest";
import { runGate } from "#checking/operations/gate/run-gate.ts";
import type { Answer } from "../workflow/stand.ts";
import { NEW_CODE, NEW_TEST, openIn, type ProjectStand, typescriptStand } from "./project.ts";

async function built(more: Readonly<Record<string, string>>): Promise<ProjectStand> {
  const it = await typescriptStand(more);
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE);
  return it;
}

test("what passed while files changed is not taken for a pass on those files", async () => {
  using it = await built({
    "tests/writes.test.mjs": [
      'import fs from "node:fs";',
      'import { expect, test } from "vitest";',
      'fs.writeFileSync("seen.txt", String(Math.random()));',
      'test("writes", () => expect(1).toBe(1));',
      "",
    ].join("\n"),
  });
  const gate = await it.gate();
  const why = "seen.txt changed while the checks ran, so it was not checked. Have git ignore what they write, or wait.";
  expect([gate.passed, gate.open]).toEqual([false, [`files-unchanged: ${why}`]]);
  const moved = await it.run("workflow.advance", { id: "AUTH-001" });
  expect([moved.passed, moved.workflow?.stage, openIn(moved)]).toEqual([
    false,
    "implement",
    [`files-unchanged: ${why}`],
  ]);
});

test("what passed before a retry does not count for files that were edited meanwhile", async () => {
  using it = await built({});
  it.write("src/login.ts", `${NEW_CODE}export var later = 1;\n`);
  // Between the tries the lint is mended, and the code that the tests had passed on is broken.
  const wait = async (): Promise<void> => it.write("src/login.ts", NEW_CODE.replace("===", "!=="));
  const gate = await runGate.run({ ...it.engine, wait }, { id: "AUTH-001" });
  expect([gate.attempts.map(({ failed }) => failed.map(({ check }) => check)), gate.passed]).toEqual([
    [["lint"], ["tests"]],
    false,
  ]);
  expect(openIn(gate as Answer)[0]).toMatch(/^tests: tests\/login\.test\.ts: lets the right code in: /);
});
