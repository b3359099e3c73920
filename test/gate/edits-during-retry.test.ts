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

test("does not count a pass from before a retry for files that were edited meanwhile", async () => {
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
