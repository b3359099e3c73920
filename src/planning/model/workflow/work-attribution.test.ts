import { expect, test } from "vitest";
import { findShellEdits } from "./work-attribution.ts";

const SHELLS = [
  [10, 20],
  [40, 50],
] as const;

test.each([
  ["changed during a command", [], 15, [], 15],
  ["changed during the newest of its commands", [["a.ts", 12]], 45, [], 45],
  ["changed again after the command", [["a.ts", 12]], 30, [], 12],
  ["was deleted in a folder that is gone", [], 0, [], undefined],
  ["changed between the commands", [["b.ts", 12]], 30, [], undefined],
  ["changed during a command of other work, too", [["a.ts", 12]], 12, [[11, 13]], undefined],
  ["changed again during a command of other work", [["a.ts", 12]], 45, [[44, 46]], 12],
] as const)("finds whether a command's file is the work's if it %s", (_, noted, time, theirs, changed_ms) => {
  const found = findShellEdits({
    paths: ["a.ts"],
    times: new Map([["a.ts", time]]),
    own: [{ shells: SHELLS, shell_changes: noted }],
    beside: [{ shells: theirs }],
  });
  expect(found).toEqual(changed_ms === undefined ? [] : [{ path: "a.ts", how: "edit", changed_ms }]);
});

test("takes a file that others changed before only from a command that changed it again", () => {
  const times = new Map([["a.ts", 15]]);
  const session = { shells: SHELLS, mixed: ["a.ts"] };
  const find = (more: object) => findShellEdits({ paths: ["a.ts"], times, own: [{ ...session, ...more }], beside: [] });
  expect([find({}), find({ shell_changes: [["a.ts", 15]] })]).toEqual([
    [],
    [{ path: "a.ts", how: "edit", changed_ms: 15 }],
  ]);
});
