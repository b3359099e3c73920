import { expect, test } from "vitest";
import { NEW_CODE, NEW_TEST, typescriptStand } from "./project.ts";

test("applies an automatic fix, checks again and reports it", async () => {
  using it = await typescriptStand();
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  const mended = `${NEW_CODE}export const later = 1;\n`;
  it.write("src/login.ts", mended.replace("const later", "var later"));
  const gate = await it.gate();
  expect([gate.open, gate.passed]).toEqual([[], true]);
  expect(gate["attempts"]).toEqual([
    {
      n: 1,
      waited_s: 0,
      fixed: [],
      failed: [{ check: "lint", failure: "fixable", said: "oxlint exited with 1." }],
    },
    { n: 2, waited_s: 1, fixed: ["oxlint"], failed: [] },
  ]);
  const snapshot = gate.workflow?.snapshots.at(-1);
  expect([gate.notes, snapshot?.why]).toEqual([
    [`oxlint fixed 1 file; snapshot ${snapshot?.n} of AUTH-001 has the files as they were.`],
    "fix",
  ]);
  expect(it.read("src/login.ts")).toBe(mended);
  expect(it.read(".sdd/state.yaml")).toMatch(
    /retry_history:\n\s+- gate: "gate-3-implement"\n\s+attempts: 2\n\s+success: true/,
  );
});
